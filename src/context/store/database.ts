/** One view of both context databases: statements with a time limit, transactions, and one way to decode values. */
import { fail } from '../../errors.ts'
import type { Lane, Purpose } from './lane.ts'
import { isPassing, isTimeout, translated } from './problems.ts'

/** A value of a statement. Arrays become arrays of the database; JSON is given as text. */
export type Value = string | number | bigint | boolean | null | readonly (string | number | bigint | boolean | null)[]

/** SQL with its values. */
export interface Statement {
  /** Prepares the statement once for each connection under this name; one name always has the same text. */
  readonly name?: string
  readonly text: string
  readonly values?: readonly Value[]
}

/** A decoded value: `int8` is a bigint, other numbers and truth values are themselves, everything else is the database's text (JSON too). */
export type Cell = string | number | bigint | boolean | null
/** A row by its column names. */
export type Row = Readonly<Record<string, Cell>>

/** What a statement answered. */
export interface Answer<R = Row> {
  readonly rows: readonly R[]
  /** Rows that were read or changed. */
  readonly count: number
  /** Milliseconds of the statement on its connection, without the wait for a turn; told by `ContextDatabase.query`. */
  readonly tookMs?: number
}

/** Limits of one statement. */
export interface QueryOptions {
  /** Gives the statement up; its reason is thrown. */
  readonly signal?: AbortSignal | undefined
  /** Longest run in milliseconds, of a transaction as a whole, without the wait for a turn. */
  readonly timeoutMs?: number
  /** What its caller can do when it takes too long, where that is another thing than to try again. */
  readonly lateHint?: string
}

/** Statements of one transaction. */
export interface Session {
  query<R = Row>(statement: Statement): Promise<Answer<R>>
}

/** Runs one statement on a connection that nobody else uses at the moment. */
export type Run = (statement: Statement) => Promise<Answer>

/** The database of the copy: PostgreSQL, or PGlite in this process. */
export interface ContextDatabase {
  readonly engine: EngineName
  /**
   * Runs one statement that reads, in the turns of the searches.
   * @throws FerruleError `overloaded`, `context_store_timeout`, `context_store_unavailable`; the signal's reason
   */
  query<R = Row>(statement: Statement, options?: QueryOptions): Promise<Answer<R>>
  /**
   * Runs `work` in a transaction, in the turns of the writes; it is rolled back when `work` throws. After a deadlock it runs again.
   * Never wait for a network inside.
   * @throws as `query`
   */
  transaction<T>(work: (session: Session) => Promise<T>, options?: QueryOptions): Promise<T>
  /**
   * Gives `work` one connection in the turns of the writes, outside of a transaction: for changes of the schema, and for upkeep that no
   * transaction may hold. `timeoutMs` is for each statement.
   */
  pinned<T>(work: (run: Run) => Promise<T>, options?: QueryOptions): Promise<T>
  /**
   * Gives `work` a connection of its own beside all turns, where the database has one to give; else as `pinned`. For statements that
   * take minutes and keep nobody waiting. `timeoutMs` is for each statement.
   */
  apart<T>(work: (run: Run) => Promise<T>, options?: QueryOptions): Promise<T>
  /** Refuses new work, and waits for what runs. A second call does nothing more. */
  close(): Promise<void>
}

/** Which database it is. */
export type EngineName = 'embedded' | 'postgres'

/** A connection that one statement after the other runs on. */
export interface Connection {
  run(statement: Statement): Promise<Answer>
  /** Ends the statement that runs. Resolves when the next one cannot be hit any more. */
  stop(why: 'timeout' | 'abort'): Promise<void>
  /** Gives the connection back; a broken one is not used again. */
  release(broken: boolean): void
}

/** What differs between the two databases. */
export interface Engine {
  readonly name: EngineName
  readonly lanes: Readonly<Record<Purpose, Lane>>
  /** Milliseconds of one statement when nothing else is said. */
  readonly limits: Readonly<Record<Purpose, number>>
  connect(purpose: Purpose): Promise<Connection>
  /** A connection that is not one of the turns'; its release closes it. */
  connectApart?(): Promise<Connection>
  /** Opens the database when it is not open, without a turn. */
  ready?(): Promise<void>
  /** What a transaction has written was committed. */
  committed?(bytes: number): void
  close(): Promise<void>
}

/** Times that a transaction runs at most. */
const attempts = 3

/** Runs a statement within its time. */
async function bounded(connection: Connection, statement: Statement, limits: QueryOptions & { readonly timeoutMs: number }) {
  const { timeoutMs, signal } = limits
  let given: unknown
  let stopping: Promise<void> | undefined
  const stop = (why: 'timeout' | 'abort', reason: unknown): void => {
    if (stopping !== undefined) return
    given = reason
    stopping = connection.stop(why)
  }
  const aborted = (): void => stop('abort', signal?.reason)
  const timer = setTimeout(() => stop('timeout', tooSlow(limits)), timeoutMs)
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    const answer = await connection.run(statement)
    signal?.throwIfAborted()
    return answer
  } catch (thrown) {
    throw given ?? (isTimeout(thrown) ? tooSlow(limits, thrown) : thrown)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
    await stopping
  }
}

