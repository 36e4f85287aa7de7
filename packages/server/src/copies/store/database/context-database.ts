/** Runs statements and transactions of both context databases within their timeouts and slots. */
import { fail, inSpan } from 'ferrule/internal'
import { isConflict, isServerFault, isTimeout, readErrorCode, retryConflicts } from '../../../db/connections/problems.ts'
import { describeRows, describeStatement } from '../../../db/statement-span.ts'
import { within } from '../../../values/within.ts'
import {
  type Answer,
  type Connection,
  type ContextDatabase,
  countSeconds,
  createOverloadError,
  type Engine,
  type Purpose,
  type QueryOptions,
  type ReadOptions,
  type RunStatement,
  type Session,
  type Statement,
  type Value,
} from './database.ts'
import type { SetAsideDatabase } from './embedded/folder.ts'
import { hasCode, translateError, unavailable } from './problems.ts'
import type { ContextStoreSettings } from './settings.ts'

interface Limits extends QueryOptions {
  readonly timeoutMs: number
  /** Time that is left of the timeout, when it covers more than the statement; default: all of it. */
  readonly leftMs?: number
}

/** Runs a statement within its timeout, in a span. */
const runBounded = (connection: Connection, statement: Statement, limits: Limits): Promise<Answer> =>
  inSpan(
    () => ({ ...describeStatement('postgresql', statement.text), signal: limits.signal }),
    async (span) => {
      const answer = await runInTime(connection, statement, limits)
      span?.set(describeRows(answer.count))
      return answer
    },
  )

async function runInTime(connection: Connection, statement: Statement, limits: Limits): Promise<Answer> {
  const { timeoutMs, leftMs = timeoutMs, signal } = limits
  let given: unknown
  let stopping: Promise<void> | undefined
  const stop = (why: 'timeout' | 'abort', reason: unknown): void => {
    if (stopping !== undefined) return
    given = reason
    stopping = connection.stop(why)
  }
  const aborted = (): void => stop('abort', signal?.reason)
  const timer = setTimeout(() => stop('timeout', createTimeoutError(limits)), leftMs)
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    const answer = await connection.run(statement)
    signal?.throwIfAborted()
    return answer
  } catch (thrown) {
    throw given ?? (isTimeout(thrown) ? createTimeoutError(limits, thrown) : translateLack(thrown, limits))
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
    await stopping
  }
}

type ReaderOptions = Limits & Pick<ReadOptions, 'isOneSnapshot' | 'firstMs'>

/** Runs reading statements that share a timeout, and measures the time of each. */
function createReader(connection: Connection, { isOneSnapshot = false, firstMs, ...options }: ReaderOptions): Session {
  const end = performance.now() + (options.leftMs ?? options.timeoutMs)
  let isFirst = true
  return {
    // The caller declares the shape of the rows that its statement selects.
    query: async <R>(what: Statement) => {
      const begin = performance.now()
      if (end <= begin) throw createTimeoutError(options)
      const leftMs = isFirst && firstMs !== undefined ? Math.min(firstMs, end - begin) : end - begin
      const statement = isFirst && isOneSnapshot ? { ...what, beginsSnapshot: true } : what
      isFirst = false
      const answer = await runBounded(connection, statement, { ...options, leftMs })
      return { ...(answer as Answer<R>), tookMs: performance.now() - begin }
    },
  }
}

/** Runs reading statements, and ends their transaction if they read one snapshot. */
async function readWith<T>(connection: Connection, options: ReaderOptions, work: (session: Session) => Promise<T>): Promise<T> {
  const reader = createReader(connection, options)
  if (options.isOneSnapshot !== true) return work(reader)
  try {
    const result = await work(reader)
    await connection.run({ text: 'commit' })
    return result
  } catch (thrown) {
    await connection.run({ text: 'rollback' }).catch(() => undefined) // a broken connection has rolled back
    throw thrown
  }
}

const createTimeoutError = (
  { timeoutMs, wholeMs = timeoutMs, lateHint }: Pick<Limits, 'timeoutMs' | 'wholeMs' | 'lateHint'>,
  cause?: unknown,
) => {
  const details = { hint: lateHint?.(), cause }
  return fail('context_store_timeout', { seconds: countSeconds(wholeMs) }, details)
}

/** `out_of_memory`, and `configuration_limit_exceeded`: `temp_file_limit`. */
const lacks: readonly string[] = ['53200', '53400']

