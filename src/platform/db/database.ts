/** One view of both databases: queries, transactions, and what differs between them. */
import { type CompiledQuery, type Kysely, PostgresAdapter, type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { IdSource } from '../ids.ts'
import type { Tables } from './schema.ts'
import type { Session } from './session.ts'

/** Where a query runs: the database or a transaction. */
export type Db = Kysely<Tables>

/** An opened database. */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres'
  readonly db: Db
  /** Runs `work` in a transaction that writes; it is rolled back when `work` throws. Never wait for a network inside. */
  transaction<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  /** As `transaction`, one at a time over all nodes: for the schema and the first start. */
  exclusive<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Resolves when the database answers and can be written, as far as is known. @throws FerruleError `unavailable` */
  ready(): Promise<void>
  /**
   * Opens a session that ends with this process, for others to see; undefined where there is none, or where it would tell nothing.
   * @throws FerruleError `unavailable`
   */
  session(source: Pick<IdSource, 'randomBytes'>): Promise<Session | undefined>
  /** Waits for running statements. A second call does nothing more. */
  close(): Promise<void>
}

/** Identifies the advisory lock of this service on PostgreSQL; an arbitrary constant. */
const exclusiveLock = 7_214_995_031

/** What differs between the databases beside their queries. */
export interface DatabaseParts {
  close(): Promise<void>
  /** Looks whether what failed can be written again. @throws FerruleError `unavailable` */
  probe?(): void
  session?: Database['session']
}

/** Builds the common part of a database over an opened Kysely. */
export function databaseOf(dialect: Database['dialect'], db: Db, { close, probe, session }: DatabaseParts): Database {
  const transaction: Database['transaction'] = (work) => db.transaction().execute(work)
  let closed: Promise<void> | undefined
  return {
    dialect,
    db,
    transaction,
    // SQLite's transactions begin as writers, so they exclude each other already.
    exclusive: (work) =>
      transaction(async (inside) => {
        if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${exclusiveLock})`.execute(inside)
        return work(inside)
      }),
    ready: async () => {
      await sql`select 1`.execute(db)
      probe?.()
    },
    session: async (source) => session?.(source),
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

const hasRowLocks = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Lets others read the rows of a query but not change them until the transaction ends. On SQLite the transaction itself does that. */
export const shared = <DB, TB extends keyof DB, O>(db: Db, query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
  hasRowLocks(db) ? query.forShare() : query

/** Lets others read and change the rows of a query but not remove them until the transaction ends. */
export const kept = <DB, TB extends keyof DB, O>(db: Db, query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
  hasRowLocks(db) ? query.forKeyShare() : query

/** Keeps the rows of one table of a query for this transaction. */
export const locked = <DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> => (hasRowLocks(db) ? query.forUpdate(table) : query)

/** As `locked`, and passes over rows that somebody else keeps. */
export const claimable = <DB, TB extends keyof DB, O>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB & string,
): SelectQueryBuilder<DB, TB, O> => (hasRowLocks(db) ? query.forUpdate(table).skipLocked() : query)

const uniqueCodes: readonly unknown[] = ['23505', 2067, 1555]
const foreignKeyCodes: readonly unknown[] = ['23503', 787]
const codes = (error: unknown): unknown[] =>
  typeof error === 'object' && error !== null ? [Reflect.get(error, 'code'), Reflect.get(error, 'errcode')] : []

/** Whether a row with the same unique values exists. */
export const isUniqueViolation = (error: unknown): boolean => codes(error).some((code) => uniqueCodes.includes(code))
/** Whether a row that is referred to is missing, or one that is still referred to was to be deleted. */
export const isForeignKeyViolation = (error: unknown): boolean => codes(error).some((code) => foreignKeyCodes.includes(code))

/** A query that was compiled once, with other values. */
export const withValues = <R>(query: CompiledQuery<R>, ...parameters: readonly unknown[]): CompiledQuery<R> => ({ ...query, parameters })

const names = new Map<string, string>()

/**
 * Names a statement of the hot path: PostgreSQL plans it once for each connection, which takes away two thirds of its time. It
 * must list its columns, because a named `select *` fails after a migration by a newer node.
 */
export function named<R>(name: string, query: CompiledQuery<R>): CompiledQuery<R> {
  names.set(query.sql, name)
  return query
}

/** The name of a statement, when it has one. */
export const nameOf = (text: string): string | undefined => names.get(text)
