/** The embedded database: `node:sqlite` under Kysely. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { fail } from '../../errors.ts'
import { type Database, databaseOf } from './database.ts'
import type { Tables } from './schema.ts'
import { isUnwritable, translated } from './sqlite-problems.ts'

/** Statements that stay prepared. The service has about 60 different ones. */
const preparedStatements = 200
/** Milliseconds that a writer waits for a writer of another process. */
const busyTimeout = 10_000

const bindable = (value: unknown): SQLInputValue => {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string' || value instanceof Uint8Array)
    return value
  throw new TypeError(`SQLite takes no ${typeof value}`)
}

/** Runs something of SQLite. `failed` takes its error first. @throws FerruleError `unavailable` for what the disk did */
type Guard = <T>(run: () => T) => T

/** What Kysely expects of a statement, which is the interface of better-sqlite3. */
const adapted = (statement: StatementSync, guard: Guard) => ({
  reader: statement.columns().length > 0,
  all: (values: readonly unknown[]) => guard(() => statement.all(...values.map(bindable))),
  run: (values: readonly unknown[]) => guard(() => statement.run(...values.map(bindable))),
  iterate: (values: readonly unknown[]) => statement.iterate(...values.map(bindable)),
})
type Adapted = ReturnType<typeof adapted>

/** Prepares each text once and drops the statement that was unused for longest. */
function preparer(sqlite: DatabaseSync, guard: Guard): (text: string) => Adapted {
  const kept = new Map<string, Adapted>()
  return (text) => {
    const statement = kept.get(text) ?? guard(() => adapted(sqlite.prepare(text), guard))
    kept.delete(text)
    kept.set(text, statement)
    const [oldest] = kept.keys()
    if (kept.size > preparedStatements && oldest !== undefined) kept.delete(oldest)
    return statement
  }
}

/** Transactions take the writer's lock at once: a reader that becomes a writer later can fail without a wait. */
class WriterDriver extends SqliteDriver {
  readonly #sqlite: DatabaseSync

  constructor(sqlite: DatabaseSync, guard: Guard) {
    super({ database: { prepare: preparer(sqlite, guard), close: () => sqlite.close() } })
    this.#sqlite = sqlite
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  /** SQLite rolls back by itself after some errors, for example when the disk is full. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }
}

/** Creates the file with a mode that SQLite passes on to its journal files. */
const touch = (file: string): void => closeSync(openSync(file, 'a', 0o600))

/** Bytes that are written to see whether a full disk has room again. */
const probeBytes = 65_536

/** Knows whether the last thing that was written failed because of the disk. */
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

  /** Writes, where writing failed before. @throws FerruleError `unavailable` */
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
 * Opens `ferrule.db` in a folder, which is made when it is missing. What was committed survives a loss of power.
 * @param exclusive refuse when another process has the folder; without it the file is shared
 * @throws FerruleError `setting_invalid` when the folder is in use or cannot be written; `unavailable` when the file is damaged
 */
export function openSqlite(folder: string, { exclusive }: { readonly exclusive: boolean }): Database {
  const release = prepare(folder, exclusive)
  const file = join(folder, 'ferrule.db')
  touch(file)
  const disk = new Disk()
  const sqlite = opened(file, disk, release)
  const db = new Kysely<Tables>({
    dialect: {
      createDriver: () => new WriterDriver(sqlite, disk.guard),
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
  return databaseOf('sqlite', db, { close, probe: () => disk.probe(sqlite) })
}

function opened(file: string, disk: Disk, release: () => void): DatabaseSync {
  const sqlite = new DatabaseSync(file, { timeout: busyTimeout, enableForeignKeyConstraints: true })
  try {
    disk.guard(() => sqlite.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on'))
    return sqlite
  } catch (thrown) {
    sqlite.close()
    release()
    throw thrown
  }
}

function prepare(folder: string, exclusive: boolean): () => void {
  try {
    if (!exclusive) mkdirSync(folder, { recursive: true, mode: 0o700 })
    return exclusive ? holdLock(folder, 'ferrule.lock') : () => undefined
  } catch (error) {
    const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
    const reason =
      code === 'ERR_SQLITE_ERROR' ? 'is in use by another process of this service; stop it first' : `cannot be written (${code})`
    throw fail('setting_invalid', { name: 'FERRULE_DATA', reason: `the folder ${folder} ${reason}` }, { cause: error })
  }
}

/**
 * Holds a lock of the operating system on a file of a folder, which is made when it is missing; it ends with the process, however that ends.
 * @returns what gives it back
 * @throws when another process has it, or the folder cannot be written
 */
export function holdLock(folder: string, name: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, name)
  touch(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    throw error
  }
  return () => lock.close()
}
