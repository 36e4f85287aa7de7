/** Continues a download that breaks off. */
import type { Download } from '../../engine/types.ts'
import { FerruleError, fail } from '../../errors.ts'
import { maxAttempts } from '../../retry.ts'

/** Which bytes of a file are still to come. */
interface Span {
  /** Offset of the next byte. */
  at: number
  /** Offset after the last byte. */
  readonly end: number
  /** Size of the file; undefined if the answer does not say. */
  readonly total: number | undefined
}

/** A file whose transfer can continue. */
export interface ResumableFile {
  /** The transfer that began. */
  readonly first: Download
  /** Asks for the rest of the file by range, for example `bytes=100-199`. */
  readonly reopen: (range: string) => Promise<Download>
  /** Who answers, for errors. */
  readonly vendor: string
}

function readSpan({ status, length, range }: Download): Span | undefined {
  if (status === 200) return length === null ? undefined : { at: 0, end: length, total: length }
  const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range ?? '') ?? []
  if (from === undefined || to === undefined) return undefined
  return { at: Number(from), end: Number(to) + 1, total: total === '*' ? undefined : Number(total) }
}

/** Returns whether a tag proves that two files are the same, byte for byte. */
const isStrong = (tag: string | null): boolean => tag !== null && !tag.startsWith('W/')

/** Asks for the rest, and checks that it is the rest of the same file. */
async function continueFile({ first, reopen, vendor }: ResumableFile, { at, end, total }: Span): Promise<Download> {
  const rest = await reopen(`bytes=${at}-${end - 1}`)
  const span = readSpan(rest)
  const isSame = rest.etag === first.etag
  if (isSame && rest.status === 206 && span?.at === at && span.end === end && span.total === total) return rest
  await rest.stream.cancel()
  const reason = isSame ? 'it is not the rest of the file that was asked for' : 'the file has changed during the download'
  const hint = 'Delete what you have of the file, and download it from the start.'
  throw fail('upstream_answer_invalid', { vendor, reason }, { retryable: false, hint })
}

/** Returns whether a broken transfer can continue: an abort and a refusal cannot. */
const isBroken = (thrown: unknown): boolean => thrown instanceof FerruleError && thrown.retryable

/** Reads a file by as many transfers as it takes. */
class ResumingReader {
  readonly #file: ResumableFile
  readonly #span: Span | undefined
  #reader: ReadableStreamDefaultReader<Uint8Array>
  /** Transfers since the last byte. */
  #idle = 0

  constructor(file: ResumableFile) {
    this.#file = file
    this.#reader = file.first.stream.getReader()
    this.#span = isStrong(file.first.etag) ? readSpan(file.first) : undefined
  }

  /** Returns the next bytes; undefined at the end of the file. */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      try {
        const { value } = await this.#reader.read()
        this.#count(value)
        return value
      } catch (thrown) {
        const span = this.#span
        this.#idle += 1
        if (span === undefined || !isBroken(thrown) || this.#idle >= maxAttempts) throw thrown
        this.#reader = (await continueFile(this.#file, span)).stream.getReader()
      }
    }
  }

  #count(value: Uint8Array | undefined): void {
    if (this.#span === undefined) return
    this.#span.at += value?.byteLength ?? 0
    if (value === undefined && this.#span.at !== this.#span.end)
      throw fail('upstream_unreachable', { vendor: this.#file.vendor, reason: 'the transfer ended early' })
    this.#idle = 0
  }

  cancel(reason: unknown): Promise<void> {
    return this.#reader.cancel(reason)
  }
}

/**
 * Makes a download that continues by range when its transfer breaks off. Needs a strong entity tag and a length: without them the stream
 * fails as without this. It also fails when the file has changed.
 */
export function makeResumable(file: ResumableFile): Download {
  const reader = new ResumingReader(file)
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const value = await reader.read()
        if (value === undefined) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return { ...file.first, stream }
}
