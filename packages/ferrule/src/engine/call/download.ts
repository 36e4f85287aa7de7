/** Downloads a file behind a URL of an answer, without the connector's credentials and without buffering. */
import type { Readable } from 'node:stream'
import { FerruleError, fail } from '../../errors.ts'
import { toFileName } from '../../values/file-name.ts'
import { createRedactor } from '../credentials/source.ts'
import { awaitUnlessAborted, Deadline } from '../http/deadline.ts'
import type { StreamAnswer } from '../http/http.ts'
import { type ResolvedOrigins, resolveOrigins } from '../http/origin.ts'
import { getAt, parsePath } from '../json/paths.ts'
import { failInvalidAnswer } from './answer.ts'
import { failHidden, isHidden, showsHidden } from './hidden.ts'
import type { FileAnswer } from './outcome.ts'
import { buildRequest } from './request.ts'
import { exchange, pauseOrThrow, type Running } from './transport.ts'

/** Maximum number of redirects, each to a public address. */
const maxHops = 3

async function fetchFileUrl(running: Running): Promise<URL> {
  const { operation, params, runtime } = running
  const reply = await exchange(running, buildRequest(operation, params, runtime.wall()))
  const missing = () => fail('record_not_found', { reason: `there is no such file of ${operation.entityName}` })
  if (reply.is === 'empty') throw missing()
  const row = getAt(reply.body, operation.at)
  if (isHidden({ operation, showsHidden: showsHidden(running.connection, operation) }, row)) throw failHidden(operation)
  const link = getAt(row, parsePath(operation.operation.file?.at ?? ''))
  if (typeof link !== 'string' || link === '') throw missing()
  if (!URL.canParse(link)) throw failInvalidAnswer(operation, 'a file link that is not a URL')
  return new URL(link)
}

const chooseTarget = (
  link: URL,
  { media, trusted }: ResolvedOrigins,
): { url: URL; trust: 'config' | 'answer'; headers: Record<string, string> } => {
  if (media !== undefined && link.origin !== new URL(media).origin)
    return { url: new URL(link.pathname + link.search, media), trust: 'config', headers: { 'x-forwarded-host': link.host } }
  return { url: link, trust: trusted.has(link.origin) ? 'config' : 'answer', headers: {} }
}

async function openFile(running: Running, link: URL, hop = 0): Promise<StreamAnswer> {
  const { operation, params, runtime, connection, deadline } = running
  const title = operation.kind.definition.title
  const opened = await awaitUnlessAborted(deadline.signal, () => connection.credentials.open())
  const origins = resolveOrigins(connection, opened.values.reveal())
  const range = getAt(params, parsePath(operation.operation.file?.range ?? ''))
  const { url, trust, headers } = chooseTarget(link, origins)
  const answer = await runtime.http.open({
    url,
    trust,
    method: 'GET',
    // identity: a byte range of a compressed file is useless
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'ferrule',
      ...headers,
      ...(typeof range === 'string' ? { range } : {}),
    },
    signal: deadline.signal,
    vendor: title,
    ...(connection.origin === undefined ? {} : { refusedHint }),
  })
  const location = answer.headers['location']
  if (answer.status < 300 || answer.status >= 400 || typeof location !== 'string') return answer
  answer.body.destroy()
  if (hop >= maxHops || !URL.canParse(location, url.href)) throw failInvalidAnswer(operation, 'a file link that leads nowhere')
  return openFile(running, new URL(location, url), hop + 1)
}

/** Only the operator of a stand-in knows the address of its files. */
const refusedHint =
  'Say where the files of what stands in for the vendor are: origin.media in the library, media of the kind in FERRULE_ORIGINS in the service.'

const readFileHeader = ({ headers }: StreamAnswer, name: string): string | null => {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

const buildFileName = ({ operation, params }: Running): string =>
  (operation.operation.file?.name ?? operation.entityName).replace(/\{([^}]+)\}/g, (_whole, path: string) =>
    String(getAt(params, parsePath(path))).replace(/[^\w.-]/g, '_'),
  )

const toFileAnswer = (running: Running, answer: StreamAnswer, status: 200 | 206): FileAnswer => {
  const length = readFileHeader(answer, 'content-length')
  return {
    status,
    contentType: readFileHeader(answer, 'content-type') ?? 'application/octet-stream',
    contentLength: length === null ? null : Number(length),
    contentRange: readFileHeader(answer, 'content-range'),
    acceptRanges: readFileHeader(answer, 'accept-ranges'),
    etag: readFileHeader(answer, 'etag'),
    name: toFileName(buildFileName(running)),
    body: answer.body,
  }
}

