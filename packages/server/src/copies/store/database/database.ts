/**
 * Common interface of both context databases, and how tables lie in them: in partitions of one server, or distributed over several machines by
 * Citus.
 */
import { fail } from 'ferrule/internal'
import type pg from 'pg'
import type { ContextStoreSettings } from './settings.ts'

/** `citus`: each table is distributed by the connector, so all rows of a connector are on one machine. */
export type TableLayout = EngineName | 'citus'

const distributedSetting = 'FERRULE_CONTEXT_DISTRIBUTED'
/** The first distributed table; the others lie beside it. */
const firstTable = 'cs_entities'

/** Number of partitions of each table of records. Partitions keep indexes small; a single session needs few. Citus has shards instead. */
const partitions: Readonly<Record<TableLayout, number>> = { embedded: 4, postgres: 16, citus: 0 }

/** Reserves room on each page for new versions of rows. An update of columns without an index then changes no index. */
const storage = 'with (fillfactor = 90)'

const isDistributed = (table: string): string => `exists (select from pg_dist_partition where logicalrelid = '"${table}"'::regclass)`

/** Builds the statement that distributes a table by connector, unless it is distributed. */
export const buildDistribution = (table: string): string =>
  `select create_distributed_table('"${table}"', 'connector_id', colocate_with => '${table === firstTable ? 'none' : firstTable}') where not ${isDistributed(table)}`

/** Builds the statement that keeps a copy of a small table on each machine, unless it is there. */
export const buildReference = (table: string): string => `select create_reference_table('"${table}"') where not ${isDistributed(table)}`

/** Lists the tables that have the rows of a table: its partitions, or itself. */
export const listLeaves = (name: string, layout: TableLayout): readonly string[] =>
  layout === 'citus' ? [name] : Array.from({ length: partitions[layout] }, (_, index) => `${name}_p${index}`)

/** Builds the statements that create a table with rows of many connectors. */
export function buildTable(name: string, columns: string, layout: TableLayout): readonly string[] {
  if (layout === 'citus') return [`create table if not exists "${name}" (${columns}) ${storage}`, buildDistribution(name)]
  const leaves = listLeaves(name, layout)
  return [
    `create table if not exists "${name}" (${columns}) partition by hash (connector_id)`,
    ...leaves.map(
      (leaf, index) =>
        `create table if not exists "${leaf}" partition of "${name}" for values with (modulus ${leaves.length}, remainder ${index}) ${storage}`,
    ),
  ]
}

/** Fits the options of a read to a layout. Citus plans the statement of one connector with its values, so no plan is kept. */
export const fitReadOptions = (layout: TableLayout, options: ReadOptions | undefined): ReadOptions | undefined =>
  layout === 'citus' ? { ...options, hasOnePlan: false } : options

const askFor = async (run: RunStatement, condition: string): Promise<boolean> =>
  (await run({ text: `select ${condition} as holds` })).rows[0]?.['holds'] === true

/**
 * Finds the layout of a database: that of its tables, else the wanted one.
 * @throws FerruleError `setting_invalid` when the tables or the server do not allow the wanted one
 */
export async function findLayout(run: RunStatement, settings: ContextStoreSettings): Promise<TableLayout> {
  if (settings.engine === 'embedded') return 'embedded'
  const { distribution: wanted = 'auto' } = settings
  const hasCitus = await askFor(run, "exists (select from pg_proc where proname = 'create_distributed_table')")
  const isFilled = await askFor(run, `to_regclass('${firstTable}') is not null`)
  if (!isFilled && hasCitus) return wanted === 'none' ? 'postgres' : 'citus'
  const found = isFilled && hasCitus && (await askFor(run, isDistributed(firstTable))) ? 'citus' : 'postgres'
  if (wanted === 'auto' || (found === 'citus') === (wanted === 'citus')) return found
  throw fail('setting_invalid', { name: distributedSetting, reason: describeRefusal({ hasCitus, found }) })
}

