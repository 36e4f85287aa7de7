/** Collects a whole answer from undici's callbacks. A stream with its events would take a sixth of the CPU time of a short list. */
import type { Dispatcher } from 'undici/index.js'
import { type Holding, TooLarge } from './body.ts'

/** An answer before its body is decompressed. */
export interface WholeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body, compressed or not. */
  readonly bytes: Buffer
}

/** How an answer is collected. */
export interface Collecting {
  /** Maximum size of the body in bytes. */
  readonly most: number
  /** The memory account of the body; without it nothing is counted. */
  readonly holding?: Holding | undefined
  readonly signal: AbortSignal
  /** Called when the request is written to a connection. */
  readonly onSend?: (() => void) | undefined
  /** Called with the status of the answer, before the body. */
  readonly onStatus?: (status: number) => void
}

/** Smallest number of bytes that a chunk counts as. */
const smallestChunk = 512

const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)

/** Receives one answer. */
class Collector implements Dispatcher.DispatchHandler {
  readonly answer: Promise<WholeAnswer>
  readonly #collecting: Collecting
  readonly #chunks: Buffer[] = []
  #size = 0
  #status = 0
  #headers: WholeAnswer['headers'] = {}
  #controller: Dispatcher.DispatchController | undefined
  #settle: { readonly resolve: (answer: WholeAnswer) => void; readonly reject: (why: unknown) => void }

  constructor(collecting: Collecting) {
    this.#collecting = collecting
    const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>()
    this.answer = promise
    this.#settle = { resolve, reject }
    collecting.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  readonly #onAbort = (): void => this.#end(this.#collecting.signal.reason)

  /** Fails the answer at once, and closes the connection as soon as there is one. */
  readonly #end = (why: unknown): void => {
    this.#release()
    this.#settle.reject(why)
    this.#controller?.abort(why instanceof Error ? why : new Error('the call was ended', { cause: why }))
  }

  #release(): void {
    const { signal, holding } = this.#collecting
    signal.removeEventListener('abort', this.#onAbort)
    if (holding !== undefined) holding.lease.cut = undefined
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal, onSend } = this.#collecting
    this.#controller = controller
    if (signal.aborted) this.#end(signal.reason)
    else onSend?.()
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: WholeAnswer['headers']): void {
    if (status < 200) return // informational; the answer follows
    const { holding, onStatus } = this.#collecting
    this.#status = status
    this.#headers = headers
    if (holding !== undefined) holding.lease.cut = this.#end
    onStatus?.(status)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    this.#chunks.push(chunk)
    if (this.#size > this.#collecting.most) this.#end(new TooLarge())
    else this.#count(controller, chunk.length)
  }

  /** Counts a chunk, and pauses the body until memory is free. */
  #count(controller: Dispatcher.DispatchController, length: number): void {
    const { holding } = this.#collecting
    if (holding === undefined) return
    try {
      const waited = holding.lease.grow(holding.weight * Math.max(length, smallestChunk), holding.signal)
      if (waited === undefined) return
      controller.pause()
      waited.then(() => controller.resume(), this.#end)
    } catch (why) {
      this.#end(why)
    }
  }

  onResponseEnd(): void {
    this.#release()
    this.#settle.resolve({ status: this.#status, headers: this.#headers, bytes: joinChunks(this.#chunks) })
  }

  onResponseError(_controller: Dispatcher.DispatchController, why: Error): void {
    this.#release()
    this.#settle.reject(why)
  }
}

/**
 * Sends a request and collects its answer.
 * @throws the reason of the signal, at once; TooLarge; the failure of undici
 */
export function collectAnswer(agent: Dispatcher, options: Dispatcher.DispatchOptions, collecting: Collecting): Promise<WholeAnswer> {
  collecting.signal.throwIfAborted()
  const collector = new Collector(collecting)
  agent.dispatch(options, collector)
  return collector.answer
}
