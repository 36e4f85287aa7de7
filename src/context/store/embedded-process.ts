/** One run of the embedded database: its thread, and the driver that speaks to it. */
import { Duplex } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { searchSettings } from '../query/functions.ts'
import { decoders } from './decoding.ts'
import type { WorkerInput, WorkerOrder, WorkerWord } from './embedded-worker.ts'

/** Sources run as they are and the published program is compiled: the thread's file has the extension of this one. */
const program = new URL(`./embedded-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/** A start takes 0.3 s, with the log of a killed process to read again up to some seconds, and 3 s for the first one. Milliseconds. */
const openMs = 120_000
/** Time to write everything and end. Milliseconds. */
const endMs = 15_000
/** The server refuses a nesting that is too deep itself when the thread's stack is larger than its own limit of 2 MB. */
const stackSizeMb = 16

/** PGlite's own start parameters: one session, no sync to disk, no other processes. Ours follow. */
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

/** The write-ahead log keeps to a hundred megabytes or so, because upkeep makes a checkpoint after 64. */
const ours = [
  ['wal_level', 'minimal'],
  ['max_wal_senders', '0'],
  ['min_wal_size', '32MB'],
  ['max_wal_size', '96MB'],
  ['work_mem', '16MB'],
  ['maintenance_work_mem', '32MB'],
  ['random_page_cost', '1.1'],
  // Statistics come from 300 rows for each of these; nothing else runs while they are made.
  ['default_statistics_target', '40'],
] as const

const parametersOf = (memoryMb: number): string[] => [
  '--single',
  '-F',
  '-O',
  '-j',
  ...[...standard, ...ours, ...Object.entries(searchSettings), ['shared_buffers', `${memoryMb}MB`] as const].flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]),
]

/** The driver's socket: what it writes goes to the thread, and the answer comes back. */
class ThreadStream extends Duplex {
  readonly #worker: Worker
  #sent: (() => void) | undefined

  constructor(worker: Worker) {
    super()
    this.#worker = worker
    worker.on('message', this.#take)
  }

  readonly #take = (word: WorkerWord): void => {
    if (!('bytes' in word)) return
    const sent = this.#sent
    this.#sent = undefined
    if (word.bytes.length > 0) this.push(Buffer.from(word.bytes.buffer))
    sent?.()
  }

  /** What the driver expects of a socket. */
  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  /** All that waits travels together: the server must get whole messages. */
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
    this.#worker.off('message', this.#take)
    done(error)
  }
}

/**
 * What keeps a process with an embedded database below 450 MB, a million records in it, while it syncs (Node 24). V8 takes these for
 * the whole process.
 *
 * V8's optimizing compiler takes 600 MB for one function of the server, the interpreter of its expressions, once that is hot, and
 * 30 to 90 MB for others. Without it searches take 1.3 to 1.8 times as long, and writes as long as before.
 *
 * The heap of JavaScript may double between two collections; a third more is enough for who shares the memory with a database.
 */
const smallProcess = ['--wasm-num-compilation-tasks=1', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--heap-growing-percent=30']

/** A running embedded database. */
export class EmbeddedProcess {
  readonly #worker: Worker
  readonly #gone: Promise<void>
  #client: pg.Client | undefined
  #stream: ThreadStream | undefined
  /** Whether the thread has ended. */
  ended = false
  /** Whether we ended it. */
  killed = false

  private constructor(input: WorkerInput) {
    for (const flag of smallProcess) setFlagsFromString(flag)
    this.#worker = new Worker(program, { workerData: input, resourceLimits: { stackSizeMb, maxYoungGenerationSizeMb: 8 } })
    this.#gone = new Promise((resolve) => {
      this.#worker.on('error', () => undefined) // 'exit' follows
      this.#worker.once('exit', () => {
        this.ended = true
        this.#stream?.destroy()
        resolve()
      })
    })
  }

  /**
   * Starts the thread and opens the folder, which is made when it is missing.
   * @param memoryMb megabytes for the server's buffers
   * @throws an Error with what the server said when it does not open
   */
  static async open(folder: string, memoryMb: number): Promise<EmbeddedProcess> {
    const running = new EmbeddedProcess({ folder, parameters: parametersOf(memoryMb) })
    try {
      await running.#ready()
      await running.reconnect()
      return running
    } catch (thrown) {
      await running.kill()
      throw thrown
    }
  }

  /** The driver. One statement at a time. */
  get client(): pg.Client {
    if (this.#client === undefined) throw new Error('Connection terminated')
    return this.#client
  }

  /** A new session over the same thread: what the old one had prepared is gone. */
  async reconnect(): Promise<void> {
    if (this.#client !== undefined) await this.#client.query('discard all')
    this.#stream?.destroy()
    const stream = new ThreadStream(this.#worker)
    this.#stream = stream
    const client = new pg.Client({ stream: () => stream, user: 'postgres', database: 'postgres', types: decoders })
    client.on('error', () => undefined) // the statement that runs fails
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
      void this.#gone.then(() => settle('its thread ended while it opened'))
    })
  }

  /** Resolves when the thread has ended, however that came. */
  get gone(): Promise<void> {
    return this.#gone
  }

  /** Ends it at once, as a kill of the process would. */
  async kill(): Promise<void> {
    this.killed = true
    await this.#worker.terminate()
    await this.#gone
  }

  /** Writes everything and ends it. */
  async end(): Promise<void> {
    this.#worker.postMessage({ end: true } satisfies WorkerOrder)
    const force = setTimeout(() => void this.#worker.terminate(), endMs)
    await this.#gone
    clearTimeout(force)
  }
}
