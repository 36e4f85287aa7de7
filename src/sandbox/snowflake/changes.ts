import type { Column } from './cells.ts'
import type { PartRun } from './context.ts'
import { endOf, failed, logged, standing, translationOf } from './context.ts'
import { resultTable, translated } from './dialect.ts'
import type { Failure } from './failures.ts'
import { early, failure, isFailure } from './failures.ts'
import type { Token } from './lexer.ts'
import { is, isName, isWord } from './lexer.ts'
import { insertsOf } from './multi-insert.ts'
import { writtenName } from './names.ts'
import type { StatementResult } from './statements.ts'
import { tableOf, tableSql, textRows } from './tables.ts'
import { scratch } from './world.ts'

/** Names of the result's columns, and which count of the statistics each statement fills. */
const counts: Readonly<Record<string, { readonly columns: readonly string[]; readonly stat: string }>> = {
  INSERT: { columns: ['number of rows inserted'], stat: 'numRowsInserted' },
  UPDATE: { columns: ['number of rows updated', 'number of multi-joined rows updated'], stat: 'numRowsUpdated' },
  DELETE: { columns: ['number of rows deleted'], stat: 'numRowsDeleted' },
  MERGE: { columns: ['number of rows updated'], stat: 'numRowsUpdated' },
}

const noStats = { numRowsInserted: 0, numRowsUpdated: 0, numRowsDeleted: 0, numDuplicateRowsUpdated: 0 }

function countColumn(name: string): Column {
  return { name, type: 'fixed', precision: 19, scale: 0, nullable: false }
}

/** The parts of the name at a position. */
function nameFrom(tokens: readonly Token[], start: number): readonly string[] {
  const names: string[] = []
  for (let index = start; isName(tokens[index]); index += 2) {
    names.push(tokens[index]?.text ?? '')
    if (!is(tokens[index + 1], '.')) break
  }
  return names
}

function targetOf(tokens: readonly Token[]): readonly string[] {
  const before = ['INSERT', 'OVERWRITE', 'INTO', 'UPDATE', 'DELETE', 'FROM']
  const start = tokens.findIndex((token) => isName(token) && !isWord(token, ...before))
  return nameFrom(tokens, start)
}

/** What may have changed, so that a reset knows what to bring back. */
function touchedBy({ run, part }: PartRun): 'scratch' | 'anything' {
  if (part.verb === 'MERGE' || isWord(part.tokens[1], 'ALL', 'FIRST')) return 'anything'
  const names = targetOf(part.tokens)
  const [database, schema] = [names.at(-3) ?? run.session.database, names.at(-2) ?? run.session.schema]
  return database === scratch.database && schema === scratch.schema ? 'scratch' : 'anything'
}

/** One statement of the engine and the column that its count goes to. */
interface Step {
  readonly sql: string
  /** Undefined when it is not counted. */
  readonly column: string | undefined
}

function stepsOf(context: PartRun): readonly Step[] {
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
  const word = (text: string): Token => ({ kind: 'word', text, start: 0, end: 0 })
  const emptied = { ...part, verb: 'DELETE', tokens: [word('DELETE'), word('FROM'), ...from] }
  const inserted = { ...part, tokens: [word('INSERT'), word('INTO'), ...rest] }
  return [
    { sql: translated(emptied, translation), column: undefined },
    { sql: translated(inserted, translation), column },
  ]
}

/** Runs the steps and commits them, unless the statement is ended before. */
async function committed(context: PartRun, steps: readonly Step[]): Promise<readonly number[] | Failure> {
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

/** Changes of rows that are there wait for each other, as locks make them; the others go ahead. */
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
  const name = nameFrom(words, 1).at(-1) ?? ''
  if (verb === 'CREATE' && run.session.database === undefined && !is(words[2], '.')) {
    return early(failure('noDatabase', `Cannot perform CREATE ${kind}. ${failure('noDatabase').message}`))
  }
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
