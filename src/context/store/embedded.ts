/** PGlite as the context database: one thread, one session, a queue before it, and a watchdog over it. */
import type { Answer, Connection, Engine, Run, Statement } from './database.ts'
import { bound } from './decoding.ts'
import { assertWritable, createDatabase, databaseFolder, hasDatabase, isWhole, type SetAside, setAside } from './embedded-folder.ts'
import { EmbeddedProcess } from './embedded-process.ts'
import { Upkeep } from './embedded-upkeep.ts'
import { lockFolder } from './folder-lock.ts'
import { Lane } from './lane.ts'
import { isDamage, unavailable } from './problems.ts'
import { extensions } from './requirements.ts'

/** How the embedded database is run. */
export interface EmbeddedOptions {
  /** Folder that belongs to it; made when it is missing. */
  readonly folder: string
  /** Megabytes for its buffers. */
  readonly memoryMb: number
  /** Searches, and writes, that may wait. */
  readonly waiting: number
  /** Milliseconds until a search is stopped. */
  readonly searchMs: number
  /** Milliseconds until a write is stopped. */
  readonly writeMs: number
  /** Makes what the store needs, each time when the database was opened. */
  prepare(run: Run): Promise<void>
  /** A damaged database was put away and an empty one made. */
  readonly onSetAside?: ((aside: SetAside) => void) | undefined
  /** Upkeep failed; it is tried again later. */
  readonly onUpkeepError?: ((error: unknown) => void) | undefined
  /** Milliseconds after a write until upkeep comes at the latest. */
  readonly upkeepMs?: number | undefined
  /** Milliseconds since 1970. */
  readonly clock?: (() => number) | undefined
}

/** Named statements of the session; it is replaced by a new one when it has more, so that its memory stays bounded. */
const namedStatements = 600
/** Threads that may die one after the other without finishing a statement before the files count as damaged. */
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
    // One session: searches and writes stand in one queue.
    const lane = new Lane({ slots: 1, waiting: options.waiting, waitMs: options.writeMs })
    this.lanes = { search: lane, write: lane }
    this.limits = { search: options.searchMs, write: options.writeMs }
    this.#upkeep = new Upkeep(this, { onError: options.onUpkeepError, restMs: options.upkeepMs })
  }

  async ready(): Promise<void> {
    await this.#open()
  }

  /** Opens the database when it is not open. */
  async connect(): Promise<Connection> {
    const running = await this.#open()
    if (this.#names.size > namedStatements) {
      this.#names.clear()
      await running.reconnect()
    }
    return {
      run: (statement) => this.#run(running, statement),
      // Who went away is not worth the half second that a new thread takes; the time limit still holds.
      stop: async (why) => {
        if (why === 'timeout') await running.kill()
      },
      release: () => undefined,
    }
  }

  committed(bytes: number): void {
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
      const { rows, rowCount } = await running.client.query({ text, values: bound(values), ...(name === undefined ? {} : { name }) })
      this.#dead = 0
      return { rows, count: rowCount ?? 0 }
    } catch (thrown) {
      if (isDamage(thrown)) await this.#damaged(running, thrown)
      throw thrown
    }
  }

  /** The next statement finds an empty database. */
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
    this.#unlock ??= lockFolder(folder)
    this.#current = undefined
    this.#names.clear()
    if (!hasDatabase(folder)) await this.#orUnavailable(() => createDatabase(folder))
    const running = (await this.#tryOpen()) ?? (await this.#orUnavailable(() => this.#startAnew()))
    this.#current = running
    void running.gone.then(() => {
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

  /** Opens the files that are there, unless they are known to be damaged or turn out to be. */
  async #tryOpen(): Promise<EmbeddedProcess | undefined> {
    const { folder, memoryMb } = this.#options
    if (this.#dead >= deaths) this.#damage ??= `it ended ${this.#dead} times without finishing a statement`
    if (!isWhole(folder)) this.#damage ??= 'its files are not complete'
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
    this.#damage = undefined // when nothing can be put away, the files are tried again
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
