import type { Column } from './cells.ts'
import { endOf, failed, logged, type PartRun, standing, translationOf } from './context.ts'
import { resultTable, translated } from './dialect.ts'
import { early, type Failure, failure, isFailure } from './failures.ts'
import { closing, depthChange, is, isName, isWord, nameAt, type StatementPart, type Token, writtenName } from './lexer.ts'
import { type StatementResult, tableOf, tableSql, textRows } from './tables.ts'
import { scratch } from './world.ts'

/** One of the statements that an INSERT into several tables becomes for the engine. */
interface InsertStep {
  readonly part: StatementPart
  /** The table as it was written; undefined for the step that collects the rows. */
  readonly into: string | undefined
}

interface Branch {
  readonly target: readonly Token[]
  readonly columns: readonly Token[]
  readonly values: readonly Token[] | undefined
  readonly when: readonly Token[] | 'else' | undefined
}

const rowsTable = 'INSERTED$ROWS'
const word = (text: string): Token => ({ kind: 'word', text, start: 0, end: 0 })
const symbol = (text: string): Token => ({ kind: 'operator', text, start: 0, end: 0 })
const rows: Token = { kind: 'quoted', text: rowsTable, start: 0, end: 0 }

/** Returns what stands in the brackets at a position, brackets included; nothing without brackets. */
const bracketed = (tokens: readonly Token[], index: number): readonly Token[] =>
  is(tokens[index], '(') ? tokens.slice(index, closing(tokens, index) + 1) : []

function targetAt(tokens: readonly Token[], index: number): readonly Token[] {
  let end = index
  while (isName(tokens[end]) && is(tokens[end + 1], '.')) end += 2
  return tokens.slice(index, end + 1)
}

function branchAt(tokens: readonly Token[], index: number, when: Branch['when']): { readonly branch: Branch; readonly next: number } {
  const target = targetAt(tokens, index + 1)
  const columns = bracketed(tokens, index + 1 + target.length)
  const at = index + 1 + target.length + columns.length
  const values = isWord(tokens[at], 'VALUES') ? bracketed(tokens, at + 1) : undefined
  return { branch: { target, columns, values, when }, next: at + (values ? values.length + 1 : 0) }
}

function conditionAt(tokens: readonly Token[], index: number): readonly Token[] {
  let depth = 0
  const end = tokens.findIndex((token, at) => {
    if (at <= index) return false
    depth += depthChange(token)
    return depth === 0 && isWord(token, 'THEN')
  })
  return tokens.slice(index + 1, end < 0 ? tokens.length : end)
}

function branchesOf(tokens: readonly Token[]): { readonly branches: readonly Branch[]; readonly query: readonly Token[] } {
  const branches: Branch[] = []
  let when: Branch['when']
  let index = 2
  while (isWord(tokens[index], 'WHEN', 'ELSE', 'INTO')) {
    if (isWord(tokens[index], 'WHEN')) {
      when = conditionAt(tokens, index)
      index += when.length + 2
    } else if (isWord(tokens[index], 'ELSE')) {
      when = 'else'
      index += 1
    } else {
      const { branch, next } = branchAt(tokens, index, when)
      branches.push(branch)
      index = next
    }
  }
  return { branches, query: tokens.slice(index) }
}

function either(conditions: readonly (readonly Token[])[]): readonly Token[] {
  const all = conditions.flatMap((each, index) => [...(index === 0 ? [] : [word('OR')]), symbol('('), ...each, symbol(')')])
  return [word('NOT'), word('COALESCE'), symbol('('), ...all, symbol(','), word('FALSE'), symbol(')')]
}

function conditionOf(branch: Branch, branches: readonly Branch[], first: boolean): readonly Token[] {
  const others = [...new Set(branches.map(({ when }) => when))].filter((when) => when !== undefined && when !== 'else')
  if (branch.when === undefined) return []
  if (branch.when === 'else') return [word('WHERE'), ...either(others)]
  const own = [word('WHERE'), symbol('('), ...branch.when, symbol(')')]
  const before = first ? others.slice(0, others.indexOf(branch.when)) : []
  return before.length === 0 ? own : [...own, word('AND'), ...either(before)]
}

/**
 * Returns the statements that an `INSERT ALL` or `INSERT FIRST` is for the engine: one that collects the rows, one for each target.
 * @returns undefined for every other statement
 */
