/** A file behind a URL of an answer: found, fetched without the connector's credentials, and handed on as it comes. */
import { FerruleError, fail } from '../errors.ts'
import { invalidAnswer } from './answer.ts'
import { Deadline, within } from './deadline.ts'
import { type FileHostWords, wordsOf } from './file-host-words.ts'
import { hiddenError, isHidden, showsHidden } from './hidden.ts'
import type { StreamAnswer } from './http.ts'
import { originsOf, type ResolvedOrigins } from './origin.ts'
import type { FileAnswer } from './outcome.ts'
import { getAt, parsePath } from './paths.ts'
import { buildRequest } from './request.ts'
import { exchange, pauseOrThrow, type Running } from './transport.ts'

/** Redirects that a file link may take, each to a public address. */
const maxHops = 3

async function fileUrl(running: Running): Promise<URL> {
  const { operation, params, runtime } = running
  const reply = await exchange(running, buildRequest(operation, params, runtime.wall()))
  const missing = () => fail('record_not_found', { reason: `there is no such file of ${operation.entityName}` })
  if (reply.is === 'empty') throw missing()
  const row = getAt(reply.body, operation.at)
  if (isHidden({ operation, showsHidden: showsHidden(running.connection, operation) }, row)) throw hiddenError(operation)
  const link = getAt(row, parsePath(operation.operation.file?.at ?? ''))
  if (typeof link !== 'string' || link === '') throw missing()
  if (!URL.canParse(link)) throw invalidAnswer(operation, 'a file link that is not a URL')
  return new URL(link)
}

const target = (
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
  const opened = await within(deadline.signal, () => connection.credentials.open())
  const origins = originsOf(connection, opened.values.reveal())
  const range = getAt(params, parsePath(operation.operation.file?.range ?? ''))
  const { url, trust, headers } = target(link, origins)
  const answer = await runtime.http.open({
    url,
    trust,
    method: 'GET',
    // identity: a byte range of a compressed form would be of no use
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
  if (hop >= maxHops || !URL.canParse(location, url.href)) throw invalidAnswer(operation, 'a file link that leads nowhere')
  return openFile(running, new URL(location, url), hop + 1)
}

/** Where something stands in for the vendor, its files lie at an address that only who set it up can name. */
const refusedHint =
  'Say where the files of what stands in for the vendor are: origin.media in the library, media of the kind in FERRULE_ORIGINS in the service.'

const header = ({ headers }: StreamAnswer, name: string): string | null => {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

const fileName = ({ operation, params }: Running): string =>
  (operation.operation.file?.name ?? operation.entityName).replace(/\{([^}]+)\}/g, (_whole, path: string) =>
    String(getAt(params, parsePath(path))).replace(/[^\w.-]/g, '_'),
  )

const answerOf = (running: Running, answer: StreamAnswer, status: 200 | 206): FileAnswer => {
  const length = header(answer, 'content-length')
  return {
    status,
    contentType: header(answer, 'content-type') ?? 'application/octet-stream',
    contentLength: length === null ? null : Number(length),
    contentRange: header(answer, 'content-range'),
    acceptRanges: header(answer, 'accept-ranges'),
    name: fileName(running),
    body: answer.body,
  }
}

/** What a status of the file's host means, when it is not a file. */
function failureOf({ operation }: Running, answer: StreamAnswer, words: FileHostWords): Error {
  const upstream = { status: answer.status, ...words }
  const range = header(answer, 'content-range')
  if (answer.status === 416)
    return fail('range_not_satisfiable', {}, { upstream, headers: range === null ? {} : { 'content-range': range } })
  const said = [words.message?.replace(/\.$/, ''), words.code === undefined ? undefined : `(${words.code})`].filter(
    (text) => text !== undefined,
  )
  const saying = said.length === 0 ? '' : `: ${said.join(' ')}`
  if (answer.status === 404)
    return fail('record_not_found', { reason: `the file of ${operation.entityName} is gone${saying}` }, { upstream })
  return fail(
    'upstream_error',
    { vendor: operation.kind.definition.title, reason: `status ${answer.status} from the host of the file${saying}` },
    { upstream },
  )
}

async function openOnce(running: Running, link: URL): Promise<FileAnswer> {
  const answer = await openFile(running, link)
  if (answer.status === 200 || answer.status === 206) return answerOf(running, answer, answer.status)
  throw failureOf(running, answer, await wordsOf(answer, link))
}

const statusOf = (error: unknown): number | undefined => (error instanceof FerruleError ? error.upstream?.status : undefined)

/** Opens the file: an expired link is asked for anew once, a failing host is tried again as a failing API is. */
async function openFresh(running: Running): Promise<FileAnswer> {
  const renew = running.operation.operation.file?.renew ?? []
  let link = await fileUrl(running)
  let renewals = 0
  for (let failures = 0; ; ) {
    try {
      return await openOnce(running, link)
    } catch (error) {
      const status = statusOf(error) ?? 500 // without an answer the host is failing, or the error is not one that passes
      if (status >= 500) {
        failures += 1
        await pauseOrThrow(running, error, failures)
        continue
      }
      if (renewals > 0 || !renew.includes(status)) throw error
      renewals += 1
      link = await fileUrl(running)
    }
  }
}

/**
 * Opens the file of a download. The deadline counts until the headers are there; after that only silence and the caller's
 * signal end the transfer.
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
