/** Downloads as resources: a client reads a file in parts, each by its own request. */
import type { Reach } from '../agent/reach.ts'
import type { AgentRequest, RequestLimits } from '../agent/source.ts'
import { isObject } from '../definition/object.ts'
import { fail, failValidation } from '../errors.ts'
import { readJson, writeJson } from '../values/json/json.ts'

/** A file of a connector. */
export interface FilePlace {
  /** Id of the connector. */
  readonly connector: string
  readonly entity: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A part of a file. */
export interface FilePart {
  readonly name: string
  /** Content type. */
  readonly type: string
  /** The bytes in base64. */
  readonly blob: string
  readonly offset: number
  /** Offset of the next part; null after the last one. */
  readonly next: number | null
  /** Number of bytes of the whole file; null if the vendor omits it. */
  readonly size: number | null
}

/** Bytes of a part: 262,144 characters in base64. */
const partBytes = 196_608
/** Maximum number of bytes that are read and dropped where a vendor serves whole files only. */
const mostSkippedBytes = 33_554_432
const action = 'download'
const rangeParameter = 'range_header'

/** The template of all addresses of files (RFC 6570). */
export const fileTemplate = `ferrule://connectors/{connector}/{entity}/${action}{?params,offset}`

/** Writes the address of a part. */
export function writeFileAddress({ connector, entity, params }: FilePlace, offset = 0): string {
  const query = new URLSearchParams({ params: writeJson(params), offset: String(offset) })
  return `ferrule://connectors/${encodeURIComponent(connector)}/${encodeURIComponent(entity)}/${action}?${query}`
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function parseParams(text: string): unknown {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

/**
 * Reads the address of a part.
 * @returns undefined: it is no address of a file
 * @throws FerruleError `validation_failed` for wrong values within an address of a file
 */
export function readFileAddress(address: string): { readonly place: FilePlace; readonly offset: number } | undefined {
  const [, first = '', second = '', query = ''] = /^ferrule:\/\/connectors\/([^/?]+)\/([^/?]+)\/download(?:\?(.*))?$/s.exec(address) ?? []
  const [connector, entity] = [decode(first), decode(second)]
  if (!connector || !entity) return undefined
  const values = new URLSearchParams(query)
  const params = parseParams(values.get('params') ?? '{}')
  const offset = Number(values.get('offset') ?? 0)
  if (!isObject(params)) throw failValidation([{ field: '/params', message: 'must be a JSON object', error_code: 'type' }])
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw failValidation([{ field: '/offset', message: 'must be a whole number of bytes, 0 or more', error_code: 'type' }])
  return { place: { connector, entity, params }, offset }
}

/** A download, as far as parts need it. */
interface Opened {
  readonly name: string
  readonly type: string
  /** The whole file, and not the part that was asked for. */
  readonly isWhole: boolean
  readonly size: number | null
  readonly stream: ReadableStream<Uint8Array>
}

const readTotal = (range: unknown): number | null => {
  const total = typeof range === 'string' ? /\/(\d+)$/.exec(range)?.[1] : undefined
  return total === undefined ? null : Number(total)
}

/** Reads what a source answers to a download. */
function readDownload(result: unknown): Opened {
  const stream = isObject(result) ? result['stream'] : undefined
  if (!isObject(result) || !(stream instanceof ReadableStream)) throw fail('internal_error', {})
  const { status, type, length, range, name } = result
  const isWhole = status !== 206
  return {
    name: typeof name === 'string' ? name : 'download',
    type: typeof type === 'string' ? type : 'application/octet-stream',
    isWhole,
    size: isWhole ? (typeof length === 'number' ? length : null) : readTotal(range),
    stream,
  }
}

/** Reads bytes from a position of a stream, and ends the transfer. */
async function readBytes(stream: ReadableStream<Uint8Array>, from: number): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let [toSkip, missing] = [from, partBytes]
  // Leaving the loop cancels the stream.
  for await (const chunk of stream) {
    const rest = chunk.subarray(Math.min(toSkip, chunk.length))
    toSkip -= chunk.length - rest.length
    const part = rest.subarray(0, missing)
    parts.push(part)
    missing -= part.length
    if (missing === 0) break
  }
  return Buffer.concat(parts)
}

/**
 * Reads a part of a file.
 * @param reach the systems; they check who asks at every part
 * @throws FerruleError what the source throws; `validation_failed` when the vendor serves no parts this far into the file
 */
export async function readFilePart(
  reach: Reach,
  { place, offset }: { readonly place: FilePlace; readonly offset: number },
  limits: RequestLimits,
): Promise<FilePart> {
  const connector = await reach.get(place.connector, limits)
  const range = `bytes=${offset}-${offset + partBytes - 1}`
  const request: AgentRequest = { entity: place.entity, action, params: { ...place.params, [rangeParameter]: range } }
  const { name, type, isWhole, size, stream } = readDownload(await reach.source.execute(connector, request, limits))
  if (isWhole && offset > mostSkippedBytes) {
    await stream.cancel()
    throw failValidation([{ field: '/offset', message: 'is too large: the vendor serves this file as a whole only', error_code: 'range' }])
  }
  const bytes = await readBytes(stream, isWhole ? offset : 0)
  const end = offset + bytes.length
  const isLast = size === null ? bytes.length < partBytes : end >= size
  return { name, type, offset, size, blob: bytes.toString('base64'), next: isLast || bytes.length === 0 ? null : end }
}
