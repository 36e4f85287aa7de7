import { setEach } from '../data.ts'
import { columnOf, type EngineType, rowsAsJson } from './cells.ts'
import { change, define } from './changes.ts'
import { endOf, failed, logged, type PartRun, type RunEnvironment, type StatementRun, standing, translationOf } from './context.ts'
import { placeholderIn, resultTable, translated } from './dialect.ts'
import type { EngineHouse, EngineSession } from './engine.ts'
import { early, type Failure, failure, isFailure } from './failures.ts'
import { blockOf, chainOf, depthChange, is, isName, isWord, lex, placeOf, type StatementPart, statementsOf, type Token } from './lexer.ts'
import type { Session, Submission } from './sessions.ts'
import { show } from './show.ts'
import { abortFailure, type Statement } from './statements.ts'
import { partitioned, type StatementResult, tableOf, tableSql, textRows } from './tables.ts'
import { snowflakeCredentials } from './tokens.ts'

/** Words that end a list of columns. */
const ends = ['FROM', 'WHERE', 'GROUP', 'HAVING', 'QUALIFY', 'ORDER', 'LIMIT', 'UNION', 'EXCEPT', 'MINUS', 'INTERSECT', 'OFFSET', 'INTO']
/** Words that end an expression and are no name for it. */
const closers = ['END', 'NULL', 'TRUE', 'FALSE', 'CURRENT_DATE', 'CURRENT_TIME', 'CURRENT_TIMESTAMP']
/** Words after which an expression continues. */
const inner = ['NOT', 'IS', 'AND', 'OR', 'LIKE', 'ILIKE', 'IN', 'BETWEEN', 'DISTINCT', 'CASE', 'WHEN', 'THEN', 'ELSE', 'INTERVAL', 'DATE']

function itemsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const items: Token[][] = [[]]
  let depth = 0
  let inside = false
  for (const [index, token] of tokens.entries()) {
    depth += depthChange(token)
    if (!inside) inside = depth === 0 && isWord(token, 'SELECT')
    else if (depth === 0 && isWord(token, ...ends)) break
    else if (depth === 0 && is(token, ',')) items.push([])
    else if (!(isWord(token, 'DISTINCT', 'ALL') && isWord(tokens[index - 1], 'SELECT'))) items.at(-1)?.push(token)
  }
  return items
}

function isNamed(item: readonly Token[]): boolean {
  const [before, last] = [item.at(-2), item.at(-1)]
  if (!isName(last)) return false
  if (!before || isWord(before, 'AS') || item.every((token) => isName(token) || is(token, '.'))) return true
  if (last.kind === 'word' && closers.includes(last.text)) return false
  if (before.kind === 'operator') return is(before, ')') || is(before, ']') || is(before, '}')
  return !isWord(before, ...inner)
}

function heading(text: string, item: readonly Token[]): string {
  let end = item[0]?.start ?? 0
  return item
    .map((token) => {
      const between = text.slice(end, token.start)
      end = token.end
      return between + (token.kind === 'word' ? token.text : text.slice(token.start, token.end))
    })
    .join('')
}

const isStar = (item: readonly Token[]): boolean => item.some((token, index) => is(token, '*') && (index === 0 || is(item[index - 1], '.')))

/**
 * Returns names of columns that are expressions without a name: the vendor calls them by their text, words in upper case. @returns by
 * position; undefined where the column has a name of its own, or where it cannot be told what it is
 */
function headingsOf(text: string, { tokens }: StatementPart, count: number): readonly (string | undefined)[] {
  const items = itemsOf(tokens)
  const star = items.findIndex(isStar)
  const headings = items.map((item) => (item.length === 0 || isNamed(item) ? undefined : heading(text, item)))
  if (star < 0) return items.length === count ? headings : []
  if (star !== items.findLastIndex(isStar)) return []
  const covered = Array.from({ length: Math.max(count - items.length + 1, 0) }, () => undefined)
  return [...headings.slice(0, star), ...covered, ...headings.slice(star + 1)]
}

