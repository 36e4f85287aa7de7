/** A pool of threads for large bodies. A thread starts when it is first needed, and ends when it is idle. */
import { Worker } from 'node:worker_threads'
import type { ConnectorDefinition } from 'ferrule/definition'
import type { Apart, ApartJob, ApartResult } from 'ferrule/engine'
import { awaitUnlessAborted, BoundedMap } from 'ferrule/internal'
import type { CutJob, CutResult, Cutter } from '../calls/cut-records.ts'
import { isOfLibrary, type ServedKind } from '../connectors/connector-types.ts'
import type { EncodeJob, EncodeResult, ParquetEncoder } from '../copies/parquet/encoder.ts'
import type { SentKind, ThreadAnswer, ThreadInput, ThreadResult, ThreadTask } from './apart-thread.ts'

/** The thread's file. In a checkout both files are TypeScript, in the published package both are JavaScript. */
const program = new URL(`./apart-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

const bytesPerMb = 1_048_576
/** Most kinds from files that are known to be known to a thread; a thread keeps as many. */
const mostTaught = 50

/**
 * Builds the limits of a thread. V8 ends the whole process when the heap of a thread is full, and JSON.parse cannot be stopped. So the
 * heap holds four times the maximum: the parser of long numbers needs the body twice, and its output once more.
 */
const buildLimits = (maxBytes: number) => ({ maxOldGenerationSizeMb: 256 + Math.ceil((4 * maxBytes) / bytesPerMb) })

/** Options of the pool. */
export interface ThreadOptions {
  readonly threads?: number
  /** Milliseconds until an idle thread ends. */
  readonly idleMs?: number
  /** Maximum memory of a parsed body, in bytes. A body of 32 MiB takes about 100 million, unless it consists of brackets. */
  readonly maxBytes?: number
}

/** Size from which a body is large, in bytes: the event loop parses so many in 10 ms. */
const largeBodyBytes = 1_048_576

interface WaitingTask {
  readonly task: ThreadTask
  readonly kind: ServedKind | undefined
  readonly transfer: ArrayBuffer[]
  resolve(done: ThreadResult): void
  reject(thrown: unknown): void
}

/** What the pool does when the state of a thread changes. */
interface ThreadEvents {
  /** The thread takes no task any longer, and has not ended. */
  leaving(thread: Thread): void
  ended(thread: Thread): void
  free(thread: Thread): void
}

class Thread {
  readonly #worker: Worker
  #current: WaitingTask | undefined
  readonly #events: ThreadEvents
  /** Kinds from files that the thread has got, the last version of each. */
  readonly #taught = new BoundedMap<string, ConnectorDefinition>(mostTaught)
  #idle: NodeJS.Timeout | undefined

  constructor(maxBytes: number, events: ThreadEvents) {
    this.#events = events
    this.#worker = new Worker(program, {
      workerData: { maxBytes, mostTaught } satisfies ThreadInput,
      resourceLimits: buildLimits(maxBytes),
    })
    this.#worker.on('message', (message: ThreadAnswer) => {
      const current = this.#current
      this.#current = undefined
      if ('done' in message) current?.resolve(message.done)
      else current?.reject(new Error(message.failed))
      events.free(this)
    })
    this.#worker.on('error', (thrown) => {
      events.leaving(this)
      this.#fail(thrown)
    })
    this.#worker.on('exit', () => {
      clearTimeout(this.#idle)
      this.#fail(new Error('a thread for large answers ended'))
      events.ended(this)
    })
  }

  run(waiting: WaitingTask): void {
    clearTimeout(this.#idle)
    this.#current = waiting
    this.#worker.postMessage({ ...waiting.task, kind: this.#teach(waiting.kind) } satisfies ThreadTask, waiting.transfer)
  }

  #teach(kind: ServedKind | undefined): SentKind | undefined {
    if (kind === undefined || isOfLibrary(kind)) return undefined
    const { definition, rulesModule } = kind
    if (this.#taught.get(definition.kind) === definition) return undefined
    this.#taught.set(definition.kind, definition)
    return { definition, rulesModule }
  }

  /** Ends the thread after some milliseconds without a task. */
  rest(idleMs: number): void {
    this.#idle = setTimeout(() => void this.end(), idleMs).unref()
  }

  async end(): Promise<void> {
    this.#events.leaving(this)
    await this.#worker.terminate()
  }

  #fail(thrown: unknown): void {
    this.#current?.reject(thrown)
    this.#current = undefined
  }
}

/** Parses and cuts large bodies, and writes parts of Parquet files. */
export class ApartThreads implements Apart, Cutter, ParquetEncoder {
  readonly from = largeBodyBytes
  readonly #options: Required<ThreadOptions>
  readonly #threads = new Set<Thread>()
  readonly #free: Thread[] = []
  readonly #queue: WaitingTask[] = []
  #closed = false

  constructor({ threads = 2, idleMs = 10_000, maxBytes = 512 * bytesPerMb }: ThreadOptions = {}) {
    this.#options = { threads, idleMs, maxBytes }
  }

  /** Number of threads that run or are idle. */
  get alive(): number {
    return this.#threads.size
  }

  async read(job: ApartJob, { kind, signal }: Parameters<Apart['read']>[1]): Promise<ApartResult> {
    return (await this.#run({ read: job }, { kind, transfer: [job.bytes.buffer], signal })) as ApartResult // the thread answers with the kind of its task
  }

  async cut(job: CutJob, signal?: AbortSignal): Promise<CutResult> {
    return (await this.#run({ cut: job }, { transfer: [job.bytes.buffer], signal })) as CutResult // the thread answers with the kind of its task
  }

  async encode(job: EncodeJob, signal?: AbortSignal): Promise<EncodeResult> {
    const transfer = 'lines' in job.content ? job.content.lines.map(({ buffer }) => buffer) : []
    return (await this.#run({ encode: job }, { transfer, signal })) as EncodeResult // the thread answers with the kind of its task
  }

  /** Ends the threads and rejects their tasks. */
  async close(): Promise<void> {
    this.#closed = true
    for (const waiting of this.#queue.splice(0)) waiting.reject(new Error('the threads for large answers are closed'))
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  /** Runs a task on a thread. An aborted task leaves the queue; an aborted task that runs is finished, because its end is near. */
  async #run(
    task: ThreadTask,
    { transfer, signal, kind }: { transfer: ArrayBuffer[]; signal: AbortSignal | undefined; kind?: ServedKind },
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<ThreadResult>()
    const waiting = { task, kind, transfer, resolve, reject }
    promise.catch(() => undefined) // after an abort nobody handles the rejection
    this.#queue.push(waiting)
    this.#next()
    try {
      return await (signal === undefined ? promise : awaitUnlessAborted(signal, () => promise))
    } finally {
      const index = this.#queue.indexOf(waiting)
      if (index >= 0) this.#queue.splice(index, 1)
    }
  }

  #next(): void {
    if (this.#closed || this.#queue.length === 0) return
    const thread = this.#free.pop() ?? (this.#threads.size < this.#options.threads ? this.#start() : undefined)
    const waiting = thread === undefined ? undefined : this.#queue.shift()
    if (waiting === undefined || thread === undefined) return
    thread.run(waiting)
  }

  #start(): Thread {
    const thread = new Thread(this.#options.maxBytes, {
      leaving: (leaving) => this.#leave(leaving),
      ended: (ended) => {
        this.#leave(ended)
        this.#threads.delete(ended)
        this.#next()
      },
      free: (freed) => {
        this.#free.push(freed)
        freed.rest(this.#options.idleMs)
        this.#next()
      },
    })
    this.#threads.add(thread)
    return thread
  }

  /** Gives a thread no further task: one that is ending loses what it is sent. */
  #leave(thread: Thread): void {
    const index = this.#free.indexOf(thread)
    if (index >= 0) this.#free.splice(index, 1)
  }
}
