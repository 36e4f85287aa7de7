import { resultTable, type Translation } from './dialect.ts'
import type { EngineHouse, EngineSession } from './engine.ts'
import { type Failure, failure } from './failures.ts'
import type { HoldMoment, Holds } from './holds.ts'
import { placeOf, type StatementPart, type Token, unmarked, writtenName } from './lexer.ts'
import type { Session, Submission } from './sessions.ts'
import { abortFailure, type ExecutedLog, type ExecutedStatement, type Gate, type Statement, type StatementStore } from './statements.ts'
import type { SnowflakeSwitches } from './switches.ts'
import { snowflakeCredentials } from './tokens.ts'

interface FailedRun {
  readonly source: string
  readonly tokens: readonly Token[]
  readonly verb: string
  readonly database: string | undefined
  readonly schema: string | undefined
}

/** Returns where a name or symbol stands in the statement; its beginning when it cannot be found. */
function place({ source, tokens }: FailedRun, text: string): string {
  const wanted = text.split('.').at(-1)
  const token = tokens.find((each) => each.text === wanted) ?? tokens.find((each) => each.text.toUpperCase() === wanted?.toUpperCase())
  return placeOf(source, token?.start ?? tokens[0]?.start ?? 0)
}

const written = (name: string): string =>
  name
    .split('.')
    .map((part) => writtenName(part.replaceAll('"', '')))
    .join('.')

function syntax(run: FailedRun, near: string): Failure {
  const unexpected = near === 'end of input' ? '<EOF>' : near
  const where = near === 'end of input' ? placeOf(run.source, run.tokens.at(-1)?.end ?? 0) : place(run, near)
  return failure('syntax', `SQL compilation error:\nsyntax error ${where} unexpected '${unexpected}'.`)
}

function identifier(run: FailedRun, name: string): Failure {
  const where = place(run, name)
  return failure('identifier', `SQL compilation error: error ${where}\ninvalid identifier '${written(name)}'`)
}

/** Returns the refusal of a missing table; the vendor first says that there is no current database or schema. */
function missing(run: FailedRun, name: string): Failure {
  const { verb, database, schema } = run
  const full = [...(name.includes('.') ? [] : [database, schema]), ...name.split('.')].filter((part) => part !== undefined)
  if (!name.includes('.') && database === undefined) return lacking('noDatabase', verb)
  if (!name.includes('.') && schema === undefined) return lacking('noSchema', verb)
  const kind = verb === 'DROP' ? 'Table' : 'Object'
  return failure('noTable', `SQL compilation error:\n${kind} '${full.map(written).join('.')}' does not exist or not authorized.`)
}

const lacking = (name: 'noDatabase' | 'noSchema', verb: string): Failure =>
  failure(name, `Cannot perform ${verb}. ${failure(name).message}`)

/** Messages of the engine, and what the vendor says instead; the first that fits counts. */
const meanings: readonly { readonly form: RegExp; readonly says: (run: FailedRun, found: readonly string[]) => Failure }[] = [
  { form: /^Parser Error: syntax error at (?:or near "(.+)"|(end of input))/m, says: (run, [near = '', end]) => syntax(run, end ?? near) },
  { form: /^Parser Error: (.*)/, says: (run) => syntax(run, run.tokens[0]?.text ?? '') },
  { form: /(?:does not have a column (?:named|with name)|Referenced column) "([^"]+)"/, says: (run, [name = '']) => identifier(run, name) },
  { form: /Referenced table "([^"]+)" not found/, says: (run, [name = '']) => identifier(run, name) },
  {
    form: /^Catalog Error: (?:Table|View) with name "?([^"]+?)"? does not exist(?:!| because)/,
    says: (run, [name = '']) => missing(run, name),
  },
  {
    form: /^(?:Binder|Catalog) Error: (?:Catalog|Schema) (?:with name )?"?([^"]+?)"? does not exist/,
    says: (_run, [name = '']) => failure('noObject', `SQL compilation error:\n'${written(name)}' does not exist or not authorized.`),
  },
  {
    form: /^Catalog Error: (?:Scalar|Aggregate|Table|Macro|Scalar Macro|Table Macro)? ?Function with name "?([^"\s]+)"? does not exist/,
    says: (_run, [name = '']) => failure('unknownFunction', `SQL compilation error:\nUnknown function ${name.toUpperCase()}.`),
  },
  {
    form: /^Catalog Error: (?:Table|View|Schema) with name "?([^"]+?)"? already exists/,
    says: (_run, [name = '']) => failure('exists', `SQL compilation error:\nObject '${written(name)}' already exists.`),
  },
  { form: /^Catalog Error: (.*)/, says: (run, [text = '']) => missing(run, /"?([\w$. ]+)"?/.exec(text)?.[1] ?? text) },
  {
    form: /has (\d+) columns but (\d+) values were supplied/,
    says: (_run, [columns, values]) =>
      failure('columnCount', `SQL compilation error:\nInsert value list does not match column list expecting ${columns} but got ${values}`),
  },
  {
    form: /NOT NULL constraint failed: \S*?([^.\s]+)$/m,
    says: (_run, [name = '']) => failure('notNull', `NULL result in a non-nullable column '${written(name)}'`),
  },
  {
    form: /Could not convert string '([\s\S]*?)' to (?:U?INT|DOUBLE|FLOAT|DECIMAL)/,
    says: (_run, [value]) => failure('conversion', `Numeric value '${value}' is not recognized`),
  },
  { form: /^Conversion Error: (.*)/, says: (_run, [text]) => failure('conversion', `Value is not recognized: ${text}`) },
  { form: /[Dd]ivision by zero/, says: () => failure('divisionByZero') },
  {
    form: /^(?:Not implemented|Permission) Error: (.*)/i,
    says: (_run, [text]) => failure('unsupported', `Unsupported feature: ${text}`),
  },
  { form: /^Binder Error: (.*)/, says: (_run, [text]) => failure('syntax', `SQL compilation error:\n${text}`) },
  { form: /(.*)/, says: (_run, [text]) => failure('internal', `SQL execution internal error:\n${text}`) },
]

