/** Reads the bytes of a download: counts them, and continues a transfer that broke off if asked to. */
import { type FerruleError, fail } from '../errors.ts'
import { maxAttempts } from '../retry.ts'

/** Which bytes of a file an answer carries. */
interface Span {
  /** Offset of the next byte. */
  at: number
  /** Offset after the last byte; undefined if the answer does not say. */
  readonly end: number | undefined
  /** Size of the file; undefined if the answer does not say. */
  readonly total: number | undefined
}

/** Where the bytes come from. */
export interface FileSource {
  /** The first answer. */
  readonly first: Response
  /** Asks for the rest of the file by range; undefined if a broken transfer is an error. */
  readonly reopen: ((range: string) => Promise<Response>) | undefined
  /** Aborts the transfer. */
  readonly signal: AbortSignal
  /** Address of the service, for errors. */
  readonly url: string
}

/** Reads the length of an answer. A compressed answer states the length of other bytes. */
export function readLength({ headers }: Response): number | null {
  const stated = headers.get('content-length')
  return stated === null || headers.has('content-encoding') ? null : Number(stated)
}

function readSpan(response: Response): Span {
  const length = readLength(response) ?? undefined
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '')
  if (response.status !== 206 || match === null) return { at: 0, end: length, total: length }
  const [, from, to, total] = match
  return { at: Number(from), end: Number(to) + 1, total: total === '*' ? undefined : Number(total) }
}

/** Reads the mark that two answers share exactly if their files are the same, byte for byte. */
function readStrongTag({ headers }: Response): string | undefined {
  const tag = headers.get('etag')
  return tag === null || tag.startsWith('W/') ? undefined : tag
}

const failBroken = ({ url }: FileSource, { at, end }: Span, cause: unknown): FerruleError =>
  fail(
    'service_unreachable',
    { url, reason: `the transfer broke off at byte ${at}${end === undefined ? '' : ` of ${end}`}` },
    { cause, hint: 'Download it again, or give the option resume: true, which continues where the transfer broke off.' },
  )

const failChanged = (reason: string): FerruleError =>
  fail(
    'service_answer_invalid',
    { reason },
    { retryable: false, hint: 'Delete what you have of the file, and download it from the start.' },
  )

/** Checks that an answer is the rest of the same file. */
function checkRest(source: FileSource, response: Response, wanted: Span): void {
  const { at, end, total } = readSpan(response)
  if (readStrongTag(response) !== readStrongTag(source.first)) throw failChanged('the file has changed during the download')
  if (response.status !== 206 || at !== wanted.at || (end !== wanted.end && wanted.end !== undefined) || total !== wanted.total)
    throw failChanged('it is not the rest of the file that was asked for')
}

/** Yields the bytes of one answer, and moves the span. */
async function* readAnswer(response: Response, span: Span): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      span.at += value.byteLength
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined) // a broken body cannot be cancelled, and need not be
  }
}

/**
 * Yields the bytes of a file to their end.
 * @throws FerruleError `service_unreachable` if the transfer broke off, `service_answer_invalid` if the file changed meanwhile; the reason of
 * the signal
 */
async function* readFile(source: FileSource): AsyncGenerator<Uint8Array, void, undefined> {
  const { first, reopen, signal } = source
  const span = readSpan(first)
  const canResume = reopen !== undefined && span.end !== undefined && readStrongTag(first) !== undefined
  let response = first
  for (let failures = 0; ; ) {
    const before = span.at
    let cause: unknown
    try {
      yield* readAnswer(response, span)
      if (span.end === undefined || span.at === span.end) return
    } catch (thrown) {
      if (signal.aborted) throw signal.reason
      cause = thrown
    }
    failures = span.at > before ? 1 : failures + 1 // attempts without a byte
    if (!canResume || failures >= maxAttempts || span.end === undefined || span.at > span.end) throw failBroken(source, span, cause)
    response = await reopen(`bytes=${span.at}-${span.end - 1}`)
    checkRest(source, response, span)
  }
}

/**
 * Makes a stream of the bytes of a file. It fails if the transfer breaks off: it never ends as if the file were whole.
 * @param stop ends the transfer when the reader cancels the stream
 */
export function createFileStream(source: FileSource, stop: () => void): ReadableStream<Uint8Array> {
  const bytes = readFile(source)
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await bytes.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  )
}