/** Says of a search that needs too much memory or space what would help. Statements without a hint were not sent by a client. */
const translateLack = (thrown: unknown, { lateHint }: Pick<Limits, 'lateHint'>): unknown =>
  lateHint !== undefined && lacks.includes(readErrorCode(thrown))
    ? fail(
        'query_too_complex',
        { reason: 'the database of the copies has too little memory or space for it' },
        { hint: lateHint(), cause: thrown },
      )
    : thrown

/** Builds the error of a search that had too little time left after its wait: another filter would not have helped. */
const createWaitError = (waitedMs: number, timeoutMs: number) =>
  createOverloadError(
    `a search waited ${countSeconds(waitedMs)} of its ${countSeconds(timeoutMs)} seconds for a slot at the database of the copies`,
  )

const countCharacters = ({ values = [] }: Statement): number => values.reduce<number>((sum, value) => sum + countValueCharacters(value), 0)
const countValueCharacters = (value: Value): number =>
  typeof value === 'string'
    ? value.length
    : Array.isArray(value)
      ? value.reduce<number>((sum, each) => sum + countValueCharacters(each), 0)
      : 8

interface Slot {
  readonly purpose: Purpose
  readonly signal: AbortSignal | undefined
  readonly hasOnePlan?: boolean | undefined
  /** Maximum wait in milliseconds; left out: that of the lane. */
  readonly waitMs?: number
}