function failureOf(error: unknown, run: FailedRun): Failure {
  const message = unmarked(error instanceof Error ? error.message : String(error))
  for (const { form, says } of meanings) {
    const found = form.exec(message)
    if (found) return says(run, found.slice(1))
  }
  return failure('internal')
}

/** What statements run with. */
export interface RunEnvironment {
  readonly house: EngineHouse
  readonly holds: Holds
  readonly executed: ExecutedLog
  readonly store: StatementStore
  /** How many statements run at a time. */
  readonly slots: Gate
  /** One statement at a time changes rows that are there; inserts do not wait for each other. */
  readonly writes: Gate
  readonly switches: () => SnowflakeSwitches
  readonly clock: () => number
}

/** One submission while it runs. */
export interface StatementRun extends RunEnvironment {
  /** The text that is run: what was submitted, or a text inside of it. */
  readonly source: string
  readonly submission: Submission
  readonly session: Session
  readonly statement: Statement
  readonly engine: EngineSession
  /** True among several statements, where a session lives long enough for transactions and USE. */
  readonly several: boolean
  /** A transaction that the text itself has begun. */
  transaction: boolean
}

/** Logs the beginning of a part. @returns a function that logs its end */
export function logged(run: StatementRun, part: StatementPart): (outcome: ExecutedStatement['outcome'], rows?: number) => void {
  const { statement, session, submission } = run
  const { user, role, database, schema, warehouse } = session
  const within = { user, role, database, schema, warehouse, queryTag: submission.parameters['QUERY_TAG'] }
  const { handle, requestId } = statement
  return run.executed.begin({ at: run.clock(), handle, requestId, statement: part.text, verb: part.verb, ...within })
}

/** Waits where a hold wants it. @returns how the statement fails then; undefined when it continues */
export async function standing(
  run: Pick<StatementRun, 'holds' | 'statement' | 'submission'>,
  moment: HoldMoment,
): Promise<Failure | undefined> {
  const { statement, submission } = run
  const { signal } = statement
  const held = (answer: string) => (answer === 'accepted' ? statement.accept() : undefined)
  const failed = await run.holds.pass({ text: submission.statement, moment, signal, held })
  return failed ?? (signal.aborted ? abortFailure(signal, submission.timeout) : undefined)
}

/** One part of a chain while it runs. */
export interface PartRun {
  readonly run: StatementRun
  readonly part: StatementPart
  /** Position in its chain. */
  readonly index: number
  /** Its result is that of the chain. */
  readonly last: boolean
}

/** Returns the names and settings that translate a part. */
export function translationOf({ run, index }: PartRun): Translation {
  const { user, role, database, schema, warehouse } = run.session
  const account = snowflakeCredentials.account.toUpperCase()
  const session = { user, role, database, schema, warehouse, account }
  return { ...session, now: run.clock(), source: run.source, earlier: (back) => resultTable(index - back) }
}

/** Returns what the vendor says of a failure: that the statement was ended, or what the engine complained of. */
export function failed({ run, part }: PartRun, error: unknown): Failure {
  const { signal } = run.statement
  if (signal.aborted) return abortFailure(signal, run.submission.timeout)
  const { database, schema } = run.session
  return failureOf(error, { source: run.source, tokens: part.tokens, verb: part.verb, database, schema })
}

/** Returns how the log calls the end of a failed part. */
export function endOf({ run }: PartRun): 'failed' | 'canceled' | 'timed_out' {
  const { aborted, reason } = run.statement.signal
  if (!aborted) return 'failed'
  return reason === 'timeout' ? 'timed_out' : 'canceled'
}
