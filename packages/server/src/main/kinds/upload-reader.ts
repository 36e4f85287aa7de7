/**
 * Reads what organizations upload, files of kinds and documents, in a thread with limits of time and memory. 256 kB of YAML hold a loop for
 * 0.8 s, and a file that means harm for longer.
 */
import { Worker } from 'node:worker_threads'
import { fail } from 'ferrule/internal'
import { type KindDocument, longestKindFile } from 'ferrule/wire'
import type { ReadDocument, ReadUpload, ReadUploads, UploadTask } from '../../connectors/own-kinds.ts'
import type { ThreadAnswer, ThreadRead, ThreadTask } from './upload-thread.ts'

/** The thread's file. In a checkout both files are TypeScript, in the published package both are JavaScript. */
const program = new URL(`./upload-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/** Longest time for one upload, in milliseconds. The largest file that is right takes a second of a processor, which a busy machine has not at once. */
const usualLongestMs = 15_000
/** Milliseconds until an idle thread ends. */
const idleMs = 10_000
/** Most uploads that wait for the thread. */
const mostWaiting = 20
/** The largest file that is right takes a tenth of it. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** An upload costs more than it may. */
class TooCostly extends Error {}

/** An upload with its promise. */
interface WaitingUpload {
  readonly task: ThreadTask
  resolve(read: ThreadRead): void
  reject(thrown: unknown): void
}

/** Says that a file could not be read within the limits. */
const refuse = (message: string): ReadUpload => ({
  checked: undefined,
  mistakes: [{ file: 'kind', line: 1, column: 1, path: '', message, near: null, example: null }],
  doubts: [],
  unsure: [],
  test: null,
  changes: [],
})

const isOutOfMemory = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'

/** Reads uploads. */
export class UploadReader implements ReadUploads {
  readonly #longestMs: number
  readonly #waiting: WaitingUpload[] = []
  #worker: Worker | undefined
  #isReady = false
  #current: WaitingUpload | undefined
  /** Ends the thread: for an upload that takes too long, or when nothing was read for a while. */
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(longestMs = usualLongestMs) {
    this.#longestMs = longestMs
  }

  readonly kind = async (task: UploadTask): Promise<ReadUpload> => {
    if (Buffer.byteLength(task.file) > longestKindFile) return refuse(`is larger than ${longestKindFile / 1_024} kB`)
    try {
      const read = await this.#read({ kind: task })
      if ('kind' in read) return read.kind
    } catch (thrown) {
      if (!(thrown instanceof TooCostly)) throw thrown
      return refuse(`takes ${thrown.message} to read: make the file smaller, with fewer aliases, keys and groups of types`)
    }
    throw new Error('the thread has read something else')
  }

  readonly document = async (task: KindDocument): Promise<ReadDocument> => {
    try {
      const read = await this.#read({ document: task })
      if ('document' in read) return read.document
    } catch (thrown) {
      if (!(thrown instanceof TooCostly)) throw thrown
      return { problem: `takes ${thrown.message} to convert: upload a part of it, or use ferrule kind new` }
    }
    throw new Error('the thread has read something else')
  }

  #read(task: ThreadTask): Promise<ThreadRead> {
    if (this.#isClosed) return Promise.reject(fail('unavailable', { reason: 'it is stopping' }))
    if (this.#waiting.length >= mostWaiting)
      return Promise.reject(fail('overloaded', { reason: 'many kind files are read' }, { retryAfterMs: this.#longestMs }))
    const { promise, resolve, reject } = Promise.withResolvers<ThreadRead>()
    this.#waiting.push({ task, resolve, reject })
    this.#next()
    return promise
  }

  /** Ends the thread, and rejects what waits. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(fail('unavailable', { reason: 'it is stopping' }))
    clearTimeout(this.#timer)
    await this.#worker?.terminate()
  }

  #next(): void {
    if (this.#current !== undefined || this.#waiting.length === 0 || this.#isClosed) return
    if (this.#worker === undefined) this.#start()
    if (!this.#isReady) return
    this.#current = this.#waiting.shift()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(new TooCostly(`more than ${this.#longestMs / 1_000} seconds`)), this.#longestMs)
    this.#worker?.postMessage(this.#current?.task)
  }

  #start(): void {
    const worker = new Worker(program, { resourceLimits })
    this.#worker = worker
    worker.on('message', (answer: ThreadAnswer) => {
      if (worker === this.#worker) this.#take(answer)
    })
    worker.on('error', (thrown) => {
      if (worker === this.#worker) this.#end(isOutOfMemory(thrown) ? new TooCostly('too much memory') : thrown)
    })
    worker.on('exit', () => {
      if (worker === this.#worker) this.#end(new Error('the thread for kind files ended'))
    })
  }

  #take(answer: ThreadAnswer): void {
    if ('ready' in answer) this.#isReady = true
    else {
      const current = this.#current
      this.#current = undefined
      if ('read' in answer) current?.resolve(answer.read)
      else current?.reject(new Error(answer.failed))
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(), idleMs).unref()
    this.#next()
  }

  /** Ends the thread. The next upload gets another one. @param thrown why, for the upload that it reads */
  #end(thrown?: unknown): void {
    const worker = this.#worker
    const hasBegun = this.#isReady
    this.#worker = undefined
    this.#isReady = false
    clearTimeout(this.#timer)
    // A thread that cannot begin would be started again and again.
    if (!hasBegun) for (const { reject } of this.#waiting.splice(0)) reject(thrown)
    this.#current?.reject(thrown)
    this.#current = undefined
    void worker?.terminate()
    this.#next()
  }
}