function insertsOf(part: StatementPart): readonly InsertStep[] | undefined {
  const { tokens } = part
  if (!isWord(tokens[0], 'INSERT') || !isWord(tokens[1], 'ALL', 'FIRST')) return undefined
  const { branches, query } = branchesOf(tokens)
  const collect = ['CREATE', 'OR', 'REPLACE', 'TEMP', 'TABLE'].map(word)
  const inserts = branches.map((branch): InsertStep => {
    const values = branch.values ? branch.values.slice(1, -1) : [symbol('*')]
    const condition = conditionOf(branch, branches, isWord(tokens[1], 'FIRST'))
    const into = [word('INSERT'), word('INTO'), ...branch.target, ...branch.columns, word('SELECT'), ...values]
    const name = branch.target.filter(isName).map(({ text }) => writtenName(text))
    return { part: { ...part, tokens: [...into, word('FROM'), rows, ...condition] }, into: name.join('.') }
  })
  return [{ part: { ...part, verb: 'SELECT', tokens: [...collect, rows, word('AS'), ...query] }, into: undefined }, ...inserts]
}

/** Names of the result's columns, and which count of the statistics each statement fills. */
const counts: Readonly<Record<string, { readonly columns: readonly string[]; readonly stat: string }>> = {
  INSERT: { columns: ['number of rows inserted'], stat: 'numRowsInserted' },
  UPDATE: { columns: ['number of rows updated', 'number of multi-joined rows updated'], stat: 'numRowsUpdated' },
  DELETE: { columns: ['number of rows deleted'], stat: 'numRowsDeleted' },
  MERGE: { columns: ['number of rows updated'], stat: 'numRowsUpdated' },
}

const noStats = { numRowsInserted: 0, numRowsUpdated: 0, numRowsDeleted: 0, numDuplicateRowsUpdated: 0 }

const countColumn = (name: string): Column => ({ name, type: 'fixed', precision: 19, scale: 0, nullable: false })

function targetOf(tokens: readonly Token[]): readonly string[] {
  const before = ['INSERT', 'OVERWRITE', 'INTO', 'UPDATE', 'DELETE', 'FROM']
  const start = tokens.findIndex((token) => isName(token) && !isWord(token, ...before))
  return nameAt(tokens, start)
}

/** Returns what may have changed, so that a reset knows what to bring back. */
function touchedBy({ run, part }: PartRun): 'scratch' | 'anything' {
  if (part.verb === 'MERGE' || isWord(part.tokens[1], 'ALL', 'FIRST')) return 'anything'
  const names = targetOf(part.tokens)
  const [database, schema] = [names.at(-3) ?? run.session.database, names.at(-2) ?? run.session.schema]
  return database === scratch.database && schema === scratch.schema ? 'scratch' : 'anything'
}

interface ChangeStep {
  readonly sql: string
  /** Undefined when it is not counted. */
  readonly column: string | undefined
}

function stepsOf(context: PartRun): readonly ChangeStep[] {
  const { part } = context
  const { tokens, verb } = part
  const translation = translationOf(context)
  const column = counts[verb]?.columns[0]
  const several = insertsOf(part)
  if (several) {
    return several.map(({ part: each, into }) => ({
      sql: translated(each, translation),
      column: into === undefined ? undefined : `number of rows inserted into ${into}`,
    }))
  }
  if (!isWord(tokens[1], 'OVERWRITE')) return [{ sql: translated(part, translation), column }]
  const rest = tokens.slice(isWord(tokens[2], 'INTO') ? 3 : 2)
  const from = rest.slice(0, Math.max(targetOf(rest).length * 2 - 1, 0))
  const emptied = { ...part, verb: 'DELETE', tokens: [word('DELETE'), word('FROM'), ...from] }
  const inserted = { ...part, tokens: [word('INSERT'), word('INTO'), ...rest] }
  return [
    { sql: translated(emptied, translation), column: undefined },
    { sql: translated(inserted, translation), column },
  ]
}

/** Runs the steps and commits them, unless the statement is ended before. */
async function committed(context: PartRun, steps: readonly ChangeStep[]): Promise<readonly number[] | Failure> {
  const { run } = context
  const own = !run.transaction
  const undone = async (failure: Failure) => {
    if (own) await run.engine.run('ROLLBACK').catch(() => undefined)
    return failure
  }
  try {
    if (own) await run.engine.run('BEGIN TRANSACTION')
    const changed: number[] = []
    for (const { sql } of steps) changed.push(await run.engine.run(sql))
    const stopped = await standing(run, 'uncommitted')
    if (stopped) return undone(stopped)
    await run.house.touch(touchedBy(context))
    if (!own) return changed
    if (!run.statement.commit()) return undone(failed(context, undefined))
    await run.engine.run('COMMIT')
    return changed
  } catch (error) {
    return undone(failed(context, error))
  }
}

