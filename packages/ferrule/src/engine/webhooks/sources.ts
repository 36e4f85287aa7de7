/** Reads values of a webhook: headers, and texts in its body. */
import { getAt, parsePath } from '../json/paths.ts'

/** A request that a vendor sent. */
export interface WebhookRequest {
  readonly method: string
  /** The whole address that the vendor was given, with its query. */
  readonly url: string
  /** With names in lower case. A list holds each header that came several times. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The bytes as they came. */
  readonly body: Uint8Array
}

/** Longest value that is taken for an id, an account or a topic, in characters. */
const longestText = 256

/** Reads a header; undefined if it is missing, empty, or came several times. */
export function readWebhookHeader({ headers }: Pick<WebhookRequest, 'headers'>, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  const text = typeof value === 'string' ? value : value?.length === 1 ? value[0] : undefined
  return text === '' ? undefined : text
}

/** Returns a short text or a number as text, with all digits; undefined for anything else. */
export function toShortText(value: unknown): string | undefined {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  return typeof value === 'string' && value !== '' && value.length <= longestText ? value : undefined
}

const header = 'header:'

/** Reads a source. A header with a comma came several times, so it has no value. */
export function readSource(request: Pick<WebhookRequest, 'headers'>, event: unknown, source: string): string | undefined {
  if (!source.startsWith(header)) return toShortText(getAt(event, parsePath(source)))
  const value = toShortText(readWebhookHeader(request, source.slice(header.length)))
  return value?.includes(',') ? undefined : value
}