const describeRefusal = ({ hasCitus, found }: { hasCitus: boolean; found: TableLayout }): string => {
  if (!hasCitus)
    return 'the database has no Citus; let an administrator run `create extension citus` in it and add its workers, or leave the setting out'
  return found === 'citus'
    ? 'the tables of this database are distributed already; leave the setting out, or name another database'
    : 'the tables of this database are not distributed; name an empty database, which is filled again (/docs/scale-out), or leave the setting out'
}

type Decoder = (text: string) => string | number | bigint | boolean

const keepText: Decoder = (text) => text

/**
 * Decoders by object id of the type (`pg_type.dat`): `bool`, `int8`, `int2`, `int4`, `oid`, `float4`, `float8`. Everything else stays a
 * string, JSON included.
 */
const byType: Readonly<Record<number, Decoder>> = {
  16: (text) => text === 't',
  20: BigInt,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
}

/** Type parsers for the driver. */
export const decoders: pg.CustomTypesConfig = { getTypeParser: (type: number) => byType[type] ?? keepText }

/** Encodes values for the driver. */
export const encodeValues = (values: readonly Value[]): unknown[] =>
  values.map((value) => (typeof value === 'bigint' ? String(value) : value))

/** Purpose of a slot. Searches go first, because a client waits for them. */
export type Purpose = 'search' | 'write'

interface LaneLimits {
  readonly slots: number
  /** Maximum number of waiting requests per purpose. */
  readonly waiting: number
  /** Maximum wait in milliseconds. */
  readonly waitMs: number
  /** Maximum wait of a write, where it may wait longer: syncs side by side wait for each other, and no client waits for them. */
  readonly writeWaitMs?: number
}

interface Waiter {
  admit(): void
  refuse(reason: unknown): void
}

/** Maximum number of searches that overtake a waiting write. */
const overtakes = 4
const retryAfterMs = 1_000
const names: Readonly<Record<Purpose, string>> = { search: 'searches', write: 'writes' }

/** A queue with a limited number of slots. */
export class Lane {
  readonly #limits: LaneLimits
  readonly #waiting: Readonly<Record<Purpose, Set<Waiter>>> = { search: new Set(), write: new Set() }
  #taken = 0
  #overtaken = 0
  #writes = 0
  #closed: unknown
  readonly #empty = Promise.withResolvers<void>()

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /**
   * Waits for a slot.
   * @param signal aborts the wait, which then throws the signal's reason
   * @param mostMs maximum wait in milliseconds, where it is shorter than that of the lane
   * @returns a function that frees the slot
   * @throws FerruleError `overloaded` when too many wait or the wait was too long
   */
  async enter(purpose: Purpose, signal?: AbortSignal, mostMs = Number.POSITIVE_INFINITY): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#closed !== undefined) throw this.#closed
    if (this.#taken < this.#limits.slots) this.#taken += 1
    else await this.#wait(purpose, signal, mostMs)
    const step = purpose === 'write' ? 1 : 0
    this.#writes += step
    let left = false
    return () => {
      if (left) return
      left = true
      this.#writes += step
      this.#leave()
    }
  }

  /** Number of taken slots and of waiting requests. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#taken, waiting: this.#waiting.search.size + this.#waiting.write.size }
  }

  /** Number of begun and of ended writes. */
  get writes(): number {
    return this.#writes
  }