/** Makes changes of rows that are there wait for each other, as locks do; the others go ahead. */
async function inTurn(context: PartRun, act: () => Promise<readonly number[] | Failure>): Promise<readonly number[] | Failure> {
  const { run, part } = context
  if (part.verb === 'INSERT' && !isWord(part.tokens[1], 'OVERWRITE')) return act()
  const leave = await run.writes.enter(run.statement.signal)
  if (!leave) return failed(context, undefined)
  return act().finally(leave)
}

/** Runs INSERT, UPDATE, DELETE and MERGE. */
export async function change(context: PartRun): Promise<StatementResult | Failure> {
  const { run, part, index, last } = context
  const steps = stepsOf(context)
  const [first] = steps
  const checked = first && (await run.engine.compile(first.sql).catch((error: unknown) => early(failed(context, error))))
  if (isFailure(checked)) return checked
  if (run.statement.signal.aborted) return failed(context, undefined)
  const end = logged(run, part)
  const changed = await inTurn(context, () => committed(context, steps))
  if (isFailure(changed)) {
    end(endOf(context))
    return changed
  }
  const counted = steps.flatMap(({ column }, at) => (column === undefined ? [] : [{ column, rows: changed[at] ?? 0 }]))
  const rows = counted.reduce((sum, each) => sum + each.rows, 0)
  end('succeeded', rows)
  const { columns = [], stat = '' } = counts[part.verb] ?? {}
  const zeros = columns.slice(1)
  const names = [...counted.map(({ column }) => column), ...zeros].map(countColumn)
  const cells = [[...counted.map((each) => String(each.rows)), ...zeros.map(() => '0')]]
  if (!last) await run.engine.run(`CREATE OR REPLACE TEMP TABLE ${resultTable(index)} AS ${tableSql(names, cells)}`)
  return { ...(await tableOf(names, cells)), stats: { ...noStats, [stat]: rows } }
}

const definable: Readonly<Record<string, readonly string[]>> = {
  CREATE: ['TABLE', 'VIEW', 'SCHEMA'],
  DROP: ['TABLE', 'VIEW', 'SCHEMA'],
  ALTER: ['TABLE'],
  TRUNCATE: [],
}
const between = ['OR', 'REPLACE', 'IF', 'NOT', 'EXISTS', 'TEMPORARY', 'TEMP', 'TRANSIENT']
const done: Readonly<Record<string, string>> = { CREATE: 'created', DROP: 'dropped' }

/** Runs CREATE, DROP, ALTER and TRUNCATE of tables, views and schemas. */
export async function define(context: PartRun): Promise<StatementResult | Failure> {
  const { run, part } = context
  const { verb } = part
  const words = part.tokens.slice(1).filter((token) => !isWord(token, ...between))
  const kind = definable[verb]?.find((each) => isWord(words[0], each))
  if (!kind && verb !== 'TRUNCATE') return early(failure('unsupported', `Unsupported feature '${verb} ${words[0]?.text ?? ''}'.`))
  const name = nameAt(words, 1).at(-1) ?? ''
  if (verb === 'CREATE' && run.session.database === undefined && !is(words[2], '.'))
    return early(failure('noDatabase', `Cannot perform CREATE ${kind}. ${failure('noDatabase').message}`))
  const tokens = part.tokens.filter((token) => !isWord(token, 'TRANSIENT'))
  const sql = translated({ ...part, tokens }, translationOf(context))
  const end = logged(run, part)
  const changed = await inTurn(context, async () => {
    await run.house.touch('anything')
    return run.engine.run(sql).then(
      (rows) => [rows],
      (error: unknown) => failed(context, error),
    )
  })
  end(isFailure(changed) ? endOf(context) : 'succeeded')
  if (isFailure(changed)) return changed
  const noun = kind && kind.charAt(0) + kind.slice(1).toLowerCase()
  const text = done[verb] ? `${noun} ${writtenName(name)} successfully ${done[verb]}.` : 'Statement executed successfully.'
  return textRows(['status'], [[text]])
}
