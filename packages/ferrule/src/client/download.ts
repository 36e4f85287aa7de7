/** Opens files of the service as streams. */
import type { Download } from '../engine/types.ts'
import { fail } from '../errors.ts'
import { toFileName } from '../values/file-name.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** Reads the file name of a `Content-Disposition` header (RFC 6266). */
function readFileName(header: string | null): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(header ?? '')?.[1]
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded)
    } catch {
      // the plain name follows
    }
  }
  const [, quoted, plain] = /filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '') ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? plain ?? 'download'
}

/** Reads the length of an answer. A compressed answer states the length of other bytes. */
function readLength({ headers }: Response): number | null {
  const stated = headers.get('content-length')
  return stated === null || headers.has('content-encoding') ? null : Number(stated)
}

/** What a transfer is checked against. */
interface Transfer {
  readonly response: Response
  /** Aborted by the caller. */
  readonly signal: AbortSignal | undefined
  /** Ends the request when the reader cancels the stream. */
  readonly stop: () => void
  /** Address of the service, for errors. */
  readonly url: string
}

/** Makes a stream that fails if the transfer breaks off: it never ends as if the file were whole. */
function guardStream({ response, signal, stop, url }: Transfer): ReadableStream<Uint8Array> {
  const reader = response.body?.getReader()
  const length = readLength(response)
  let bytes = 0
  const failBroken = (cause?: unknown) => {
    const reason = `the transfer broke off after ${bytes}${length === null ? '' : ` of ${length}`} bytes`
    return fail('service_unreachable', { url, reason }, { cause })
  }
  const read = async () => {
    try {
      return await reader?.read()
    } catch (thrown) {
      throw signal?.aborted === true ? signal.reason : failBroken(thrown)
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { value } = (await read()) ?? {}
        bytes += value?.byteLength ?? 0
        if (value !== undefined) return controller.enqueue(value)
        if (length !== null && bytes !== length) throw failBroken()
        controller.close()
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  )
}

/**
 * Opens a file. The signal of the options aborts its body too, and so does cancelling the stream.
 * @param open sends the request
 */
export async function openDownload(
  transport: Transport,
  { signal, deadlineMs }: RequestOptions,
  open: (options: RequestOptions) => Promise<Response>,
): Promise<Download> {
  const cancelled = new AbortController()
  const either = signal === undefined ? cancelled.signal : AbortSignal.any([signal, cancelled.signal])
  const response = await open({ signal: either, deadlineMs })
  const { headers } = response
  return {
    status: response.status === 206 ? 206 : 200,
    type: headers.get('content-type') ?? 'application/octet-stream',
    length: readLength(response),
    range: headers.get('content-range'),
    name: toFileName(readFileName(headers.get('content-disposition'))),
    etag: headers.get('etag'),
    stream: guardStream({ response, signal, stop: () => cancelled.abort(), url: transport.settings.url }),
  }
}
