/** Errors on the wire: everything that goes wrong becomes problem details (RFC 9457). */
import { validationFailed } from '../../engine/credentials.ts'
import { writeJson } from '../../engine/json.ts'
import { FerruleError, fail } from '../../errors.ts'

/** Media type of every JSON answer that is no error. */
export const jsonType = 'application/json; charset=utf-8'
/** Media type of every error. */
export const problemType = 'application/problem+json; charset=utf-8'

/** A request, as far as refusals of it name it. */
export interface RefusedRequest {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly bodyLimit: number
}

/** The path of a request: never its query, which can hold what nobody should log or echo. */
export const pathOf = (url: string): string => (url.split('?', 1)[0] ?? url).slice(0, 200)

const notFound = ({ method, url }: RefusedRequest): FerruleError => fail('not_found', { method, path: pathOf(url) })

/** What the HTTP library refuses by itself, by its codes. */
const refusals: Readonly<Record<string, (request: RefusedRequest) => FerruleError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ bodyLimit }) => fail('payload_too_large', { limit: bodyLimit }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ contentType }) => fail('unsupported_media_type', { given: (contentType ?? '(none)').slice(0, 100) }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => fail('malformed_json', { reason: 'its length is not that of Content-Length' }),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => fail('malformed_json', { reason: 'it is empty' }),
  FST_ERR_CTP_INVALID_JSON_BODY: () => fail('malformed_json', { reason: 'it cannot be read' }),
  FST_ERR_VALIDATION: () => validationFailed([{ field: '', message: 'cannot be read', error_code: 'type' }]),
  FST_ERR_BAD_URL: notFound,
  FST_ERR_MAX_PARAM_LENGTH: notFound,
  FST_ERR_NOT_FOUND: notFound,
}

const codeOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

/** Any thrown value as the error that is answered. What nobody expected becomes `internal_error` with the value as cause. */
export function errorOf(thrown: unknown, request: RefusedRequest): FerruleError {
  if (thrown instanceof FerruleError) return thrown
  return refusals[codeOf(thrown)]?.(request) ?? fail('internal_error', {}, { cause: thrown })
}

/** Headers that belong to an error's status. Retry-After is in whole seconds. */
export function headersOf(error: FerruleError): Readonly<Record<string, string>> {
  return {
    'content-type': problemType,
    'cache-control': 'no-store',
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(error.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000))) }),
    ...error.headers,
  }
}

/** The body of an error. */
export const problemBody = (error: FerruleError, requestId: string): string => writeJson(error.toProblem(requestId))

const attachment = /[^\w.-]+/g

/**
 * A `Content-Disposition` header (RFC 6266): an ASCII name without anything that could end it, and the true name beside it
 * (RFC 8187) when they differ.
 */
export function contentDisposition(name: string): string {
  const base = name.replaceAll('\\', '/').split('/').at(-1)?.slice(0, 200).toWellFormed() || 'download'
  const ascii = base.replace(attachment, '_').replace(/^\.+/, '') || 'download'
  if (ascii === base) return `attachment; filename="${ascii}"`
  const encoded = encodeURIComponent(base).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
