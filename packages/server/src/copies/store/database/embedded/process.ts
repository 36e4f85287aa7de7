/** One run of the embedded database: its thread and its driver. */
import { Duplex } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { searchSettings } from '../../../search/functions.ts'
import { decoders } from '../database.ts'
import type { WorkerInput, WorkerOrder, WorkerWord } from './worker.ts'

/** Sources run uncompiled and the published package compiled, so the thread's file has the extension of this one. */
const program = new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/**
 * Timeout of a start in milliseconds. A start takes 0.3 s, 3 s for the first one, and some seconds to replay the log of a killed process.
 */
const openMs = 120_000
/** Timeout of a clean shutdown in milliseconds. */
const endMs = 15_000
/** With a stack larger than its own limit of 2 MB, the server itself refuses nesting that is too deep. */
const stackSizeMb = 16

/** PGlite's own start parameters: one session, no sync to disk, no other processes. */
const standard = [
  ['search_path', 'public'],
  ['exit_on_error', 'false'],
  ['log_checkpoints', 'false'],
  ['max_worker_processes', '0'],
  ['max_parallel_workers', '0'],
  ['max_parallel_workers_per_gather', '0'],
  ['max_parallel_maintenance_workers', '0'],
  ['io_method', 'sync'],
] as const

/** Parameters of this service. The write-ahead log stays near 100 MB, because upkeep makes a checkpoint after 64 MB. */
const ours = [
  ['wal_level', 'minimal'],
  ['max_wal_senders', '0'],
  ['min_wal_size', '32MB'],
  ['max_wal_size', '96MB'],
  ['work_mem', '16MB'],
  ['maintenance_work_mem', '32MB'],
  ['random_page_cost', '1.1'],
  // Statistics sample 300 rows per unit of the target, and block everything else meanwhile.
  ['default_statistics_target', '40'],
] as const

const buildParameters = (memoryMb: number): string[] => [
  '--single',
  '-F',
  '-O',
  '-j',
  ...[...standard, ...ours, ...Object.entries(searchSettings), ['shared_buffers', `${memoryMb}MB`] as const].flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]),
]

/** Socket of the driver: sends written bytes to the thread and receives its answers. */
class ThreadStream extends Duplex {
  readonly #worker: Worker
  #sent: (() => void) | undefined

  constructor(worker: Worker) {
    super()
    this.#worker = worker
    worker.on('message', this.#receive)
  }

  readonly #receive = (word: WorkerWord): void => {
    if (!('bytes' in word)) return
    const sent = this.#sent
    this.#sent = undefined
    if (word.bytes.length > 0) this.push(Buffer.from(word.bytes.buffer))
    sent?.()
  }

  /** Part of a socket that the driver expects. */
  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  /** Sends all waiting chunks together, because the server needs whole messages. */
  override _writev(chunks: readonly { readonly chunk: Uint8Array }[], done: () => void): void {
    const bytes = new Uint8Array(chunks.reduce((sum, { chunk }) => sum + chunk.length, 0))
    let offset = 0
    for (const { chunk } of chunks) {
      bytes.set(chunk, offset)
      offset += chunk.length
    }
    this.#sent = done
    this.#worker.postMessage({ bytes } satisfies WorkerOrder, [bytes.buffer])
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this._writev([{ chunk }], done)
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#worker.off('message', this.#receive)
    done(error)
  }
}

/**
 * V8 flags that keep a process with an embedded database of a million records below 450 MB during a sync (Node 24). They apply to the
 * whole process.
 *
 * V8's optimizing compiler takes 600 MB for one function of the server, the interpreter of its expressions, and 30 to 90 MB for others.
 * Without it searches take 1.3 to 1.8 times as long, and writes as long as before.
 *
 * By default the JavaScript heap may double between two garbage collections. A third more leaves memory for the database.
 */
export const smallProcess = [
  '--wasm-num-compilation-tasks=1',
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
  '--heap-growing-percent=30',
]

/** A running embedded database. */
export class EmbeddedProcess {
  readonly #worker: Worker
  readonly #exited: Promise<void>
  #client: pg.Client | undefined
  #stream: ThreadStream | undefined
  /** True when the thread has ended. */
  ended = false
  /** True when this process ended the thread. */
  killed = false

  private constructor(input: WorkerInput) {
    for (const flag of smallProcess) setFlagsFromString(flag)
    this.#worker = new Worker(program, { workerData: input, resourceLimits: { stackSizeMb, maxYoungGenerationSizeMb: 8 } })
    this.#exited = new Promise((resolve) => {
      this.#worker.on('error', () => undefined) // 'exit' follows
      this.#worker.once('exit', () => {
        this.ended = true
        this.#stream?.destroy()
        resolve()
      })
    })
  }

  /**
   * Starts the thread and opens the folder, which is created if missing.
   * @param memoryMb megabytes of the server's buffers
   * @throws an Error with the server's message when the database does not open
   */
  static async open(folder: string, memoryMb: number): Promise<EmbeddedProcess> {
    const running = new EmbeddedProcess({ folder, parameters: buildParameters(memoryMb) })
    try {
      await running.#ready()
      await running.reconnect()
      return running
    } catch (thrown) {
      await running.kill()
      throw thrown
    }
  }

  /** The driver; it runs one statement at a time. */
  get client(): pg.Client {
    if (this.#client === undefined) throw new Error('Connection terminated')
    return this.#client
  }

  /** Starts a new session over the same thread; prepared statements of the old one are lost. */
  async reconnect(): Promise<void> {
    if (this.#client !== undefined) await this.#client.query('discard all')
    this.#stream?.destroy()
    const stream = new ThreadStream(this.#worker)
    this.#stream = stream
    const client = new pg.Client({ stream: () => stream, user: 'postgres', database: 'postgres', types: decoders })
    client.on('error', () => undefined) // the running statement fails
    this.#client = client
    await client.connect()
  }

  #ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`it was not open within ${openMs / 1_000} seconds`)), openMs)
      const settle = (failure?: string): void => {
        clearTimeout(late)
        this.#worker.off('message', told)
        if (failure === undefined) resolve()
        else reject(new Error(failure))
      }
      const told = (word: WorkerWord): void => ('failed' in word ? settle(word.failed) : 'ready' in word ? settle() : undefined)
      this.#worker.on('message', told)
      void this.#exited.then(() => settle('its thread ended while it opened'))
    })
  }

  /** Resolves when the thread has ended, for whatever reason. */
  get exited(): Promise<void> {
    return this.#exited
  }

  /** Ends the thread at once, as a kill of the process would. */
  async kill(): Promise<void> {
    this.killed = true
    await this.#worker.terminate()
    await this.#exited
  }

  /** Writes everything to disk and ends the thread. */
  async end(): Promise<void> {
    this.#worker.postMessage({ end: true } satisfies WorkerOrder)
    const force = setTimeout(() => void this.#worker.terminate(), endMs)
    await this.#exited
    clearTimeout(force)
  }
}
