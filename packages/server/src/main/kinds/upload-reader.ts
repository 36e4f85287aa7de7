/**
 * Reads files of kinds that organizations upload, in a thread with limits of time and memory. 256 kB of YAML hold a loop for 0.8 s, and a
 * file that means harm for longer.
 */
import { Worker } from 'node:worker_threads'
import { fail } from 'ferrule/internal'
import { longestKindFile } from 'ferrule/wire'
import type { ReadUpload, ReadUploadedKind, UploadTask } from '../../connectors/own-kinds.ts'
import type { UploadAnswer } from './upload-thread.ts'

/** The thread's file. In a checkout both files are TypeScript, in the published package both are JavaScript. */
const program = new URL(`./upload-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/** Longest time for one file, in milliseconds. The largest file that is right takes a second of a processor, which a busy machine has not at once. */
const usualLongestMs = 15_000
/** Milliseconds until an idle thread ends. */
const idleMs = 10_000
/** Most files that wait for the thread. */
const mostWaiting = 20
/** The largest file that is right takes a tenth of it. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** Reads uploaded files. */
export interface UploadReader {
  readonly read: ReadUploadedKind
  /** Ends the thread, and rejects the files that wait. */
  close(): Promise<void>
}

/** A file with its promise. */
interface Waiting {
  readonly task: UploadTask
  resolve(read: ReadUpload): void
  reject(thrown: unknown): void
}

/** Says that a file could not be read within the limits. */
const refuse = (message: string): ReadUpload => ({
  checked: undefined,
  mistakes: [{ file: 'kind', line: 1, column: 1, path: '', message, near: null, example: null }],
  doubts: [],
  changes: [],
})

const tooSlow = (longestMs: number) =>
  refuse(`takes more than ${longestMs / 1_000} seconds to read: make the file smaller, with fewer aliases and keys`)
const tooLarge = () => refuse('takes too much memory to read: make the file smaller, with fewer aliases and groups of types')

const isOutOfMemory = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY'

class Reader implements UploadReader {
  readonly #longestMs: number
  readonly #waiting: Waiting[] = []
  #worker: Worker | undefined
  #isReady = false
  #current: Waiting | undefined
  /** Ends the thread: for a file that takes too long, or when nothing was read for a while. */
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(longestMs: number) {
    this.#longestMs = longestMs
  }

  readonly read: ReadUploadedKind = async (task) => {
    if (this.#isClosed) throw fail('unavailable', { reason: 'it is stopping' })
    if (Buffer.byteLength(task.file) > longestKindFile) return refuse(`is larger than ${longestKindFile / 1_024} kB`)
    if (this.#waiting.length >= mostWaiting)
      throw fail('overloaded', { reason: 'many kind files are read' }, { retryAfterMs: this.#longestMs })
    const { promise, resolve, reject } = Promise.withResolvers<ReadUpload>()
    this.#waiting.push({ task, resolve, reject })
    this.#next()
    return promise
  }

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
    this.#timer = setTimeout(() => this.#end(tooSlow(this.#longestMs)), this.#longestMs)
    this.#worker?.postMessage(this.#current?.task)
  }

  #start(): void {
    const worker = new Worker(program, { resourceLimits })
    this.#worker = worker
    worker.on('message', (answer: UploadAnswer) => {
      if (worker === this.#worker) this.#take(answer)
    })
    worker.on('error', (thrown) => {
      if (worker === this.#worker) this.#end(isOutOfMemory(thrown) ? tooLarge() : thrown)
    })
    worker.on('exit', () => {
      if (worker === this.#worker) this.#end(new Error('the thread for kind files ended'))
    })
  }

  #take(answer: UploadAnswer): void {
    if ('ready' in answer) this.#isReady = true
    else this.#finish('read' in answer ? answer.read : new Error(answer.failed))
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(), idleMs).unref()
    this.#next()
  }

  /** Answers the file that is read. */
  #finish(how: unknown): void {
    const current = this.#current
    this.#current = undefined
    if (isRead(how)) current?.resolve(how)
    else current?.reject(how)
  }

  /** Ends the thread. The next file gets another one. @param how what its file is answered with */
  #end(how?: unknown): void {
    const worker = this.#worker
    const hasBegun = this.#isReady
    this.#worker = undefined
    this.#isReady = false
    clearTimeout(this.#timer)
    // A thread that cannot begin would be started again and again.
    if (!hasBegun) for (const { reject } of this.#waiting.splice(0)) reject(how)
    this.#finish(how)
    void worker?.terminate()
    this.#next()
  }
}

const isRead = (how: unknown): how is ReadUpload => typeof how === 'object' && how !== null && 'mistakes' in how

/** Builds the reader without starting its thread. @param longestMs longest time for one file, in milliseconds */
export const createUploadReader = (longestMs = usualLongestMs): UploadReader => new Reader(longestMs)
