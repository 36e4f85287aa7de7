/** Decodes bodies and decompresses them by their `content-encoding` (RFC 9110). Limits both the compressed and the decompressed size. */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'
import { freeBytes } from '../json/bytes.ts'
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

const isOverflow = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE'

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
      if (!isOverflow(thrown)) throw thrown
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
  if (unpack === undefined) return packed
  try {
    return await unpackBody(packed, unpack, options)
  } finally {
    freeOwnBytes(packed)
  }
}
