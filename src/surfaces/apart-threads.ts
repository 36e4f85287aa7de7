/** A few threads for large bodies: started when first needed, ended when they are idle. */
import { Worker } from 'node:worker_threads'
import type { ApartJob, ApartResult } from '../engine/apart.ts'
import type { Apart } from '../engine/apart-answer.ts'
import { within } from '../engine/deadline.ts'
import type { CutJob, CutResult, Cutter } from '../platform/cut-apart.ts'
import type { ThreadInput, ThreadTask, ThreadWord } from './apart-thread.ts'

/** Sources run as they are and the published program is compiled: the thread's file has the extension of this one. */
const program = new URL(`./apart-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

const mega = 1_048_576

/**
 * The heap of a thread must never end, because V8 ends the process then: JSON.parse does not stop half way. What is read is weighed
 * before; the reader of long numbers takes it twice, the texts that come of it once more.
 */
const limitsOf = (most: number) => ({ maxOldGenerationSizeMb: 256 + Math.ceil((4 * most) / mega) })

/** How the threads are run. */
export interface ThreadOptions {
  /** Threads at one time. */
  readonly threads?: number
  /** Milliseconds after which an idle one ends. */
  readonly idleMs?: number
  /** Bytes of memory that a body may take once it is read. One of 32 MiB takes about 100 million, unless it is nothing but brackets. */
  readonly most?: number
}

/** Bodies with more bytes are large: the loop takes 10 ms to read so many. */
const largeBody = 1_048_576

/** Reads and cuts large bodies. */
export interface ApartThreads extends Apart, Cutter {
  /** Threads that are alive. */
  readonly alive: number
  /** Ends them; what they do is given up. */
  close(): Promise<void>
}

/** A task with what waits for it. */
interface Waiting {
  readonly task: ThreadTask
  readonly transfer: ArrayBuffer[]
  resolve(done: ApartResult | CutResult): void
  reject(thrown: unknown): void
}

/** One thread, and what it is doing. */
class Thread {
  readonly #worker: Worker
  #current: Waiting | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(most: number, ended: (thread: Thread) => void, free: (thread: Thread) => void) {
    this.#worker = new Worker(program, { workerData: { most } satisfies ThreadInput, resourceLimits: limitsOf(most) })
    this.#worker.on('message', (word: ThreadWord) => {
      const current = this.#current
      this.#current = undefined
      if ('done' in word) current?.resolve(word.done)
      else current?.reject(new Error(word.failed))
      free(this)
    })
    this.#worker.on('error', (thrown) => this.#fail(thrown))
    this.#worker.on('exit', () => {
      clearTimeout(this.#idle)
      this.#fail(new Error('a thread for large answers ended'))
      ended(this)
    })
  }

  /** Does a task; the thread has none. */
  do(waiting: Waiting): void {
    clearTimeout(this.#idle)
    this.#current = waiting
    this.#worker.postMessage(waiting.task, waiting.transfer)
  }

  /** Ends the thread unless it is given a task before. */
  rest(milliseconds: number): void {
    this.#idle = setTimeout(() => void this.end(), milliseconds).unref()
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #fail(thrown: unknown): void {
    this.#current?.reject(thrown)
    this.#current = undefined
  }
}

class Threads implements ApartThreads {
  readonly from = largeBody
  readonly #options: Required<ThreadOptions>
  readonly #threads = new Set<Thread>()
  readonly #free: Thread[] = []
  readonly #queue: Waiting[] = []
  #closed = false

  constructor({ threads = 2, idleMs = 10_000, most = 512 * mega }: ThreadOptions) {
    this.#options = { threads, idleMs, most }
  }

  get alive(): number {
    return this.#threads.size
  }

  async read(job: ApartJob, signal: AbortSignal): Promise<ApartResult> {
    return (await this.#run({ read: job }, { transfer: [job.bytes.buffer], signal })) as ApartResult // it answers what it was asked
  }

  async cut(job: CutJob, signal?: AbortSignal): Promise<CutResult> {
    return (await this.#run({ cut: job }, { transfer: [job.bytes.buffer], signal })) as CutResult // it answers what it was asked
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of this.#queue.splice(0)) waiting.reject(new Error('the threads for large answers are closed'))
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  /** A task that nobody waits for any more is left out; one that runs is finished, as its end is near. */
  async #run(task: ThreadTask, { transfer, signal }: { transfer: ArrayBuffer[]; signal: AbortSignal | undefined }) {
    const { promise, resolve, reject } = Promise.withResolvers<ApartResult | CutResult>()
    const waiting = { task, transfer, resolve, reject }
    promise.catch(() => undefined) // when the signal ends first, nobody listens
    this.#queue.push(waiting)
    this.#next()
    try {
      return await (signal === undefined ? promise : within(signal, () => promise))
    } finally {
      const place = this.#queue.indexOf(waiting)
      if (place >= 0) this.#queue.splice(place, 1)
    }
  }

  #next(): void {
    if (this.#closed || this.#queue.length === 0) return
    const thread = this.#free.pop() ?? (this.#threads.size < this.#options.threads ? this.#start() : undefined)
    const waiting = thread === undefined ? undefined : this.#queue.shift()
    if (waiting !== undefined) thread?.do(waiting)
  }

  #start(): Thread {
    const freed = (thread: Thread): void => {
      this.#free.push(thread)
      thread.rest(this.#options.idleMs)
      this.#next()
    }
    const thread = new Thread(this.#options.most, (ended) => this.#ended(ended), freed)
    this.#threads.add(thread)
    return thread
  }

  #ended(thread: Thread): void {
    this.#threads.delete(thread)
    const place = this.#free.indexOf(thread)
    if (place >= 0) this.#free.splice(place, 1)
    this.#next()
  }
}

/** Makes the threads; none is started yet. */
export const createApartThreads = (options: ThreadOptions = {}): ApartThreads => new Threads(options)