/** Runs a statement and tells how long it took. The caller names the shape of the rows that its own statement selects. */
async function timed<R>(connection: Connection, what: Statement, limits: QueryOptions & { readonly timeoutMs: number }) {
  const begin = performance.now()
  const answer = await bounded(connection, what, limits)
  return { ...(answer as Answer<R>), tookMs: performance.now() - begin }
}

const tooSlow = ({ timeoutMs, lateHint: hint }: Pick<QueryOptions, 'lateHint'> & { readonly timeoutMs: number }, cause?: unknown) => {
  const details = { ...(hint === undefined ? {} : { hint }), ...(cause === undefined ? {} : { cause }) }
  return fail('context_store_timeout', { seconds: timeoutMs / 1_000 }, details)
}

const sizeOf = ({ values = [] }: Statement): number => values.reduce<number>((sum, value) => sum + lengthOf(value), 0)
const lengthOf = (value: Value): number =>
  typeof value === 'string' ? value.length : Array.isArray(value) ? value.reduce<number>((sum, each) => sum + lengthOf(each), 0) : 8

/** Builds a database over an engine. */
export function databaseOf(engine: Engine): ContextDatabase {
  let closed: Promise<void> | undefined
  const turn = async <T>(purpose: Purpose, signal: AbortSignal | undefined, work: (connection: Connection) => Promise<T>): Promise<T> => {
    const leave = await engine.lanes[purpose].enter(purpose, signal)
    try {
      return await held(await engine.connect(purpose), work)
    } catch (thrown) {
      throw translated(thrown)
    } finally {
      leave()
    }
  }
  const beside = async <T>(signal: AbortSignal | undefined, work: (connection: Connection) => Promise<T>): Promise<T> => {
    if (engine.connectApart === undefined) return turn('write', signal, work)
    try {
      signal?.throwIfAborted()
      return await held(await engine.connectApart(), work)
    } catch (thrown) {
      throw translated(thrown)
    }
  }
  return {
    engine: engine.name,
    query: <R>(what: Statement, options: QueryOptions = {}) => {
      const limits = { timeoutMs: engine.limits.search, ...options }
      return turn('search', options.signal, (connection) => timed<R>(connection, what, limits))
    },
    pinned: (work, { signal, timeoutMs = engine.limits.write } = {}) =>
      turn('write', signal, (connection) => lifted(connection, { signal, timeoutMs, usual: engine.limits.write }, work)),
    apart: (work, { signal, timeoutMs = engine.limits.write } = {}) => {
      const limits = { signal, timeoutMs, usual: engine.limits.write }
      return beside(signal, (connection) => lifted(connection, limits, work))
    },
    transaction: (work, options = {}) =>
      repeated(() => turn('write', options.signal, (connection) => transact({ engine, connection, options }, work))),
    close: () => {
      closed ??= (async () => {
        const reason = fail('context_store_unavailable', {})
        await Promise.all([engine.lanes.search.close(reason), engine.lanes.write.close(reason)])
        await engine.close()
      })()
      return closed
    },
  }
}

/** Lifts the server's own limit while statements may run longer than usual. */
async function lifted<T>(
  connection: Connection,
  { signal, timeoutMs, usual }: QueryOptions & { readonly timeoutMs: number; readonly usual: number },
  work: (run: Run) => Promise<T>,
): Promise<T> {
  if (timeoutMs > usual) await connection.run({ text: `set statement_timeout = ${Math.ceil(timeoutMs)}` })
  const result = await work((statement) => bounded(connection, statement, { signal, timeoutMs }))
  if (timeoutMs > usual) await connection.run({ text: 'reset statement_timeout' })
  return result
}

/** Gives the connection back, whatever happens. */
async function held<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
  let broken = true
  try {
    const result = await work(connection)
    broken = false
    return result
  } catch (thrown) {
    broken = isPassing(thrown)
    throw thrown
  } finally {
    connection.release(broken)
  }
}

async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (thrown) {
      if (attempt >= attempts || !isConflict(thrown)) throw thrown
    }
  }
}

/** Serialisation failure and deadlock: the same work can succeed at once. */
const isConflict = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && ['40001', '40P01'].includes(String(Reflect.get(thrown, 'code')))

interface Transacting {
  readonly engine: Engine
  readonly connection: Connection
  readonly options: QueryOptions
}

async function transact<T>({ engine, connection, options }: Transacting, work: (session: Session) => Promise<T>): Promise<T> {
  const timeoutMs = options.timeoutMs ?? engine.limits.write
  const end = performance.now() + timeoutMs
  let bytes = 0
  const run = (what: Statement): Promise<Answer> => {
    const left = end - performance.now()
    if (left <= 0) throw tooSlow({ timeoutMs })
    return bounded(connection, what, { signal: options.signal, timeoutMs: left })
  }
  const session: Session = {
    // The caller names the shape of the rows that its own statement selects.
    query: async <R>(what: Statement) => {
      bytes += sizeOf(what)
      return (await run(what)) as Answer<R>
    },
  }
  await run({ text: 'begin' })
  try {
    const result = await within(timeoutMs, work(session))
    await run({ text: 'commit' })
    engine.committed?.(bytes)
    return result
  } catch (thrown) {
    await connection.run({ text: 'rollback' }).catch(() => undefined) // a broken connection has rolled back
    throw thrown
  }
}

/** For work that waits for something else than the database. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow({ timeoutMs })), timeoutMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
