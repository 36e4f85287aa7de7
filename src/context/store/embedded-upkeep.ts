/** What a server's background processes do and PGlite has none for: checkpoints, removal of dead rows, statistics. */
import type { Connection, Engine } from './database.ts'

/** Bytes of statements after which the size of the write-ahead log is looked at. */
const lookBytes = 4 * 1_048_576
/** Bytes of the log after which a checkpoint is made; it takes 35 to 280 ms. */
const logBytes = 64 * 1_048_576
/** Milliseconds. */
const minute = 60_000
/** Upkeep of one table at most. Milliseconds. */
const tableMs = 120_000

/** Tables whose dead rows are more than a fifth, or whose statistics are older than a fifth of their rows. */
const needy = `
  select relid::regclass::text as name, n_dead_tup > 1000 + n_live_tup / 5 as dead
  from pg_stat_user_tables
  where (n_dead_tup > 1000 + n_live_tup / 5 or n_mod_since_analyze > 1000 + n_live_tup / 5) and relid::regclass::text <> all($1)
  order by n_dead_tup + n_mod_since_analyze desc limit 1`

/** New entries of GIN indexes wait in lists that every search reads whole, until somebody sorts them in. */
const sortIn = `select count(gin_clean_pending_list(i.indexrelid)) from pg_index i join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam where a.amname = 'gin' and c.relkind = 'i' and c.relname like 'cs\\_%'`

/** How upkeep is done. */
export interface UpkeepOptions {
  /** It failed; it is tried again later. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** It comes at the latest so long after a write, in milliseconds; a minute by default. */
  readonly restMs?: number | undefined
}

/** Keeps the embedded database in shape. Its timers never hold the process. */
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

  /** A transaction was committed. */
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
    else this.written(0) // it is busy: later
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

  /** Looks after the table that needs it most, one turn each, so that searches come between. @returns its name, if there was one */
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