  /** Refuses waiting and new requests with one reason. Resolves when the last slot is free. */
  close(reason: unknown): Promise<void> {
    this.#closed = reason
    for (const waiter of [...this.#waiting.search, ...this.#waiting.write]) waiter.refuse(reason)
    if (this.#taken === 0) this.#empty.resolve()
    return this.#empty.promise
  }

  #wait(purpose: Purpose, signal: AbortSignal | undefined, mostMs: number): Promise<void> {
    const queue = this.#waiting[purpose]
    const { waiting, waitMs: usualMs, writeWaitMs = usualMs } = this.#limits
    const waitMs = Math.min(mostMs, purpose === 'write' ? writeWaitMs : usualMs)
    if (queue.size >= waiting) throw createOverloadError(`${waiting} ${names[purpose]} wait for the database of the copies already`)
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        queue.delete(waiter)
      }
      const waiter: Waiter = {
        admit: () => {
          settle()
          resolve()
        },
        refuse: (reason) => {
          settle()
          reject(reason)
        },
      }
      const aborted = (): void => waiter.refuse(signal?.reason)
      const timer = setTimeout(
        () => waiter.refuse(createOverloadError(`no slot at the database of the copies within ${countSeconds(waitMs)} seconds`)),
        waitMs,
      )
      signal?.addEventListener('abort', aborted, { once: true })
      queue.add(waiter)
    })
  }

  #leave(): void {
    const next = this.#next()
    if (next === undefined) this.#taken -= 1
    else next.admit() // the next request takes the slot over
    if (this.#closed !== undefined && this.#taken === 0) this.#empty.resolve()
  }

  #next(): Waiter | undefined {
    const [search] = this.#waiting.search
    const [write] = this.#waiting.write
    const overtake = search !== undefined && (write === undefined || this.#overtaken < overtakes)
    this.#overtaken = overtake && write !== undefined ? this.#overtaken + 1 : 0
    return overtake ? search : write
  }
}

/** Rounds milliseconds to whole seconds for a sentence; at least one. */
export const countSeconds = (ms: number): number => Math.max(1, Math.round(ms / 1_000))

/** Builds the error of work that got no slot. */
export const createOverloadError = (reason: string) => fail('overloaded', { reason }, { retryAfterMs })

/** A value of a statement. Arrays become SQL arrays; JSON is a string. */
export type Value = string | number | bigint | boolean | null | readonly (string | number | bigint | boolean | null)[]

/** SQL with its values. */
export interface Statement {
  /** Prepares the statement under this name, once per connection; one name always has the same SQL. */
  readonly name?: string | undefined
  readonly text: string
  readonly values?: readonly Value[]
  /** Rows of a `copy … from stdin` in PostgreSQL's text format, which has no name and no values. PostgreSQL only. */
  readonly copied?: string
  /** Begins a transaction with one snapshot for reading, in the same message. Such a statement has no values. PostgreSQL only. */
  readonly beginsSnapshot?: boolean
}

/** A decoded value: `int8` is a bigint; other numbers and booleans are themselves; everything else is a string, JSON included. */
export type Cell = string | number | bigint | boolean | null
/** A row by its column names. */
export type Row = Readonly<Record<string, Cell>>

/** Result of a statement. */
export interface Answer<R = Row> {
  readonly rows: readonly R[]
  /** Number of rows read or changed. */
  readonly count: number
  /** Time of the statement on its connection in milliseconds, without the wait for a slot; set by `query` and `read`. */
  readonly tookMs?: number
}

/** Limits of one statement. */
export interface QueryOptions {
  /** Aborts the statement, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Timeout in milliseconds. A read counts its wait for a slot; writes and transactions begin with their slot. */
  readonly timeoutMs?: number
  /** Timeout of the whole search, in milliseconds, when `timeoutMs` is what is left of it; errors name it. */
  readonly wholeMs?: number
  /** Hint of the timeout error, where a plain retry would not help. */
  readonly lateHint?: () => string
}

/** Limits of reading statements that take one slot. */
export interface ReadOptions extends QueryOptions {
  /**
   * True for a lookup by key, which one plan suits whatever its values. It then runs on PostgreSQL in sessions that cache the plan of a
   * named statement and avoid sequential scans. The embedded database ignores it.
   */
  readonly hasOnePlan?: boolean
  /**
   * True to read one snapshot, from the first statement on, which has no values. Such a read ends with the transaction. PostgreSQL only.
   */
  readonly isOneSnapshot?: boolean
  /** Timeout of the first statement in milliseconds, where it should be shorter. */
  readonly firstMs?: number
}