function named(context: PartRun, names: readonly string[], types: readonly EngineType[]) {
  const headings = headingsOf(context.run.source, context.part, names.length)
  return types.map((type, index) => columnOf(headings[index] ?? names[index] ?? '', type))
}

async function select(context: PartRun): Promise<StatementResult | Failure> {
  const { run, part, index, last } = context
  const sql = translated(part, translationOf(context))
  const compiled = await run.engine.compile(sql).catch((error: unknown) => early(failed(context, error)))
  if (isFailure(compiled)) return compiled
  if (run.statement.signal.aborted) return failed(context, undefined)
  const end = logged(run, part)
  const { names, types } = compiled
  try {
    if (!last) await run.engine.run(`CREATE OR REPLACE TEMP TABLE ${resultTable(index)} AS ${sql}`)
    const wanted = last ? rowsAsJson(sql, types, { nullable: run.submission.nullable, parameters: run.session.parameters }) : undefined
    const rows = await partitioned(wanted === undefined ? [] : run.engine.texts(wanted), sizesOf(run))
    end('succeeded', rows.rows)
    return { columns: named(context, names, types), rows }
  } catch (error) {
    end(endOf(context))
    return failed(context, error)
  }
}

const megabyte = 1024 * 1024

function sizesOf({ switches, session }: StatementRun) {
  const { firstPartitionBytes, partitionBytes, resultBytes, partitionRows } = switches()
  const chunk = Number(session.parameters['CLIENT_RESULT_CHUNK_SIZE'] ?? 0) * megabyte || partitionBytes
  return { first: firstPartitionBytes, other: Math.min(partitionBytes, chunk), all: resultBytes, rows: partitionRows }
}

async function list(context: PartRun): Promise<StatementResult | Failure> {
  const { run, part, index, last } = context
  const { source, session, engine } = run
  const listing = await show(part, { source, session, engine, limit: run.switches().showLimit }).catch((error) => failed(context, error))
  if (isFailure(listing)) return early(listing)
  logged(run, part)('succeeded', listing.rows.length)
  if (!last) await engine.run(`CREATE OR REPLACE TEMP TABLE ${resultTable(index)} AS ${tableSql(listing.columns, listing.rows)}`)
  return tableOf(listing.columns, listing.rows)
}

async function grant({ run, part }: PartRun): Promise<StatementResult> {
  logged(run, part)('succeeded')
  return textRows(['status'], [['Statement executed successfully.']])
}

/** Statements that need a session which outlives them. */
async function inSession(context: PartRun): Promise<StatementResult | Failure> {
  const { run, part } = context
  if (!run.several) return early(failure('unsupported', `Unsupported feature '${part.verb}' outside of a request with several statements.`))
  if (part.verb === 'USE') use(run, part)
  else {
    const ends = part.verb === 'COMMIT' || part.verb === 'ROLLBACK'
    if (ends === run.transaction) await run.engine.run(ends ? part.verb : 'BEGIN TRANSACTION')
    run.transaction = !ends
  }
  await run.engine.use(run.session)
  return grant(context)
}

function use({ session }: StatementRun, { tokens }: StatementPart): void {
  const level = ['DATABASE', 'SCHEMA', 'ROLE', 'WAREHOUSE'].find((each) => isWord(tokens[1], each))
  const names = tokens.slice(level ? 2 : 1).filter(isName)
  const name = names.at(-1)?.text
  if (level === 'ROLE') session.role = name ?? session.role
  else if (level === 'WAREHOUSE') session.warehouse = name
  else if (level === 'SCHEMA' || names.length > 1) {
    session.database = names.at(-2)?.text ?? session.database
    session.schema = name
  } else {
    session.database = name
    session.schema = 'PUBLIC'
  }
}

async function runAll(context: PartRun, source: string, parts: readonly StatementPart[]): Promise<StatementResult | Failure> {
  let result: StatementResult | Failure = await textRows(['anonymous block'], [[null]])
  for (const part of parts) {
    result = await runChain({ ...context.run, source }, part)
    if (isFailure(result)) return result
  }
  return result
}

