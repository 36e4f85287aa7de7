import { createHmac } from 'node:crypto'
import { at } from '../data.ts'
import type { ByteSource, ReceivedRequest, Reply } from '../http.ts'
import { hash32, Random } from '../random.ts'
import { findCall, special, type World } from './world.ts'

/** The two files that a call can have. */
export type MediaKind = 'audio' | 'video'

/** Files of the calls: addresses, bytes, and the server that hands them out. */
export interface Media {
  /** Signed addresses of a call's files; a file that does not exist has no key. */
  urls(call: number): { readonly audioUrl?: string; readonly videoUrl?: string }
  /** The bytes of a file, whether or not the call has it. */
  source(call: number, kind: MediaKind): ByteSource
  /** Answers a request to the media origin. */
  answer(request: ReceivedRequest): Reply
  /** A refusal in the shape of the file store. */
  refuse(status: number, message?: string): Reply
}

interface MediaOptions {
  readonly world: World
  readonly secret: string
  readonly clock: () => number
  /** Size of the files of the one large call, in bytes. */
  readonly largeBytes: number
  /** Origin of the media server. */
  readonly origin: () => string
}

/** Life of a signed address in seconds. */
const mediaUrlSeconds = 28_800

const blockBytes = 65_536
const formats = {
  audio: { ending: 'playback.mp3', type: 'audio/mpeg', magic: Buffer.from('ID3\u0004\0\0\0\0\0\0', 'latin1') },
  video: { ending: 'playback.mp4', type: 'video/mp4', magic: Buffer.from('\0\0\0\u0018ftypisom\0\0\u0002\0', 'latin1') },
} as const

/** Returns bytes that follow from the file and the offset alone: random blocks, each stamped with its number. */
function createSource(template: Buffer, file: { size: number; stamp: number; magic: Buffer }): ByteSource {
  const block = Buffer.allocUnsafe(blockBytes)
  const fill = (number: number) => {
    template.copy(block)
    block.writeUInt32BE(file.stamp, 32)
    block.writeUIntBE(number, 36, 6)
    if (number === 0) file.magic.copy(block)
  }
  return {
    size: file.size,
    read(offset, length) {
      const bytes = Buffer.allocUnsafe(length)
      for (let done = 0; done < length; ) {
        const position = offset + done
        fill(Math.floor(position / blockBytes))
        done += block.copy(bytes, done, position % blockBytes, Math.min(blockBytes, (position % blockBytes) + length - done))
      }
      return bytes
    },
  }
}

