/** PGlite as the context database: one thread, one session, a queue, a watchdog, and the upkeep that a server does by itself. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { holdLock, useFolder } from '../../../../db/folder-lock.ts'
import { type Answer, type Connection, type Engine, encodeValues, Lane, type RunStatement, type Statement } from '../database.ts'
import { isDamage, unavailable } from '../problems.ts'
import { extensions } from '../requirements.ts'
import { assertWritable, createDatabaseFiles, databaseFolder, hasDatabase, isComplete, type SetAsideDatabase, setAside } from './folder.ts'
import { EmbeddedProcess } from './process.ts'

/** Bytes of statements after which the size of the write-ahead log is checked. */
const lookBytes = 4 * 1_048_576
/** Bytes of the log after which a checkpoint is made; a checkpoint takes 35 to 280 ms. */
const logBytes = 64 * 1_048_576
const minute = 60_000
/** Timeout for the upkeep of one table, in milliseconds. */
const tableMs = 120_000

/** Selects tables where dead rows, or changes since the last statistics, exceed a fifth of the rows. */
const needy = `
  select relid::regclass::text as name, n_dead_tup > 1000 + n_live_tup / 5 as dead
  from pg_stat_user_tables
  where (n_dead_tup > 1000 + n_live_tup / 5 or n_mod_since_analyze > 1000 + n_live_tup / 5) and relid::regclass::text <> all($1)
  order by n_dead_tup + n_mod_since_analyze desc limit 1`

/** Merges the pending lists of GIN indexes. Every search reads these lists in full. */
const sortIn = `select count(gin_clean_pending_list(i.indexrelid)) from pg_index i join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam where a.amname = 'gin' and c.relkind = 'i' and c.relname like 'cs\\_%'`

interface UpkeepOptions {
  /** Called when upkeep fails; upkeep is retried later. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Maximum delay after a write in milliseconds; default: a minute. */
  readonly restMs?: number | undefined
}

/** Maintains the embedded database. Its timers do not keep the process alive. */
class Upkeep {
  readonly #engine: Engine
  readonly #onError: ((error: unknown) => void) | undefined
  readonly #restMs: number
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #work: Promise<void> | undefined
  #closed = false

  constructor(engine: Engine, { onError, restMs = minute }: UpkeepOptions) {
    this.#engine = engine
    this.#onError = onError
    this.#restMs = restMs
  }

  /** Counts a committed transaction. */
  written(bytes: number): void {
    this.#bytes += bytes
    this.#timer ??= setTimeout(() => this.#rest(), this.#restMs).unref()
    if (this.#bytes >= lookBytes) this.#begin(false)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#work
  }

  #rest(): void {
    this.#timer = undefined
    if (this.#work === undefined) this.#begin(true)
    else this.written(0) // busy: retry later
  }

  #begin(rested: boolean): void {
    if (this.#closed || this.#work !== undefined) return
    this.#bytes = 0
    this.#work = this.#run(rested)
      .catch((thrown: unknown) => {
        if (!this.#closed) this.#onError?.(thrown)
      })
      .finally(() => {
        this.#work = undefined
      })
  }

  async #run(rested: boolean): Promise<void> {
    if (!rested && (await this.#logSize()) < logBytes) return
    if (rested) await this.#withSlot((connection) => connection.run({ text: sortIn }))
    await this.#withSlot((connection) => connection.run({ text: 'checkpoint' }))
    const done: string[] = []
    for (let name = await this.#table(done); name !== undefined && !this.#closed; name = await this.#table(done)) done.push(name)
  }

  async #logSize(): Promise<number> {
    const text = 'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()'
    const { rows } = await this.#withSlot((connection) => connection.run({ text }))
    return Number(rows[0]?.['bytes'] ?? 0)
  }

  /**
   * Maintains the table that needs it most, one table per slot, so searches run in between.
   * @returns the name of the table, if there was one
   */
  #table(done: readonly string[]): Promise<string | undefined> {
    return this.#withSlot(async (connection) => {
      const [table] = (await connection.run({ text: needy, values: [done] })).rows
      if (table === undefined) return undefined
      const name = String(table['name'])
      await connection.run({ text: `${table['dead'] === true ? 'vacuum (analyze)' : 'analyze'} ${name}` })
      return name
    })
  }

  async #withSlot<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const leave = await this.#engine.lanes.write.enter('write')
    try {
      const connection = await this.#engine.connect('write')
      const late = setTimeout(() => void connection.stop('timeout'), tableMs)
      try {
        return await work(connection)
      } finally {
        clearTimeout(late)
        connection.release(false)
      }
    } finally {
      leave()
    }
  }
}

/** Bytes from which it no longer grows: two halves of 16 MB. V8 lets it grow to 134 MB, and writes take as long with a quarter. */
const mostBytes = 32_000_000

let isGrowing = true

/**
 * Lets the young generation grow by doubling while it is small, which it is again after an idle time. Call it often: it doubles within a
 * burst of allocations.
 */
function boundYoungGeneration(): void {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  const mayGrow = (young?.space_size ?? 0) < mostBytes
  if (mayGrow === isGrowing) return
  isGrowing = mayGrow
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
}

/** How many longest writes may be ahead of a write: each running sync has one. */
const turnsAhead = 10