/** `EXECUTE IMMEDIATE 'text'`: the text runs. */
async function immediate(context: PartRun): Promise<StatementResult | Failure> {
  const text = context.part.tokens[2]
  const tokens = text?.kind === 'string' ? lex(text.text) : undefined
  if (!text || !tokens || isFailure(tokens)) return early(failure('unsupported', 'Unsupported feature EXECUTE without a text.'))
  return runAll(context, text.text, statementsOf(text.text, tokens))
}

/** BEGIN starts a transaction, or a block of which the statements run. */
async function begin(context: PartRun): Promise<StatementResult | Failure> {
  const { run, part } = context
  const block = blockOf(run.source, part)
  return block ? runAll(context, run.source, block) : inSession(context)
}

const runners: Readonly<Record<string, (context: PartRun) => Promise<StatementResult | Failure>>> = {
  SELECT: select,
  SHOW: list,
  EXECUTE: immediate,
  ...setEach(change, 'INSERT UPDATE DELETE MERGE'),
  ...setEach(define, 'CREATE DROP ALTER TRUNCATE'),
  ...setEach(grant, 'GRANT REVOKE'),
  ...setEach(inSession, 'USE COMMIT ROLLBACK'),
  ...setEach(begin, 'BEGIN DECLARE'),
}

const withoutWarehouse = ['SHOW', 'CREATE', 'DROP', 'ALTER', 'GRANT', 'REVOKE', 'USE', 'BEGIN', 'COMMIT', 'ROLLBACK', 'DECLARE', 'EXECUTE']
const onlyReading = ['SELECT', 'SHOW', 'USE', 'BEGIN', 'COMMIT', 'ROLLBACK', 'DECLARE', 'EXECUTE']

/** Returns why a part may not run; undefined when it may. */
function refusal({ run, part }: PartRun): Failure | undefined {
  const { session, source } = run
  const open = placeholderIn(part.tokens)
  if (open) return failure('bind', `SQL compilation error: error ${placeOf(source, open.start)}\nBind variable ${open.text} not set.`)
  if (!session.mayWrite && !onlyReading.includes(part.verb))
    return failure('privileges', `SQL access control error:\nInsufficient privileges for ${part.verb} with the role '${session.role}'.`)
  return session.warehouse === undefined && !withoutWarehouse.includes(part.verb) ? failure('noWarehouse') : undefined
}

/** Runs a statement; of a chain with `->>` every part, and the result is that of the last. */
async function runChain(run: StatementRun, statement: StatementPart): Promise<StatementResult | Failure> {
  const parts = chainOf(run.source, statement)
  let result: StatementResult | Failure = failure('empty')
  for (const [index, part] of parts.entries()) {
    const context = { run, part, index, last: index === parts.length - 1 }
    const refused = refusal(context)
    if (refused) return early(refused)
    if (run.statement.signal.aborted) return failed(context, undefined)
    const runner = Object.hasOwn(runners, part.verb) ? runners[part.verb] : undefined
    const found = part.verb || part.tokens[0]?.text || '<EOF>'
    const where = placeOf(run.source, part.tokens[0]?.start ?? 0)
    if (!runner) return early(failure('syntax', `SQL compilation error:\nsyntax error ${where} unexpected '${found}'.`))
    result = await runner(context)
    if (isFailure(result)) return result
  }
  return result
}

/** Statements that a submission is; a refusal when the submission has no statement, or another number than it announced. */
function statementsIn(source: string, tokens: readonly Token[], { parameters }: Submission): readonly StatementPart[] | Failure {
  const statements = statementsOf(source, tokens)
  if (statements.length === 0) return failure('empty')
  const wanted = Number(parameters['MULTI_STATEMENT_COUNT'] ?? 1)
  if (wanted === 0 || wanted === statements.length) return statements
  const counted = `Actual statement count ${statements.length} did not match the desired statement count ${wanted}.`
  return failure('count', counted)
}

/** Interrupts the engine when the signal aborts. It repeats that, because the first interrupt can come before the query runs. */
function interruptOn(signal: AbortSignal, engine: EngineSession): () => void {
  let timer: NodeJS.Timeout | undefined
  const interrupt = () => {
    engine.interrupt()
    timer = setInterval(() => engine.interrupt(), 20)
  }
  if (signal.aborted) interrupt()
  else signal.addEventListener('abort', interrupt, { once: true })
  return () => {
    signal.removeEventListener('abort', interrupt)
    clearInterval(timer)
  }
}

