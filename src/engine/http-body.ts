/** The bytes of an answer's body, unpacked by its `content-encoding` (RFC 9110), bounded both packed and unpacked. */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'
import type { MemoryLease } from './memory.ts'

/** An answer that is larger than it may be. */
export class TooLarge extends Error {}

type Unpack = (packed: Buffer, options: Pick<ZlibOptions, 'chunkSize' | 'maxOutputLength'>) => Promise<Buffer>

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  deflate: promisify<Buffer, ZlibOptions, Buffer>(inflate),
  br: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
}

const unpackerOf = (encoding: unknown): Unpack | undefined =>
  typeof encoding === 'string' ? unpackers[encoding.trim().toLowerCase()] : undefined

/** Whether a body is not what its `content-encoding` says, by the codes of zlib and Brotli. */
export const isUnpackable = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && /^(Z_|ERR__ERROR_)/.test(String(thrown.code))

/**
 * Gives the memory of bytes back at once. They outlive the collections of the young, so that without this some tens of megabytes of
 * them lie about until V8 collects everything. For bytes that nobody else knows.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  // Small buffers share their memory with others (Buffer.poolSize).
  if (buffer instanceof ArrayBuffer && byteLength > Buffer.poolSize) buffer.transfer(0)
}

/** The text of a body, without a byte order mark: UTF-8, as the Fetch standard decodes it. */
export const textOf = (bytes: Buffer): string =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.toString('utf8', 3) : bytes.toString('utf8')

/** The memory that a body is counted in. */
export interface Holding {
  readonly lease: MemoryLease
  /** Bytes of memory for a byte of the body. */
  readonly weight: number
  /** Ends a wait for memory. */
  readonly signal: AbortSignal
}

/** A piece of a body takes so many bytes, however small it is. */
const smallestChunk = 512

/** Counts a piece; the body waits until there is memory for it. */
function count(body: Readable, { lease, weight, signal }: Holding, length: number): void {
  try {
    const waited = lease.grow(weight * Math.max(length, smallestChunk), signal)
    if (waited === undefined) return
    body.pause()
    waited.then(
      () => void body.resume(),
      (why: Error) => void body.destroy(why),
    )
  } catch (why) {
    body.destroy(why instanceof Error ? why : undefined)
  }
}

async function collected(body: Readable, most: number, holding: Holding | undefined): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  body.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size > most) body.destroy(new TooLarge())
    else if (holding !== undefined) count(body, holding, chunk.length)
  })
  body.once('error', reject)
  body.once('close', () => reject(new Error('the body was cut'))) // nothing when it has ended
  body.once('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
  if (holding === undefined) return promise
  holding.lease.cut = (why) => void body.destroy(why)
  try {
    return await promise
  } finally {
    holding.lease.cut = undefined
  }
}

/** Bytes of the steps in which a body is unpacked. */
const [smallestStep, largestRatio] = [16_384, 1_032]

/**
 * The step in which a body is unpacked at once: gzip ends with the length of what it holds (RFC 1952, modulo 2^32). It is a hint
 * only, so it is bounded by what the format can hold at best.
 */
function stepFor(packed: Buffer, most: number): number {
  const isGzip = packed.length > 4 && packed[0] === 0x1f && packed[1] === 0x8b
  const told = isGzip ? packed.readUInt32LE(packed.length - 4) + 1 : 0
  return Math.max(smallestStep, Math.min(told, most + 1, packed.length * largestRatio))
}

const isOverflow = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE'

/** How a body is read. */
export interface BodyOptions {
  /** The value of `content-encoding`; one that is not known leaves the bytes as they came. */
  readonly encoding: unknown
  /** Largest number of bytes, packed and unpacked: a small body can hold a large one. */
  readonly most: number
  /** The memory that it is counted in; without it nothing is counted. */
  readonly holding?: Holding | undefined
}

/** Unpacks in steps, so that memory is taken for what comes of it, and not for the largest that could. */
async function unpacked(packed: Buffer, unpack: Unpack, { most, holding }: BodyOptions): Promise<Buffer> {
  const step = stepFor(packed, most)
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
      if (!isOverflow(thrown)) throw thrown
      if (limit >= most) throw new TooLarge()
      holding?.lease.shrinkTo(before)
    }
  }
}

/** JSON is packed to a fifth or less. */
const firstRatio = 8

/**
 * Reads a body.
 * @throws TooLarge; an error of zlib (`isUnpackable`); what the body fails with; FerruleError `overloaded`
 */
export async function bytesOf(body: Readable, options: BodyOptions): Promise<Buffer> {
  const packed = await collected(body, options.most, options.holding)
  const unpack = unpackerOf(options.encoding)
  if (unpack === undefined) return packed
  try {
    return await unpacked(packed, unpack, options)
  } finally {
    if (packed.byteLength === packed.buffer.byteLength) freeBytes(packed) // else it is a part of what came
  }
}
