/**
 * Collects the body of an answer, decompresses it by its `content-encoding` (RFC 9110), and decodes it. Limits both the compressed and the
 * decompressed size.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'
import type { Dispatcher } from 'undici/index.js'
import { freeBytes } from '../json/raw-rows.ts'
import type { MemoryLease } from './memory.ts'

/** An answer above the size limit. */
export class TooLarge extends Error {}

type Unpack = (packed: Buffer, options: Pick<ZlibOptions, 'chunkSize' | 'maxOutputLength'>) => Promise<Buffer>

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
}

const findUnpacker = (encoding: unknown): Unpack | undefined =>
  typeof encoding === 'string' ? unpackers[encoding.trim().toLowerCase()] : undefined

/** Returns whether a body does not match its `content-encoding`, by the error codes of zlib and Brotli. */
export const isUnpackable = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && /^(Z_|ERR__ERROR_)/.test(String(thrown.code))

/** Decodes a body as UTF-8 without a byte order mark, as the Fetch standard does. */
export const decodeBody = (bytes: Buffer): string =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.toString('utf8', 3) : bytes.toString('utf8')

/** Releases the memory of a body that was read, unless it shares the memory with other bytes. */
export function freeOwnBytes(body: Buffer): void {
  if (body.byteLength === body.buffer.byteLength) freeBytes(body)
}

/** The memory account of a body. */
export interface Holding {
  readonly lease: MemoryLease
  /** Bytes of memory per byte of the body. */
  readonly weight: number
  /** Ends a wait for memory. */
  readonly signal: AbortSignal
}

/** Smallest decompression step in bytes, and the largest compression ratio. */
const [smallestStep, largestRatio] = [16_384, 1_032]

/**
 * Chooses the step of decompression. gzip ends with the length of its content (RFC 1952, modulo 2^32). The length is only a hint, so the
 * best ratio of the format limits it.
 */
function chooseStep(packed: Buffer, most: number): number {
  const isGzip = packed.length > 4 && packed[0] === 0x1f && packed[1] === 0x8b
  const told = isGzip ? packed.readUInt32LE(packed.length - 4) + 1 : 0
  return Math.max(smallestStep, Math.min(told, most + 1, packed.length * largestRatio))
}

/** How a body is decompressed. */
export interface BodyOptions {
  /** The value of `content-encoding`; an unknown one leaves the bytes unchanged. */
  readonly encoding: unknown
  /** Maximum number of bytes, compressed and decompressed, because a small body can contain a large one. */
  readonly most: number
  /** The memory account of the body; without it nothing is counted. */
  readonly holding?: Holding | undefined
}

/** Decompresses in steps, so that the account holds the actual size and not the largest possible. */
async function unpackBody(packed: Buffer, unpack: Unpack, { most, holding }: BodyOptions): Promise<Buffer> {
  const step = chooseStep(packed, most)
  for (
    let limit = holding === undefined ? most : Math.min(most, Math.max(step, packed.length * firstRatio));
    ;
    limit = Math.min(most, limit * 4)
  ) {
    const before = holding?.lease.held ?? 0
    await holding?.lease.grow(holding.weight * limit, holding.signal)
    try {
      const whole = await unpack(packed, { maxOutputLength: limit, chunkSize: Math.min(step, limit + 1) })
      holding?.lease.shrinkTo(before + holding.weight * whole.length)
      return whole
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE')) throw thrown
      if (limit >= most) throw new TooLarge()
      holding?.lease.shrinkTo(before)
    }
  }
}

/** First guess of the ratio: JSON compresses to a fifth or less. */
const firstRatio = 8

/**
 * Decompresses a body that has a known `content-encoding`.
 * @throws TooLarge; an error of zlib (`isUnpackable`); FerruleError `overloaded`
 */
export async function unpackBytes(packed: Buffer, options: BodyOptions): Promise<Buffer> {
  const unpack = findUnpacker(options.encoding)
  if (unpack === undefined || packed.length === 0) return packed // the answer of HEAD has headers of a body that does not come
  try {
    return await unpackBody(packed, unpack, options)
  } finally {
    freeOwnBytes(packed)
  }
}

/** An answer before its body is decompressed. */
interface WholeAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body, compressed or not. */
  readonly bytes: Buffer
}

interface Collecting {
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

/** Receives one answer from undici's callbacks. A stream with its events would take a sixth of the CPU time of a short list. */
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

/** Sends a request and collects its answer. @throws the reason of the signal, at once; TooLarge; the failure of undici */
export function collectAnswer(agent: Dispatcher, options: Dispatcher.DispatchOptions, collecting: Collecting): Promise<WholeAnswer> {
  collecting.signal.throwIfAborted()
  const collector = new Collector(collecting)
  agent.dispatch(options, collector)
  return collector.answer
}
