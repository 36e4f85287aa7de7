/** Request bodies: one JSON reader for all routes, and forms for the token endpoint. Answers of errors: problem details (RFC 9457). */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { FerruleError } from 'ferrule'
import { readJson, writeJson } from 'ferrule/engine'
import { fail, pointTo, TooDeep } from 'ferrule/internal'
import { failField } from '../values/read.ts'

/** Media type of every JSON answer that is no error. */
export const jsonType = 'application/json; charset=utf-8'
/** Media type of every error. */
export const problemType = 'application/problem+json; charset=utf-8'

/** A request, as far as refusals of it name it. */
interface RefusedRequest {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly bodyLimit: number
}

/** Logged status of a request whose client left before its answer. */
export const clientGone = 499

/** Returns the status of an ended answer, for metrics, the log and spans. */
export const findStatus = ({ raw, statusCode }: FastifyReply): number => (raw.writableFinished ? statusCode : clientGone)

/** Returns the path of a request's route as its document writes it; `unmatched` without one. */
export const nameRoute = (request: FastifyRequest): string => request.routeOptions.config.path ?? 'unmatched'

/** Returns the path of a request without its query, and without a fragment that was sent by mistake: both can contain secrets. */
export const readPath = (url: string): string => (url.split(/[?#]|%23/i, 1)[0] ?? url).slice(0, 200)

const notFound = ({ method, url }: RefusedRequest): FerruleError => fail('not_found', { method, path: readPath(url) })

/** Errors of the HTTP library, by its codes. */
const refusals: Readonly<Record<string, (request: RefusedRequest) => FerruleError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ bodyLimit }) => fail('payload_too_large', { limit: bodyLimit }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ contentType }) => fail('unsupported_media_type', { given: (contentType ?? '(none)').slice(0, 100) }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => fail('malformed_json', { reason: 'its length is not that of Content-Length' }),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => fail('malformed_json', { reason: 'it is empty' }),
  FST_ERR_CTP_INVALID_JSON_BODY: () => fail('malformed_json', { reason: 'it cannot be read' }),
  FST_ERR_VALIDATION: () => failField('', 'cannot be read', 'type'),
  FST_ERR_BAD_URL: notFound,
  FST_ERR_MAX_PARAM_LENGTH: notFound,
  FST_ERR_NOT_FOUND: notFound,
}

const readCode = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

/** Converts a thrown value to the error of the answer. Unexpected values become `internal_error` with the value as cause. */
export function toError(thrown: unknown, request: RefusedRequest): FerruleError {
  if (thrown instanceof FerruleError) return thrown
  return refusals[readCode(thrown)]?.(request) ?? fail('internal_error', {}, { cause: thrown })
}

/** Builds the headers of an error. Retry-After is in whole seconds. */
export function buildErrorHeaders(error: FerruleError): Readonly<Record<string, string>> {
  return {
    'content-type': problemType,
    'cache-control': 'no-store',
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(error.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000))) }),
    ...error.headers,
  }
}

/** Prints the body of an error. */
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

/** Policy of answers of the API: a browser that shows one as a page runs nothing, and treats it as a foreign origin. */
const apiPolicy = "sandbox; default-src 'none'"

/** Adds headers of every answer; routes that may be cached replace the second. */
export function addCommonHeaders(reply: FastifyReply, { id, url }: { readonly id: string; readonly url: string }): void {
  reply.header('x-request-id', id)
  reply.header('cache-control', 'no-store')
  reply.header('x-content-type-options', 'nosniff')
  if (url.startsWith('/api/')) reply.header('content-security-policy', apiPolicy)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Names that reach into prototypes when a careless program copies them. */
const isForbiddenName = (name: string, value: unknown): boolean =>
  name === '__proto__' || (name === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))

const malformed = (reason: string): FerruleError => fail('malformed_json', { reason })

/** Returns V8's sentence without the quoted input, which can contain a secret. */
function describeFault(thrown: unknown): string {
  if (thrown instanceof TooDeep) return thrown.message
  const [sentence = ''] = (thrown instanceof Error ? thrown.message : '').split(/,? (?:\.\.\.)?"/)
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

/** Walks a body once; `path` holds the names on the way, so that the common case builds no strings. */
function inspectValue(value: unknown, path: (string | number)[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    path.push(name)
    if (typeof name === 'string' && isForbiddenName(name, part)) throw forbiddenName(path)
    inspectValue(part, path)
    path.pop()
  }
}

const forbiddenName = (path: readonly (string | number)[]): FerruleError =>
  failField(pointTo('', ...path), 'is not an allowed name', 'name')

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('it is not UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return readJson(text)
  } catch (thrown) {
    throw malformed(describeFault(thrown))
  }
}

/**
 * Reads JSON of any type. Of a repeated name the last value counts.
 * @throws FerruleError `malformed_json` (not UTF-8, not JSON, too deep), `validation_failed` (`__proto__`)
 */
export function readAnyJson(bytes: Uint8Array): unknown {
  const value = parse(decode(bytes))
  inspectValue(value, [])
  return value
}

/**
 * Reads a JSON body. Of a repeated name the last value counts.
 * @returns an object; undefined for an empty body
 * @throws FerruleError `malformed_json` (not UTF-8, not JSON, too deep), `validation_failed` (not an object, `__proto__`)
 */
export function readJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const value = parse(decode(bytes))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw failField('', 'must be an object', 'type')
  inspectValue(value, [])
  return value
}

/**
 * Reads a form (`application/x-www-form-urlencoded`) as an object of strings.
 * @throws FerruleError `malformed_json` (not UTF-8), `validation_failed` (a repeated name, which RFC 6749 forbids)
 */
export function readFormBody(bytes: Uint8Array): Readonly<Record<string, string>> {
  const pairs = [...new URLSearchParams(decode(bytes))]
  const met = new Set(['__proto__'])
  for (const [name] of pairs) {
    if (met.has(name)) throw failField(pointTo('', name), 'must be given once', 'repeated')
    met.add(name)
  }
  return Object.fromEntries(pairs)
}
