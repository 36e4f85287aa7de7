/** Downloads as JSON, a chunk a call: those clients cannot read bytes. */
import { FerruleError } from 'ferrule'
import type { FileAnswer } from 'ferrule/engine'
import { asFerruleError, fail, failValidation, isObject } from 'ferrule/internal'

type Values = Readonly<Record<string, unknown>>

const typeName = '_airbyte_response_type'
const formatName = '_airbyte_response_format'

/** Bytes of a chunk at most, so that an answer stays below 1.4 MB. */
export const mostBytes = 1_048_576

/** How a client asks for one chunk. */
export interface ChunkWish {
  readonly format: 'base64' | 'text'
  /** The range that is asked of the file's host. */
  readonly range: string
  /** First byte; undefined when the range counts from the end, or is left to the operation to refuse. */
  readonly from: number | undefined
  readonly size: number
  /** True when the client left the range to us. */
  readonly isFirst: boolean
}

/** One chunk, as those clients read it. */
export interface Chunk {
  readonly content: string
  readonly encoding: 'base64' | 'utf-8'
  readonly bytes_returned: number
  readonly range_requested: string
  readonly next_range_header: string | null
  readonly has_more: boolean
  readonly content_type: string | null
}

const oneOf = (name: string, values: readonly string[]): FerruleError =>
  failValidation([{ field: `/params/${name}`, message: `must be one of: ${values.join(', ')}`, error_code: 'enum' }])

const formRange = (from: number, size: number): string => `bytes=${from}-${from + size - 1}`

/** Reads a range and bounds it. Ranges that count from the end are bounded by what is read. */
function readRange(given: unknown): Pick<ChunkWish, 'range' | 'from' | 'size' | 'isFirst'> {
  if (given === undefined || given === null) return { range: formRange(0, mostBytes), from: 0, size: mostBytes, isFirst: true }
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(String(given)) ?? []
  if (first === undefined) return { range: String(given), from: undefined, size: mostBytes, isFirst: false }
  const from = Number(first)
  const wanted = last === undefined || last === '' ? mostBytes : Number(last) - from + 1
  if (wanted < 1) return { range: String(given), from: undefined, size: mostBytes, isFirst: false }
  const size = Math.min(wanted, mostBytes)
  return { range: formRange(from, size), from, size, isFirst: false }
}

/**
 * Reads whether a call wants a chunk.
 * @returns the wish and the body without it; undefined for every other call
 * @throws FerruleError `validation_failed`
 */
export function readChunkWish(body: Values): { readonly wish: ChunkWish; readonly body: Values } | undefined {
  const params = body['params']
  if (body['action'] !== 'download' || !isObject(params) || params[typeName] === undefined) return undefined
  const { [typeName]: type, [formatName]: format = 'base64', range_header: range, ...rest } = params
  if (type !== 'json') throw oneOf(typeName, ['json'])
  if (format !== 'base64' && format !== 'text') throw oneOf(formatName, ['base64', 'text'])
  const wish = { format, ...readRange(range) } as const
  return { wish, body: { ...body, params: { ...rest, range_header: wish.range } } }
}

/** Where the bytes of an answer lie in the file; `total` is undefined when the host does not say. */
function readExtent({ status, contentRange, contentLength }: FileAnswer, { from = 0 }: ChunkWish) {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(contentRange ?? '') ?? []
  if (status === 200) return { start: 0, skip: from, total: contentLength ?? undefined }
  return {
    start: first === undefined ? from : Number(first),
    skip: 0,
    total: total === undefined || total === '*' ? undefined : Number(total),
  }
}

/** Reads at most `size` bytes after the first `skip`, and ends the transfer. */
async function readBytes({ body }: FileAnswer, { skip, size }: { readonly skip: number; readonly size: number }) {
  const parts: Buffer[] = []
  let [left, wanted] = [skip, size]
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      const kept = part.subarray(Math.min(left, part.length))
      left -= part.length - kept.length
      parts.push(kept.subarray(0, wanted))
      wanted -= Math.min(wanted, kept.length)
      if (wanted === 0) return { bytes: Buffer.concat(parts), isEnd: false }
    }
  } catch (thrown) {
    const cause = asFerruleError(thrown)
    throw cause.code === 'internal_error'
      ? fail('upstream_answer_invalid', { vendor: 'the host of the file', reason: 'the transfer was cut' }, { cause: thrown })
      : cause
  } finally {
    body.destroy()
  }
  return { bytes: Buffer.concat(parts), isEnd: true }
}

const notText = (): FerruleError =>
  failValidation([
    { field: `/params/${formatName}`, message: 'cannot be text: these bytes are not UTF-8; ask for base64', error_code: 'encoding' },
  ])

/**
 * Decodes the whole characters at the beginning of the bytes. The last character of a chunk may be cut; the next chunk begins with it.
 * @throws FerruleError `validation_failed` for bytes that are no text
 */
function decode(bytes: Buffer, isEnd: boolean): { readonly content: string; readonly length: number } {
  try {
    const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isEnd })
    const length = Buffer.byteLength(content)
    if (length === 0 && bytes.length > 0) throw notText()
    return { content, length }
  } catch (thrown) {
    throw thrown instanceof FerruleError ? thrown : notText()
  }
}

/** Reads one chunk of a file. @throws FerruleError `validation_failed`, `upstream_answer_invalid` */
export async function readChunk(file: FileAnswer, wish: ChunkWish): Promise<Chunk> {
  const { start, skip, total } = readExtent(file, wish)
  const { bytes, isEnd } = await readBytes(file, { skip, size: wish.size })
  const end = start + skip + bytes.length
  const isLast = total === undefined ? isEnd && bytes.length < wish.size : end >= total
  const { content, length } = wish.format === 'text' ? decode(bytes, isLast) : { content: bytes.toString('base64'), length: bytes.length }
  return {
    content,
    encoding: wish.format === 'text' ? 'utf-8' : 'base64',
    bytes_returned: length,
    range_requested: wish.range,
    next_range_header: isLast ? null : formRange(start + skip + length, wish.size),
    has_more: !isLast,
    content_type: file.contentType,
  }
}

/** Returns the chunk of an empty file, of which no host has a first byte; throws every other error again. */
export function readEmptyFile(thrown: unknown, { isFirst, range, format }: ChunkWish): Chunk {
  const isEmpty =
    thrown instanceof FerruleError && thrown.code === 'range_not_satisfiable' && thrown.headers['content-range'] === 'bytes */0'
  if (!isFirst || !isEmpty) throw thrown
  const encoding = format === 'text' ? 'utf-8' : 'base64'
  const nothing = { content: '', bytes_returned: 0, next_range_header: null, has_more: false, content_type: null }
  return { ...nothing, encoding, range_requested: range }
}
