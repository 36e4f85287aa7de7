/** Does the work of a server's background processes, which PGlite lacks: checkpoints, vacuum and statistics. */
import type { Connection, Engine } from '../database.ts'

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

/** Options of upkeep. */
export interface UpkeepOptions {
  /** Called when upkeep fails; upkeep is retried later. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Maximum delay after a write in milliseconds; default: a minute. */
  readonly restMs?: number | undefined
}

/** Maintains the embedded database. Its timers do not keep the process alive. */
export class Upkeep {
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
    if (rested) await this.#turn((connection) => connection.run({ text: sortIn }))
    await this.#turn((connection) => connection.run({ text: 'checkpoint' }))
    const done: string[] = []
    for (let name = await this.#table(done); name !== undefined && !this.#closed; name = await this.#table(done)) done.push(name)
  }

  async #logSize(): Promise<number> {
    const text = 'select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()'
    const { rows } = await this.#turn((connection) => connection.run({ text }))
    return Number(rows[0]?.['bytes'] ?? 0)
  }

  /**
   * Maintains the table that needs it most, one table per turn, so searches run in between.
   * @returns the name of the table, if there was one
   */
  #table(done: readonly string[]): Promise<string | undefined> {
    return this.#turn(async (connection) => {
      const [table] = (await connection.run({ text: needy, values: [done] })).rows
      if (table === undefined) return undefined
      const name = String(table['name'])
      await connection.run({ text: `${table['dead'] === true ? 'vacuum (analyze)' : 'analyze'} ${name}` })
      return name
    })
  }

  async #turn<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
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
