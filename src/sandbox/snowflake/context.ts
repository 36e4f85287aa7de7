import { resultTable, type Translation } from './dialect.ts'
import type { EngineHouse, EngineSession } from './engine.ts'
import { failureOf } from './engine-failures.ts'
import type { ExecutedLog, ExecutedStatement } from './executed.ts'
import type { Failure } from './failures.ts'
import type { HoldMoment, Holds } from './holds.ts'
import type { Gate } from './queue.ts'
import type { Part } from './script.ts'
import type { Session } from './sessions.ts'
import type { Statement, StatementStore } from './statements.ts'
import { abortFailure } from './statements.ts'
import type { Submission } from './submissions.ts'
import type { SnowflakeSwitches } from './switches.ts'
import { snowflakeCredentials } from './tokens.ts'

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
export interface Run extends RunEnvironment {
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

/** Tells the log that a part begins. @returns tells how it ended */
export function logged(run: Run, part: Part): (outcome: ExecutedStatement['outcome'], rows?: number) => void {
  const { statement, session, submission } = run
  const { user, role, database, schema, warehouse } = session
  const place = { user, role, database, schema, warehouse, queryTag: submission.parameters['QUERY_TAG'] }
  const { handle, requestId } = statement
  return run.executed.begin({ at: run.clock(), handle, requestId, statement: part.text, verb: part.verb, ...place })
}

/** Waits where a hold wants it. @returns how the statement fails then; undefined when it goes on */
export async function standing(run: Pick<Run, 'holds' | 'statement' | 'submission'>, moment: HoldMoment): Promise<Failure | undefined> {
  const { statement, submission } = run
  const { signal } = statement
  const held = (answer: string) => (answer === 'accepted' ? statement.accept() : undefined)
  const failed = await run.holds.pass({ text: submission.statement, moment, signal, held })
  return failed ?? (signal.aborted ? abortFailure(signal, submission.timeout) : undefined)
}

/** One part of a chain while it runs. */
export interface PartRun {
  readonly run: Run
  readonly part: Part
  /** Position in its chain. */
  readonly index: number
  /** Its result is that of the chain. */
  readonly last: boolean
}

/** What a part is translated with. */
export function translationOf({ run, index }: PartRun): Translation {
  const { user, role, database, schema, warehouse } = run.session
  const account = snowflakeCredentials.account.toUpperCase()
  const place = { user, role, database, schema, warehouse, account }
  return { ...place, now: run.clock(), source: run.source, earlier: (back) => resultTable(index - back) }
}

/** What the vendor says of a failure: that the statement was ended, or what the engine complained of. */
export function failed({ run, part }: PartRun, error: unknown): Failure {
  const { signal } = run.statement
  if (signal.aborted) return abortFailure(signal, run.submission.timeout)
  const { database, schema } = run.session
  return failureOf(error, { source: run.source, tokens: part.tokens, verb: part.verb, database, schema })
}

/** How the log calls the end of a failed part. */
export function endOf({ run }: PartRun): 'failed' | 'canceled' | 'timed_out' {
  const { aborted, reason } = run.statement.signal
  if (!aborted) return 'failed'
  return reason === 'timeout' ? 'timed_out' : 'canceled'
}
