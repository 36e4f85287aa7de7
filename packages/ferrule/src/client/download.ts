/** Opens files of the service as streams. */
import type { Download } from '../engine/types.ts'
import { createFileStream, type FileSource, readLength } from './file-body.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** Options of a transfer. */
interface TransferOptions extends RequestOptions {
  /** Asks for the rest of the file by range; undefined: a broken transfer is an error. */
  readonly reopen?: (range: string, options: RequestOptions) => Promise<Response>
}

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

/**
 * Opens a file. The signal of the options aborts its body too, and so does cancelling the stream.
 * @param open sends the first request
 */
export async function openDownload(
  transport: Transport,
  { signal: given, deadlineMs, reopen }: TransferOptions,
  open: (options: RequestOptions) => Promise<Response>,
): Promise<Download> {
  const cancelled = new AbortController()
  const signal = given === undefined ? cancelled.signal : AbortSignal.any([given, cancelled.signal])
  const first = await open({ signal, deadlineMs })
  const source: FileSource = {
    ...{ first, signal, url: transport.settings.url },
    reopen: reopen === undefined ? undefined : (range) => reopen(range, { signal, deadlineMs }),
  }
  return {
    status: first.status === 206 ? 206 : 200,
    type: first.headers.get('content-type') ?? 'application/octet-stream',
    length: readLength(first),
    range: first.headers.get('content-range'),
    name: readFileName(first.headers.get('content-disposition')),
    stream: createFileStream(source, () => cancelled.abort()),
  }
}
