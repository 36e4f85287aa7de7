/** Defines one interface over both databases: queries, transactions, and their differences (docs/decisions/platform-state.md). */
import { type CompiledQuery, type Kysely, PostgresAdapter, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { IdSource } from '../values/ids.ts'
import { retryConflicts } from './connections/problems.ts'
import type { Tables } from './schema/schema.ts'
import type { Session } from './session.ts'

/**
 * Runs queries: the database or a transaction. Only what queries need: the compiler compares a transaction with all of Kysely at the cost of
 * 200,000 type instantiations.
 */
export type Db = Pick<Kysely<Tables>, 'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'executeQuery' | 'getExecutor'>

/** An opened database. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  readonly db: Db
  /**
   * Runs `work` in a writing transaction; rolls back when `work` throws. Never wait for a network inside. `work` runs again when another
   * transaction forced the rollback, so it changes nothing but the database.
   */
  transaction<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Like `transaction`, but exclusive across all nodes: for the schema and the first start. */
  exclusive<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  /**
   * Counts the changes of the database, by whatever process, without a query. Undefined on PostgreSQL, where nothing says so as cheaply.
   * @throws FerruleError `unavailable`
   */
  readonly countChanges?: (() => number) | undefined
  /** Resolves when the database answers and takes writes; answers within seconds. @throws FerruleError `unavailable` */
  ready(): Promise<void>
  /**
   * Opens a session that ends with this process, visible to other nodes; undefined where no session exists or it would prove nothing.
   * @throws FerruleError `unavailable`
   */
  session(source: Pick<IdSource, 'randomBytes'>): Promise<Session | undefined>
  /** Waits for running statements. A second call has no effect. */
  close(): Promise<void>
}

/** Advisory lock of this service on PostgreSQL; an arbitrary constant. */
const exclusiveLock = 7_214_995_031

/** Methods that differ between the databases. */
export type DatabaseMethods = Pick<Database, 'close' | 'ready' | 'countChanges'> & Partial<Pick<Database, 'session'>>

/** Owner and end of a lease. Times are milliseconds since 1970. */
export interface Lease {
  readonly owner: string
  readonly now: number
  readonly until: number
}

/** Builds the database over an opened Kysely. */
export function createDatabase(dialect: Database['dialect'], db: Kysely<Tables>, methods: DatabaseMethods): Database {
  const { close, ready, session, countChanges } = methods
  const transaction: Database['transaction'] = (work) => retryConflicts(() => db.transaction().execute(work))
  let closed: Promise<void> | undefined
  return {
    dialect,
    db,
    countChanges,
    transaction,
    // SQLite's transactions start as writers, so they already exclude each other.
    exclusive: (work) =>
      transaction(async (inside) => {
        if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${exclusiveLock})`.execute(inside)
        return work(inside)
      }),
    ready,
    session: async (source) => session?.(source),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

const hasRowLocks = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Locks the rows of a query against changes until the transaction ends; others may read. SQLite needs no row lock. */
export const lockShared = <DB, TB extends keyof DB, O>(db: Db, query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
  hasRowLocks(db) ? query.forShare() : query

/** Locks the rows of a query against deletion until the transaction ends; others may read and change. */
export const lockKeyShare = <DB, TB extends keyof DB, O>(db: Db, query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
  hasRowLocks(db) ? query.forKeyShare() : query

/** Locks the rows of one table of a query until the transaction ends. */
export const lockForUpdate = <DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> => (hasRowLocks(db) ? query.forUpdate(table) : query)

/** Like `lockForUpdate`, but skips rows that another transaction locks. */
export const skipLocked = <DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  ...tables: readonly (TB & string)[]
): SelectQueryBuilder<DB, TB, O> => (hasRowLocks(db) ? query.forUpdate([...tables]).skipLocked() : query)

const uniqueCodes: readonly unknown[] = ['23505', 2067, 1555]
const foreignKeyCodes: readonly unknown[] = ['23503', 787]
const codes = (error: unknown): unknown[] =>
  typeof error === 'object' && error !== null ? [Reflect.get(error, 'code'), Reflect.get(error, 'errcode')] : []

/** Returns whether a row with the same unique values exists. */
export const isUniqueViolation = (error: unknown): boolean => codes(error).some((code) => uniqueCodes.includes(code))
/** Returns whether a referenced row is missing, or a referenced row was to be deleted. */
export const isForeignKeyViolation = (error: unknown): boolean => codes(error).some((code) => foreignKeyCodes.includes(code))

/** Binds other values to a compiled query. */
export const withValues = <R>(query: CompiledQuery<R>, ...parameters: readonly unknown[]): CompiledQuery<R> => ({ ...query, parameters })

const names = new Map<string, string>()

/**
 * Names a frequent statement. PostgreSQL then plans it once per connection, which saves two thirds of its time. The statement must list its
 * columns, because a named `select *` fails after a migration by a newer node.
 */
export function named<R>(name: string, query: CompiledQuery<R>): CompiledQuery<R> {
  names.set(query.sql, name)
  return query
}

/** Returns the name of a statement; undefined for an unnamed one. */
export const getStatementName = (text: string): string | undefined => names.get(text)