/** Creates a database from an engine. */
export function createContextDatabase(engine: Engine): ContextDatabase {
  let closed: Promise<void> | undefined
  const hold = async <T>({ purpose, signal, hasOnePlan, waitMs }: Slot, work: (connection: Connection) => Promise<T>): Promise<T> => {
    const leave = await engine.lanes[purpose].enter(purpose, signal, waitMs)
    try {
      return await useConnection(await engine.connect(purpose, hasOnePlan), work)
    } catch (thrown) {
      throw translateError(thrown)
    } finally {
      leave()
    }
  }
  const beside = async <T>(signal: AbortSignal | undefined, work: (connection: Connection) => Promise<T>): Promise<T> => {
    if (engine.connectApart === undefined) return hold({ purpose: 'write', signal }, work)
    try {
      signal?.throwIfAborted()
      return await useConnection(await engine.connectApart(), work)
    } catch (thrown) {
      throw translateError(thrown)
    }
  }
  const read: ContextDatabase['read'] = async (work, { hasOnePlan, ...options } = {}) => {
    const { timeoutMs = engine.limits.search, signal } = options
    const asked = performance.now()
    let waitedMs = 0
    try {
      return await hold({ purpose: 'search', signal, hasOnePlan, waitMs: timeoutMs }, (connection) => {
        waitedMs = performance.now() - asked
        return readWith(connection, { ...options, timeoutMs, leftMs: timeoutMs - waitedMs }, work)
      })
    } catch (thrown) {
      throw hasCode(thrown, 'context_store_timeout') && waitedMs > timeoutMs / 2 ? createWaitError(waitedMs, timeoutMs) : thrown
    }
  }
  return {
    engine: engine.name,
    countWrites: () => engine.lanes.write.writes,
    read,
    query: <R>(what: Statement, options?: ReadOptions) => read((session) => session.query<R>(what), options),
    glance: (what, options) => glanceAt(engine, what, options),
    withConnection: (work, { signal, timeoutMs = engine.limits.write } = {}) =>
      hold({ purpose: 'write', signal }, (connection) =>
        runWithOwnLimit(connection, { signal, timeoutMs, usual: engine.limits.write }, work),
      ),
    withOwnConnection: (work, { signal, timeoutMs = engine.limits.write } = {}) => {
      const limits = { signal, timeoutMs, usual: engine.limits.write }
      return beside(signal, (connection) => runWithOwnLimit(connection, limits, work))
    },
    transaction: (work, options = {}) =>
      retryConflicts(() =>
        hold({ purpose: 'write', signal: options.signal }, (connection) => runTransaction({ engine, connection, options }, work)),
      ).catch((thrown: unknown) => {
        throw isConflict(thrown) ? unavailable(thrown) : thrown
      }),
    ready: async () => engine.ready?.(),
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

async function glanceAt<R>(
  engine: Engine,
  what: Statement,
  { hasOnePlan = true, ...options }: QueryOptions & Pick<ReadOptions, 'hasOnePlan'> = {},
): Promise<Answer<R>> {
  try {
    const limits = { timeoutMs: engine.limits.search, ...options }
    return await useConnection(await engine.connect('search', hasOnePlan), (connection) => createReader(connection, limits).query<R>(what))
  } catch (thrown) {
    throw translateError(thrown)
  }
}

/** Runs `work` without the server's own timeout where statements may run longer than usual. */
async function runWithOwnLimit<T>(
  connection: Connection,
  { signal, timeoutMs, usual }: QueryOptions & { readonly timeoutMs: number; readonly usual: number },
  work: (run: Connection['run']) => Promise<T>,
): Promise<T> {
  if (timeoutMs > usual) await connection.limit(timeoutMs)
  const result = await work((statement) => runBounded(connection, statement, { signal, timeoutMs }))
  if (timeoutMs > usual) await connection.limit(undefined)
  return result
}

/** Runs `work` and always releases the connection. */
async function useConnection<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
  let broken = true
  try {
    const result = await work(connection)
    broken = false
    return result
  } catch (thrown) {
    broken = isServerFault(thrown, false)
    throw thrown
  } finally {
    connection.release(broken)
  }
}

interface Transacting {
  readonly engine: Engine
  readonly connection: Connection
  readonly options: QueryOptions
}

async function runTransaction<T>({ engine, connection, options }: Transacting, work: (session: Session) => Promise<T>): Promise<T> {
  const timeoutMs = options.timeoutMs ?? engine.limits.write
  const end = performance.now() + timeoutMs
  let bytes = 0
  const run = (what: Statement): Promise<Answer> => {
    const leftMs = end - performance.now()
    if (leftMs <= 0) throw createTimeoutError({ timeoutMs })
    return runBounded(connection, what, { signal: options.signal, timeoutMs, leftMs })
  }
  const session: Session = {
    // The caller declares the shape of the rows that its statement selects.
    query: async <R>(what: Statement) => {
      bytes += countCharacters(what)
      return (await run(what)) as Answer<R>
    },
  }
  await run({ text: 'begin' })
  try {
    const result = await raceTimeout(timeoutMs, work(session))
    await run({ text: 'commit' })
    engine.onCommitted?.(bytes)
    return result
  } catch (thrown) {
    await connection.run({ text: 'rollback' }).catch(() => undefined) // a broken connection has rolled back
    throw thrown
  }
}

/** Adds the timeout to work that may wait for something else than the database. */
const raceTimeout = <T>(timeoutMs: number, work: Promise<T>): Promise<T> =>
  within(timeoutMs, work, () => {
    throw createTimeoutError({ timeoutMs })
  })

/** Counts taken slots and waiting requests of an engine, over searches and writes. */
export function sumLoad(engine: Engine | undefined): { readonly running: number; readonly waiting: number } {
  const lanes = new Set(Object.values(engine?.lanes ?? {}))
  const sum = (what: 'running' | 'waiting'): number => [...lanes].reduce((total, lane) => total + lane.load[what], 0)
  return { running: sum('running'), waiting: sum('waiting') }
}

/** Timeout of a write, and maximum wait for a slot, in milliseconds. */
const writeMs = 60_000
/** Time that a cancelled statement of the primary has to end before its connection is cut, in milliseconds. Nothing answers instead of it. */
const cutMs = 5_000

interface EngineOptions {
  /** Runs after each opening of the database. */
  readonly prepare: (run: RunStatement) => Promise<void>
  readonly onSetAside: (aside: SetAsideDatabase) => void
  readonly onUpkeepError: ((error: unknown) => void) | undefined
  readonly clock: () => number
}

/** Creates the engine that the settings select. */
export async function createEngine(settings: ContextStoreSettings, parts: EngineOptions): Promise<Engine> {
  const { prepare, onSetAside, onUpkeepError, clock } = parts
  const limits = { waiting: settings.waiting, searchMs: settings.searchSeconds * 1_000, writeMs, prepare }
  if (settings.engine === 'embedded') {
    const { Embedded } = await import('./embedded/embedded.ts')
    const { folder, memoryMb } = settings
    return new Embedded({ ...limits, folder, memoryMb, onSetAside, onUpkeepError, clock })
  }
  const { createPostgresEngine } = await import('./postgres.ts')
  const { url, password, searches, writers } = settings
  return createPostgresEngine({ ...limits, url, password, searches, writers, cutMs })
}