function toFailure({ operation }: Running, answer: StreamAnswer, words: FileHostError): Error {
  const upstream = { status: answer.status, ...words }
  const range = readFileHeader(answer, 'content-range')
  if (answer.status === 416)
    return fail('range_not_satisfiable', {}, { upstream, headers: range === null ? {} : { 'content-range': range } })
  const said = [words.message?.replace(/\.$/, ''), words.code === undefined ? undefined : `(${words.code})`].filter(
    (text) => text !== undefined,
  )
  const saying = said.length === 0 ? '' : `: ${said.join(' ')}`
  if (answer.status === 404)
    return fail('record_not_found', { reason: `the file of ${operation.entityName} no longer exists${saying}` }, { upstream })
  return fail(
    'upstream_error',
    { vendor: operation.kind.definition.title, reason: `status ${answer.status} from the host of the file${saying}` },
    { upstream },
  )
}

async function openOnce(running: Running, link: URL): Promise<FileAnswer> {
  const answer = await openFile(running, link)
  if (answer.status === 200 || answer.status === 206) return toFileAnswer(running, answer, answer.status)
  throw toFailure(running, answer, await readFileHostError(answer, link))
}

const readStatus = (error: unknown): number | undefined => (error instanceof FerruleError ? error.upstream?.status : undefined)

/** Opens the file. Asks once for a new link if the link expired, and retries a failing host as a failing API. */
async function openFresh(running: Running): Promise<FileAnswer> {
  const renew = running.operation.operation.file?.renew ?? []
  let link = await fetchFileUrl(running)
  let renewals = 0
  for (let failures = 0; ; ) {
    try {
      return await openOnce(running, link)
    } catch (error) {
      const status = readStatus(error) ?? 500 // no status: the host fails, or the error is permanent
      if (status >= 500) {
        failures += 1
        await pauseOrThrow(running, error, failures)
        continue
      }
      if (renewals > 0 || !renew.includes(status)) throw error
      renewals += 1
      link = await fetchFileUrl(running)
    }
  }
}

/**
 * Opens the file of a download. The deadline ends with the headers; after that, only a silent vendor or the caller's signal ends the
 * transfer.
 * @throws FerruleError `record_not_found`, `private_call`, `range_not_satisfiable`, or of the vendor
 */
export async function download(
  running: Omit<Running, 'deadline'>,
  { deadlineMs, signal }: { deadlineMs: number; signal: AbortSignal | undefined },
): Promise<FileAnswer> {
  const deadline = new Deadline(deadlineMs, running.operation.kind.definition.title, signal)
  try {
    const file = await openFresh({ ...running, deadline })
    deadline.release()
    file.body.once('close', () => deadline[Symbol.dispose]())
    return file
  } catch (error) {
    deadline[Symbol.dispose]()
    throw error
  }
}

/**
 * Reads the error of a file's host. Storage services answer XML, `<Error><Code>…</Code><Message>…</Message>…`
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). The other elements quote the request and are ignored.
 */

/** The code and message of a file's host, without secrets. */
interface FileHostError {
  readonly code?: string
  readonly message?: string
}

/** Maximum number of bytes to read, and maximum wait in milliseconds. */
const mostBytes = 16_384
const longestWait = 5_000
/** Maximum length of the code and of the message, in characters. */
const longestWords = 500
/** Longer values of a link are secrets, such as its signature; shorter ones are words, such as `host`. */
const longestWord = 16

/** Reads the beginning of a body. Ignores failures, because the status already says that the file is missing. */
async function readBeginning(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => body.destroy(), longestWait)
  try {
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size >= mostBytes) break
    }
  } catch {
    // A body that was cut keeps what arrived.
  } finally {
    clearTimeout(timer)
    body.destroy()
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString()
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescapeXml = (text: string): string => text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)

/** Reads the content of the first element with a name; undefined without one. */
const readElement = (xml: string, name: string): string | undefined => {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim()
  return text === undefined || text === '' ? undefined : unescapeXml(text)
}

/** Reads the error of a file's host, and releases the connection. @param link the requested URL; its query is secret while it is valid */
async function readFileHostError({ body }: StreamAnswer, link: URL): Promise<FileHostError> {
  const xml = await readBeginning(body)
  if (!/<Error[\s>]/.test(xml)) return {}
  const redact = createRedactor(() => [...link.searchParams.values()].filter((value) => value.length > longestWord))
  const shown = (name: string): string | undefined => {
    const text = readElement(xml, name)
    return text === undefined ? undefined : redact(text).slice(0, longestWords)
  }
  const [code, message] = [shown('Code'), shown('Message')]
  return { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) }
}
