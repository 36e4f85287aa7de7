/** Opens the embedded database: `node:sqlite` under Kysely. */
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { FerruleError } from 'ferrule'
import { BoundedMap, fail, getTracing, inSpan } from 'ferrule/internal'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { createDatabase, type Database } from './database.ts'
import { createFile, createFolder, holdLock, useFolder } from './folder-lock.ts'
import type { Tables } from './schema/schema.ts'
import { describeRows, describeStatement } from './statement-span.ts'

/** Primary result codes of SQLite (the low byte of extended ones). */
const codes = { ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const
const retryAfterMs = 5_000

const readCode = (thrown: unknown): number => {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'errcode') : undefined
  return typeof code === 'number' ? code & 0xff : 0
}

/** Returns whether an error means that the disk is full or fails. */
const isUnwritable = (thrown: unknown): boolean => [codes.full, codes.ioError, codes.cannotOpen].some((code) => code === readCode(thrown))

const wayOut =
  'Stop the service and put back a backup of ferrule.db, without the files -wal and -shm beside it. Without a backup move it away: the service starts empty, and its connectors must be created again.'

const damaged = (cause: unknown): FerruleError =>
  fail('unavailable', { reason: 'the database ferrule.db in FERRULE_DATA is damaged' }, { cause, hint: wayOut, retryable: false })

const unwritable = (cause: unknown): FerruleError => {
  const reason = readCode(cause) === codes.full ? 'the disk of the database is full' : 'the disk of the database cannot be written or read'
  return fail(
    'unavailable',
    { reason },
    { cause, retryAfterMs, hint: 'Make room on the disk of FERRULE_DATA, and try again; see /health/ready.' },
  )
}

/** Translates errors of the disk; returns other errors unchanged. */
function translated(thrown: unknown): unknown {
  if (isUnwritable(thrown)) return unwritable(thrown)
  return readCode(thrown) === codes.corrupt || readCode(thrown) === codes.notADatabase ? damaged(thrown) : thrown
}

/** Maximum number of prepared statements; the service has about 60. */
const preparedStatements = 200
/** Longest wait for a writer of another process, in milliseconds. */
const busyTimeoutMs = 10_000

const bindable = (value: unknown): SQLInputValue => {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string' || value instanceof Uint8Array)
    return value
  throw new TypeError(`SQLite takes no ${typeof value}`)
}

/** Runs a call of SQLite; `failed` receives its error first. @throws FerruleError `unavailable` for errors of the disk */
type Guard = <T>(run: () => T) => T

/** Counts changes of the file: what this process writes, and what SQLite knows of other processes. */
class Changes {
  readonly #version: StatementSync
  readonly #guard: Guard
  #seen: unknown
  #count = 0

  constructor(sqlite: DatabaseSync, guard: Guard) {
    this.#version = sqlite.prepare('pragma data_version')
    this.#guard = guard
  }

  /** Call it before each statement: one that begins otherwise than a query may write. */
  note(text: string): void {
    if (!text.startsWith('select ')) this.#count += 1
  }

  /** Takes 1 µs. */
  count(): number {
    const version = this.#guard(() => this.#version.get()?.['data_version'])
    if (version !== this.#seen) this.#count += 1
    this.#seen = version
    return this.#count
  }
}

/** Adapts a statement to the interface of better-sqlite3, which Kysely expects. */
const adapted = (statement: StatementSync, guard: Guard) => ({
  reader: statement.columns().length > 0,
  all: (values: readonly unknown[]) => guard(() => statement.all(...values.map(bindable))),
  run: (values: readonly unknown[]) => guard(() => statement.run(...values.map(bindable))),
  iterate: (values: readonly unknown[]) => statement.iterate(...values.map(bindable)),
})
type Adapted = ReturnType<typeof adapted>

/** Prepares each statement once and drops the least recently used one. */
function preparer(sqlite: DatabaseSync, guard: Guard, changes: Changes): (text: string) => Adapted {
  const kept = new BoundedMap<string, Adapted>(preparedStatements)
  return (text) => {
    changes.note(text)
    return kept.take(text, () => guard(() => adapted(sqlite.prepare(text), guard)))
  }
}

const addSpans = (connection: DatabaseConnection): DatabaseConnection => ({
  executeQuery: <R>(query: CompiledQuery) =>
    inSpan(
      () => describeStatement('sqlite', query.sql),
      async (span) => {
        const answer = await connection.executeQuery<R>(query)
        span?.set(describeRows(answer.rows.length || Number(answer.numAffectedRows ?? 0)))
        return answer
      },
    ),
  streamQuery: (query, size) => connection.streamQuery(query, size),
})

/** Starts transactions as writers: a reader that later becomes a writer can fail without waiting. */
class WriterDriver extends SqliteDriver {
  readonly #sqlite: DatabaseSync
  #traced: DatabaseConnection | undefined

  constructor(sqlite: DatabaseSync, guard: Guard, changes: Changes) {
    super({ database: { prepare: preparer(sqlite, guard, changes), close: () => sqlite.close() } })
    this.#sqlite = sqlite
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    if (getTracing() === undefined) return connection
    this.#traced ??= addSpans(connection)
    return this.#traced
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** Rolls back an open transaction only: after some errors, such as a full disk, SQLite has already rolled back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }
}

/** Bytes of the write that probes a full disk. */
const probeBytes = 65_536

/** Remembers whether the last write failed because of the disk. */
class Disk {
  #failed = false

  readonly guard: Guard = (run) => {
    try {
      return run()
    } catch (thrown) {
      this.#failed ||= isUnwritable(thrown)
      throw translated(thrown)
    }
  }

  /** Retries a write after a failure. @throws FerruleError `unavailable` */
  probe(sqlite: DatabaseSync): void {
    if (!this.#failed) return
    this.guard(() => {
      sqlite.exec(`create table if not exists disk_probe (bytes); insert into disk_probe values (zeroblob(${probeBytes}))`)
      sqlite.exec('drop table disk_probe')
    })
    this.#failed = false
  }
}

/**
 * Opens `ferrule.db` in a folder, which it creates if missing. Committed data survives a power loss.
 * @param exclusive true to refuse a folder in use by another process; false to share the file
 * @throws FerruleError `setting_invalid` when the folder is in use or cannot be written; `unavailable` when the file is damaged
 */
export function openSqlite(folder: string, { exclusive }: { readonly exclusive: boolean }): Database {
  const release = prepare(folder, exclusive)
  const file = join(folder, 'ferrule.db')
  createFile(file)
  const disk = new Disk()
  const sqlite = opened(file, disk, release)
  const changes = new Changes(sqlite, disk.guard)
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => new WriterDriver(sqlite, disk.guard, changes),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const close = async (): Promise<void> => {
    await db.destroy()
    if (sqlite.isOpen) sqlite.close()
    release()
  }
  const ready = async (): Promise<void> => {
    await sql`select 1`.execute(db)
    disk.probe(sqlite)
  }
  return createDatabase('sqlite', db, { close, ready, countChanges: () => changes.count() })
}

function opened(file: string, disk: Disk, release: () => void): DatabaseSync {
  const sqlite = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  try {
    disk.guard(() => sqlite.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on'))
    return sqlite
  } catch (thrown) {
    sqlite.close()
    release()
    throw thrown
  }
}

/** Claims the folder. @returns a function that releases it */
const prepare = (folder: string, exclusive: boolean): (() => void) =>
  useFolder({ folder, setting: 'FERRULE_DATA' }, () => {
    if (exclusive) return holdLock(folder, 'ferrule.lock')
    createFolder(folder)
    return () => undefined
  })