/** Runs several statements: each has a handle of its own; what ran before a failure stays. */
async function runSeveral(run: StatementRun, statements: readonly StatementPart[]): Promise<StatementResult | Failure> {
  const handles: string[] = []
  for (const part of statements) {
    const result = await runChain(run, part)
    if (isFailure(result)) {
      const where = placeOf(run.source, part.tokens[0]?.start ?? 0)
      const said = `Execution of multiple statements failed on statement "${part.text}" (at ${where.replace(' at', ',')}).`
      return result.code === '000604' || result.code === '000630' ? result : failure('partly', `${said}\n${result.message}`)
    }
    const { requestId, user, hash } = run.statement
    handles.push(run.store.begin({ requestId, user, hash: `${hash} ${handles.length}` }, async () => result).handle)
  }
  const told = await textRows(['multiple statement execution'], [['Multiple statements executed successfully.']])
  return { ...told, statementHandles: handles }
}

async function runStatements(run: StatementRun, statements: readonly StatementPart[]): Promise<StatementResult | Failure> {
  await run.engine.use(run.session)
  const [only] = statements
  const result = run.several || !only ? await runSeveral(run, statements) : await runChain(run, only)
  return (isFailure(result) ? undefined : await standing(run, 'committed')) ?? result
}

/** Refuses what begins with anything but a word, a bracket or a semicolon. */
function strange(source: string, { verb, tokens: [first] }: StatementPart): Failure | undefined {
  if (verb !== '' || isWord(first)) return undefined
  const found = `unexpected '${first?.text}'`
  return failure('syntax', `SQL compilation error:\nsyntax error ${placeOf(source, first?.start ?? 0)} ${found}.`)
}

/** Runs a submission to its end. */
export async function runSubmission(
  submission: Submission,
  env: RunEnvironment & { readonly session: Session; readonly statement: Statement },
): Promise<StatementResult | Failure> {
  const source = submission.statement
  const { signal } = env.statement
  const tokens = lex(source)
  if (isFailure(tokens)) return early(tokens)
  const statements = statementsIn(source, tokens, submission)
  if (isFailure(statements)) return early(statements)
  const wrong = statements.map((part) => strange(source, part)).find(isFailure)
  if (wrong) return early(wrong)
  const stopped = await standing({ ...env, submission }, 'before')
  if (stopped) return stopped
  const leave = await env.slots.enter(signal)
  if (!leave) return abortFailure(signal, submission.timeout)
  const engine = await (await env.house.open()).session()
  const quiet = interruptOn(signal, engine)
  try {
    const several = statements.length > 1
    return await runStatements({ ...env, source, submission, engine, several, transaction: false }, statements)
  } catch (error) {
    if (signal.aborted) return abortFailure(signal, submission.timeout) // the interrupt met the preparation of the session
    throw error
  } finally {
    quiet()
    engine.close()
    leave()
  }
}

/**
 * Runs one statement beside the API: no credentials, no log, no holds. Its cells are texts as the engine writes them. Names without
 * database and schema are those of SANDBOX.PUBLIC. @throws Error when it cannot be run
 */
export async function queryDirectly(house: EngineHouse, statement: string): Promise<readonly (readonly (string | null)[])[]> {
  const tokens = lex(statement)
  if (isFailure(tokens)) throw new Error(tokens.message)
  const [part] = statementsOf(statement, tokens)
  if (!part) throw new Error('There is no statement')
  const { account, database, schema, warehouse, role, user } = snowflakeCredentials
  const engine = await (await house.open()).session()
  try {
    await engine.use({ database, schema })
    if (part.verb !== 'SELECT') await house.touch('anything')
    const around = { account, database, schema, warehouse, role, user, now: Date.now() }
    return await engine.rows(translated(part, { ...around, source: statement }))
  } finally {
    engine.close()
  }
}