/** Runs statements one after the other on one connection, such as those of a transaction. */
export interface Session {
  query<R = Row>(statement: Statement): Promise<Answer<R>>
}

/** Runs one statement on a connection that no other work uses. */
export type RunStatement = (statement: Statement) => Promise<Answer>

/** Database of the copy: PostgreSQL, or PGlite in this process. */
export interface ContextDatabase {
  readonly engine: EngineName
  /** Counts the begun and the ended writes. While the number stays, this process has written nothing. */
  countWrites(): number
  /**
   * Runs one reading statement, in a slot of searches.
   * @throws FerruleError `overloaded`, `context_store_timeout`, `context_store_unavailable`; the signal's reason
   */
  query<R = Row>(statement: Statement, options?: ReadOptions): Promise<Answer<R>>
  /**
   * Runs reading statements in one slot of searches, within one timeout, each with a snapshot of its own.
   * @throws as `query`
   */
  read<T>(work: (session: Session) => Promise<T>, options?: ReadOptions): Promise<T>
  /**
   * Runs one short reading statement without a slot, with one plan for all values unless `hasOnePlan` is false. The caller runs one at a time.
   * @throws as `query`, but not `overloaded`
   */
  glance<R = Row>(statement: Statement, options?: QueryOptions & Pick<ReadOptions, 'hasOnePlan'>): Promise<Answer<R>>
  /**
   * Runs `work` in a transaction, in a slot of writes. Rolls back when `work` throws, and retries after a deadlock. Never wait for a
   * network in `work`.
   * @throws as `query`
   */
  transaction<T>(work: (session: Session) => Promise<T>, options?: QueryOptions): Promise<T>
  /**
   * Runs `work` on one connection outside of a transaction, in a slot of writes. Use it for schema changes, and for upkeep that cannot
   * run in a transaction. `timeoutMs` applies to each statement.
   */
  withConnection<T>(work: (run: RunStatement) => Promise<T>, options?: QueryOptions): Promise<T>
  /**
   * Runs `work` on an extra connection without a slot, where the database has one; else as `withConnection`. Use it for statements that
   * take minutes and block nobody. `timeoutMs` applies to each statement.
   */
  withOwnConnection<T>(work: (run: RunStatement) => Promise<T>, options?: QueryOptions): Promise<T>
  /** Resolves when the database answers and takes writes; an embedded one does not ask. @throws FerruleError `context_store_unavailable` */
  ready(): Promise<void>
  /** Refuses new work and waits for running work. Further calls have no effect. */
  close(): Promise<void>
}

/** Name of the database engine. */
export type EngineName = 'embedded' | 'postgres'

/** A connection that runs one statement at a time. */
export interface Connection {
  run(statement: Statement): Promise<Answer>
  /** Changes the server's own timeout of further statements; undefined restores the usual one. */
  limit(timeoutMs: number | undefined): Promise<void>
  /** Cancels the running statement. Resolves when the next statement is safe from the cancellation. */
  stop(why: 'timeout' | 'abort'): Promise<void>
  /** Releases the connection; a broken one is not reused. */
  release(broken: boolean): void
}

/** Differences between the two databases. */
export interface Engine {
  readonly name: EngineName
  readonly lanes: Readonly<Record<Purpose, Lane>>
  /** Default timeouts of a statement in milliseconds. */
  readonly limits: Readonly<Record<Purpose, number>>
  /**
   * Connects for a statement.
   * @param hasOnePlan see `ReadOptions.hasOnePlan`
   */
  connect(purpose: Purpose, hasOnePlan?: boolean): Promise<Connection>
  /** Opens a connection outside of the pools; its release closes it. */
  connectApart?(): Promise<Connection>
  /** Opens the database if needed, without a slot. */
  open?(): Promise<void>
  /** Resolves when the server answers and takes writes, within two seconds; left out where there is no server. @throws as `query` */
  ready?(): Promise<void>
  /** Called after each commit with the characters of the transaction's values. */
  onCommitted?(bytes: number): void
  close(): Promise<void>
}