function xmlError(status: number, code: string, message: string): Reply {
  const ids = '<RequestId>SANDBOX0REQUEST0</RequestId><HostId>c2FuZGJveA==</HostId>'
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${ids}</Error>`
  return { status, headers: { 'content-type': 'application/xml' }, body }
}

/** A byte range, both ends included; `none` for a header that is to be ignored. */
type Range = { readonly first: number; readonly last: number } | 'none' | 'unsatisfiable'

/** Reads a Range header as S3 does: one range of bytes; several or malformed ones are ignored. */
function parseRange(header: string | undefined, size: number): Range {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!found || (found[1] === '' && found[2] === '')) return 'none'
  if (found[1] === '') {
    const count = Number(found[2])
    return count === 0 ? 'unsatisfiable' : { first: Math.max(size - count, 0), last: size - 1 }
  }
  const first = Number(found[1])
  const last = found[2] === '' ? size - 1 : Number(found[2])
  if (last < first && found[2] !== '') return 'none'
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(last, size - 1) }
}

const part = (source: ByteSource, first: number, last: number): ByteSource => ({
  size: last - first + 1,
  read: (offset, length) => source.read(first + offset, length),
})

function fileReply(source: ByteSource, request: ReceivedRequest, kind: MediaKind): Reply {
  const wanted = parseRange(request.headers.range, source.size)
  const headers = {
    'content-type': formats[kind].type,
    'accept-ranges': 'bytes',
    etag: `"${hash32(request.path, source.size).toString(16).padStart(32, '0')}"`,
  }
  if (wanted === 'none') return { status: 200, headers, body: source }
  if (wanted === 'unsatisfiable') {
    const refusal = xmlError(416, 'InvalidRange', 'The requested range is not satisfiable')
    return { ...refusal, headers: { ...refusal.headers, 'content-range': `bytes */${source.size}` } }
  }
  const content = { 'content-range': `bytes ${wanted.first}-${wanted.last}/${source.size}` }
  return { status: 206, headers: { ...headers, ...content }, body: part(source, wanted.first, wanted.last) }
}

function readCompactTime(text: string): number {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  return found
    ? Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3]), Number(found[4]), Number(found[5]), Number(found[6]))
    : Number.NaN
}

/** Signs and checks addresses; every query parameter but the signature is signed. */
function addressSigner(options: MediaOptions) {
  const token = new Random(options.world.seed, 'security token').base36(1200)
  const sign = (path: string, query: URLSearchParams) => {
    const rest = [...query].filter(([name]) => name !== 'X-Amz-Signature').sort()
    return createHmac('sha256', options.secret)
      .update(JSON.stringify(['GET', path, rest]))
      .digest('hex')
  }
  return {
    url(path: string): string {
      const date = `${new Date(options.clock()).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
      const query = new URLSearchParams({
        'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
        'X-Amz-Credential': `SANDBOX/${date.slice(0, 8)}/us-east-1/s3/aws4_request`,
        'X-Amz-Date': date,
        'X-Amz-Expires': String(mediaUrlSeconds),
        'X-Amz-Security-Token': token,
        'X-Amz-SignedHeaders': 'host',
      })
      query.set('X-Amz-Signature', sign(path, query))
      return `${options.origin()}${path}?${query}`
    },
    problem({ path, query }: ReceivedRequest): Reply | undefined {
      const signature = query.get('X-Amz-Signature')
      if (signature === null) return xmlError(403, 'AccessDenied', 'Access Denied')
      if (signature !== sign(path, query))
        return xmlError(403, 'SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.')
      const ends = readCompactTime(query.get('X-Amz-Date') ?? '') + Number(query.get('X-Amz-Expires')) * 1000
      return options.clock() >= ends ? xmlError(403, 'AccessDenied', 'Request has expired') : undefined
    },
  }
}

/** Returns the files of the calls of one world. */
export function createMedia(options: MediaOptions): Media {
  const { world } = options
  const addresses = addressSigner(options)
  const company = 10_000 + (hash32(world.seed, 'company') % 90_000)
  const random = new Random(world.seed, 'media')
  const template = Buffer.from(Uint32Array.from({ length: blockBytes / 4 }, () => random.int(0, 0xffff_ffff)).buffer)
  const pathOf = (call: number, kind: MediaKind) => {
    const id = at(world.calls, call).id
    return `/media-data/${company}/${id}/${id}.${formats[kind].ending}`
  }
  const source = (call: number, kind: MediaKind) => {
    const usual = 40_000 + (hash32(world.seed, 'size', call, kind) % 160_000) * (kind === 'video' ? 4 : 1)
    const size = call === special('large') ? options.largeBytes : usual
    return createSource(template, { size, stamp: hash32(world.seed, 'file', call, kind), magic: formats[kind].magic })
  }
  const callAt = (path: string) => findCall(world, path.split('/')[3] ?? '')
  return {
    source,
    refuse: (status, message) =>
      xmlError(status, status === 503 ? 'SlowDown' : 'InternalError', message ?? 'We encountered an internal error.'),
    urls(call) {
      const { media } = world.traits(call)
      if (media === 'none' || media === 'empty') return {}
      const audioUrl = addresses.url(pathOf(call, 'audio'))
      return media === 'audio' ? { audioUrl } : { audioUrl, videoUrl: addresses.url(pathOf(call, 'video')) }
    },
    answer(request) {
      if (request.headers.authorization !== undefined)
        return xmlError(400, 'InvalidArgument', 'Only one auth mechanism allowed; use the query parameters or the Authorization header')
      // An address is signed for GET alone.
      if (request.method !== 'GET') return xmlError(403, 'SignatureDoesNotMatch', 'The address was signed for another method.')
      const problem = addresses.problem(request)
      if (problem) return problem
      const call = callAt(request.path)
      if (call === undefined) return xmlError(404, 'NoSuchKey', 'The specified key does not exist.')
      const kind = request.path.endsWith('.mp4') ? 'video' : 'audio'
      return fileReply(source(call, kind), request, kind)
    },
  }
}