/** Options of the embedded database. */
export interface EmbeddedOptions {
  /** Folder for the database alone; created if missing. */
  readonly folder: string
  /** Megabytes of its buffers. */
  readonly memoryMb: number
  /** Maximum number of waiting searches, and of waiting writes. */
  readonly waiting: number
  /** Timeout of a search in milliseconds. */
  readonly searchMs: number
  /** Timeout of a write in milliseconds. */
  readonly writeMs: number
  /** Creates tables and functions after each opening of the database. */
  prepare(run: RunStatement): Promise<void>
  /** Called after a damaged database was set aside and an empty one created. */
  readonly onSetAside?: ((aside: SetAsideDatabase) => void) | undefined
  /** Called when upkeep fails; upkeep is retried later. */
  readonly onUpkeepError?: ((error: unknown) => void) | undefined
  /** Maximum delay of upkeep after a write, in milliseconds. */
  readonly upkeepMs?: number | undefined
  readonly clock?: (() => number) | undefined
}

/** Maximum number of named statements of a session. A session with more is replaced, which bounds its memory. */
const namedStatements = 600
/** Number of consecutive thread deaths without a finished statement after which the files count as damaged. */
const deaths = 3

/** The embedded engine. */
export class Embedded implements Engine {
  readonly name = 'embedded'
  readonly lanes: Engine['lanes']
  readonly limits: Engine['limits']
  readonly #options: EmbeddedOptions
  readonly #upkeep: Upkeep
  #running: Promise<EmbeddedProcess> | undefined
  #current: EmbeddedProcess | undefined
  readonly #names = new Set<string>()
  #unlock: (() => void) | undefined
  #damage: string | undefined
  #dead = 0
  #closed = false

  constructor(options: EmbeddedOptions) {
    this.#options = options
    // A single session: searches and writes share one queue.
    const lane = new Lane({ slots: 1, waiting: options.waiting, waitMs: options.writeMs, writeWaitMs: options.writeMs * turnsAhead })
    this.lanes = { search: lane, write: lane }
    this.limits = { search: options.searchMs, write: options.writeMs }
    this.#upkeep = new Upkeep(this, { onError: options.onUpkeepError, restMs: options.upkeepMs })
  }

  async open(): Promise<void> {
    await this.#open()
  }

  /** Opens the database if needed. */
  async connect(): Promise<Connection> {
    const running = await this.#open()
    boundYoungGeneration()
    if (this.#names.size > namedStatements) {
      this.#names.clear()
      await running.reconnect()
    }
    return {
      run: (statement) => this.#run(running, statement),
      // Restarting the thread takes half a second, too much for an aborted request. The timeout still applies.
      stop: async (why) => {
        if (why === 'timeout') await running.kill()
      },
      limit: () => Promise.resolve(), // the database has no time limit of its own
      release: () => undefined,
    }
  }

  onCommitted(bytes: number): void {
    this.#upkeep.written(bytes)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#upkeep.close()
    const running = await this.#running?.catch(() => undefined)
    if (running !== undefined && !running.ended) await running.end()
    this.#unlock?.()
    this.#unlock = undefined
  }

  async #run(running: EmbeddedProcess, { name, text, values = [] }: Statement): Promise<Answer> {
    if (name !== undefined) this.#names.add(name)
    try {
      const { rows, rowCount } = await running.client.query({ text, values: encodeValues(values), name })
      this.#dead = 0
      return { rows, count: rowCount ?? 0 }
    } catch (thrown) {
      if (isDamage(thrown)) await this.#damaged(running, thrown)
      throw thrown
    }
  }

  /** Stops the thread; the next statement finds an empty database. */
  async #damaged(running: EmbeddedProcess, thrown: unknown): Promise<void> {
    this.#damage = thrown instanceof Error ? thrown.message : String(thrown)
    await running.kill()
  }

  #open(): Promise<EmbeddedProcess> {
    if (this.#closed) throw unavailable()
    if (this.#current?.ended) this.#running = undefined
    this.#running ??= this.#start().catch((thrown: unknown) => {
      this.#running = undefined
      throw thrown
    })
    return this.#running
  }

  async #start(): Promise<EmbeddedProcess> {
    const { folder } = this.#options
    this.#unlock ??= useFolder({ folder, setting: 'FERRULE_CONTEXT_FOLDER' }, () => holdLock(folder, 'context.lock'))
    this.#current = undefined
    this.#names.clear()
    if (!hasDatabase(folder)) await this.#orUnavailable(() => createDatabaseFiles(folder))
    const running = (await this.#tryOpen()) ?? (await this.#orUnavailable(() => this.#startAnew()))
    this.#current = running
    void running.exited.then(() => {
      if (!running.killed) this.#dead += 1
    })
    try {
      for (const name of extensions) await this.#run(running, { text: `create extension if not exists ${name}` })
      await this.#options.prepare((statement) => this.#run(running, statement))
    } catch (thrown) {
      await running.kill()
      throw thrown
    }
    return running
  }

  /** Opens the existing files. Returns undefined when they are damaged. */
  async #tryOpen(): Promise<EmbeddedProcess | undefined> {
    const { folder, memoryMb } = this.#options
    if (this.#dead >= deaths) this.#damage ??= `it ended ${this.#dead} times without finishing a statement`
    if (!isComplete(folder)) this.#damage ??= 'its files are not complete'
    if (this.#damage !== undefined) return undefined
    try {
      return await EmbeddedProcess.open(databaseFolder(folder), memoryMb)
    } catch (thrown) {
      await this.#orUnavailable(async () => assertWritable(folder))
      this.#damage = thrown instanceof Error ? thrown.message : String(thrown)
      return undefined
    }
  }

  async #startAnew(): Promise<EmbeddedProcess> {
    const { folder, memoryMb, onSetAside, clock = Date.now } = this.#options
    const reason = this.#damage ?? ''
    this.#damage = undefined // when nothing can be set aside, the files are tried again
    const aside = await setAside(folder, { reason, now: clock() })
    this.#dead = 0
    onSetAside?.(aside)
    return EmbeddedProcess.open(databaseFolder(folder), memoryMb)
  }

  async #orUnavailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      throw unavailable(thrown)
    }
  }
}
