/** Exchanges grants for access tokens: stored ones for renewals, and the codes of consents. Sends one request per exchange. */
import type { CredentialScheme, Exchange, Grant } from '../../definition/index.ts'
import { isObject } from '../../definition/object.ts'
import { fillTemplates } from '../../definition/templates.ts'
import { FerruleError, fail } from '../../errors.ts'
import { parseRetryAfter } from '../../retry.ts'
import { readJson, writeJson } from '../../values/json/json.ts'
import { parseBody, readSuccess, readVerdict, type WireAnswer } from '../call/answer.ts'
import type { Connection } from '../connection.ts'
import { type HttpSender, readHeader } from '../http/http.ts'
import { fillTemplate, resolveOrigins } from '../http/origin.ts'
import { getAt, parsePath, setAt } from '../json/paths.ts'
import { findTokenField, isToken } from './check-credentials.ts'
import { type CredentialValues, createRedactor, encodeHeader, type Redact } from './source.ts'

/** Timeout of an exchange, in milliseconds. A lease on the credentials must be longer. */
export const exchangeTimeoutMs = 30_000

/** What an authorization needs beside the connection. */
export interface AuthContext {
  readonly http: HttpSender
  readonly signal: AbortSignal
  readonly now: number
}

/** What an exchange needs of a connection: no stored credentials. */
export type BareConnection = Pick<Connection, 'kind' | 'configuration' | 'origin'>

/** One exchange. */
export interface GrantExchange {
  readonly scheme: CredentialScheme
  readonly exchange: Exchange
  readonly grant: Grant
  /** Parameters of the request beside the grant's. */
  readonly more: Readonly<Record<string, string>>
  readonly values: CredentialValues
  readonly context: AuthContext
  /** What the exchange is, for messages: `the renewal of the token`. */
  readonly what: string
  /** Makes the error of a refusal below status 500. */
  readonly refused: (answer: WireAnswer, reason: string) => FerruleError
}

/** The result of an exchange. */
export interface Exchanged {
  readonly values: CredentialValues
  /** True if the answer named a base address outside the vendor's hosts. The values keep the known base. */
  readonly hasForeignBase: boolean
}

/** Makes the error of credentials that the vendor refused, or that cannot be renewed. */
export const failAuth = ({ kind }: BareConnection, reason: string, hint?: string): FerruleError =>
  fail('upstream_auth_failed', { vendor: kind.definition.title, reason }, hint === undefined ? {} : { hint })

/** Lists the values that no string may contain: the secret fields. */
export const listSecrets = ({ fields }: CredentialScheme, values: CredentialValues): string[] =>
  Object.keys(fields).flatMap((name) => (fields[name]?.writeOnly && values[name] !== undefined ? [values[name]] : []))

/** Puts parameters into the body of a request, or into its address. */
function addParameters(parameters: Readonly<Record<string, string>>, as: Exchange['as'], url: URL) {
  if (as === 'form') return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(parameters).toString() }
  if (as === 'query') {
    url.search = new URLSearchParams(parameters).toString()
    return undefined
  }
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parameters)) setAt(body, parsePath(name), value)
  return { type: 'application/json', text: writeJson(body) }
}

function buildRequest(connection: BareConnection, { exchange, grant, more, values }: GrantExchange, oauth: string) {
  const [method, path] = exchange.call.split(' ') as ['GET' | 'POST', string] // the type of `call` says so
  const sent = Object.fromEntries(Object.entries(grant.send).map(([name, field]) => [name, values[field] ?? '']))
  const url = new URL(oauth + fillTemplate(connection, path))
  const body = addParameters({ ...grant.constant, ...sent, ...more }, exchange.as, url)
  const credentialHeaders = Object.fromEntries(
    fillTemplates(exchange.headers, values).map(([name, header]) => [name, encodeHeader(header)]),
  )
  return {
    method,
    url,
    credentialHeaders,
    headers: { accept: 'application/json', ...credentialHeaders, ...(body === undefined ? {} : { 'content-type': body.type }) },
    ...(body === undefined ? {} : { body: body.text }),
  }
}

/**
 * Sends the request of an exchange, once, and reads the new credentials.
 * @throws FerruleError `upstream_auth_failed` for a refusal, and the errors of a vendor that does not answer
 */
export async function exchangeGrant(connection: BareConnection, exchanged: GrantExchange): Promise<Exchanged> {
  const { values, context, scheme, what, more } = exchanged
  const { title: vendor, origins } = connection.kind.definition
  // Tokens come from one address, also before it is known where requests go.
  const { oauth, trust, forwarded } = resolveOrigins(origins.oauth === undefined ? connection : { ...connection, usesOther: true }, values)
  const { credentialHeaders, headers, ...request } = buildRequest(connection, exchanged, oauth)
  const sent = context.http.send({
    ...request,
    trust,
    headers: { ...headers, ...forwarded.oauth },
    signal: context.signal,
    vendor,
  })
  const answer = await sent.catch((thrown: unknown) => {
    // The error's own hint, to ask for fewer records, would mislead: the caller has no part in this answer.
    const isTooLarge = thrown instanceof FerruleError && thrown.code === 'result_too_large'
    throw isTooLarge ? fail('upstream_answer_invalid', { vendor, reason: `the answer to ${what} is too large` }) : thrown
  })
  if (answer.status !== 200 && answer.status !== 201) throw toExchangeError(connection, exchanged, answer)
  const listSent = () => Object.values(credentialHeaders).map((header) => header.slice(header.indexOf(' ') + 1))
  const redact = createRedactor(() => [...listSecrets(scheme, values), ...Object.values(more), ...listSent()])
  return mergeExchanged(connection, exchanged, readExchanged(connection, exchanged, { answer, redact }))
}

/** Error codes of RFC 6749 section 5.2, and of the page of a consent (section 4.1.2.1). */
const refusals: ReadonlySet<unknown> = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type'],
  ...['invalid_scope', 'access_denied'],
])
/** Error codes that say "not now" (RFC 6749 section 4.1.2.1, RFC 8628 section 3.5). */
const passing: ReadonlySet<unknown> = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/** Reads the body of a refusal; undefined if it is no JSON object. */
function readRefusal({ text }: WireAnswer): Readonly<Record<string, unknown>> | undefined {
  try {
    const body: unknown = readJson(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

/** Reads the error code of a refusal; undefined for other bodies. */
export function readOauthError(answer: WireAnswer): string | undefined {
  const error = readRefusal(answer)?.['error']
  return typeof error === 'string' && refusals.has(error) ? error : undefined
}

/**
 * Returns whether an answer of the token endpoint refuses the grant. Gateways answer 403, 404 and 408 too, and pages instead of JSON. Such an
 * answer says nothing of the grant, and the owner must consent again once a grant is thrown away.
 */
function isRefusal(answer: WireAnswer, { refusal }: Exchange): boolean {
  if (readOauthError(answer) !== undefined || (refusal !== undefined && answer.text.includes(refusal))) return true
  const body = readRefusal(answer)
  if (passing.has(body?.['error'])) return false
  const isPage = /^text\/html\b/i.test(readHeader(answer, 'content-type') ?? '')
  return answer.status === 400 || answer.status === 401 ? !isPage : answer.status === 403 && body !== undefined
}

function toExchangeError({ kind }: BareConnection, { exchange, what, refused, context }: GrantExchange, answer: WireAnswer): FerruleError {
  const { status, headers } = answer
  const vendor = kind.definition.title
  const reason = `status ${status} to ${what}`
  const retryAfterMs = parseRetryAfter(headers, context.now)
  const details = { upstream: { status }, retryAfterMs }
  if (status === 429) return fail('upstream_rate_limited', { vendor }, details)
  if (status < 400) return fail('upstream_answer_invalid', { vendor, reason }, details)
  return status < 500 && isRefusal(answer, exchange) ? refused(answer, reason) : fail('upstream_error', { vendor, reason }, details)
}

/** Reads the body of an answer that succeeded. */
function readExchanged(
  connection: BareConnection,
  { what, context }: GrantExchange,
  { answer, redact }: { answer: WireAnswer; redact: Redact },
): unknown {
  const of = { kind: connection.kind, action: 'get' } as const
  const body = parseBody(of, answer)
  if (readSuccess(of, { answer, body, redact }) !== undefined) return body
  const verdict = readVerdict(of, answer, {
    params: {},
    redact,
    now: context.now,
    waitBy: ({ wait }) => (wait === undefined ? undefined : wait.first * 1000),
  })
  throw verdict.is === 'error' ? verdict.error : failAuth(connection, `${what} brought nothing`)
}

/** Longest accepted lifetime of a token, in seconds: ten years. */
const longestLife = 315_360_000

/** Converts an id or a string of the answer. Every digit is kept: large integers arrive as bigints. */
const toText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined

/** Converts a value of the answer to a credential: a string, or strings and integers joined with commas. */
function toCredential(value: unknown): string | undefined {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : undefined
  const texts = value.map(toText).filter((text) => text !== undefined)
  return texts.length === value.length ? texts.join(',') : undefined
}

function mergeExchanged(
  { kind: { definition } }: BareConnection,
  { scheme, exchange, values, context, what }: GrantExchange,
  body: unknown,
): Exchanged {
  const { base, title: vendor } = definition
  const isForeignBase = (field: string, value: string) => base?.fields.includes(field) && !new RegExp(base.matches).test(value)
  const found = Object.entries(exchange.read).flatMap(([field, path]) => {
    const value = toCredential(getAt(body, parsePath(path)))
    return value === undefined || value === '' ? [] : [[field, value] as const]
  })
  const read = found.filter(([field, value]) => !isForeignBase(field, value))
  const token = findTokenField(scheme)
  const next: Record<string, string> = { ...values, ...Object.fromEntries(read) }
  setExpiry(next, exchange, { body, now: context.now })
  if (!read.some(([field, value]) => field === token && isToken(value)))
    throw fail('upstream_answer_invalid', { vendor, reason: `${what} brought no token that can be sent` })
  return { values: next, hasForeignBase: read.length < found.length }
}

/** Sets the expiry of the token; deletes it if the answer states no lifetime. */
function setExpiry(next: Record<string, string>, { expires }: Exchange, { body, now }: { body: unknown; now: number }): void {
  if (expires === undefined) return
  const seconds = typeof expires.seconds === 'number' ? expires.seconds : Number(getAt(body, parsePath(expires.seconds)))
  if (seconds > 0 && seconds <= longestLife) next[expires.field] = new Date(now + seconds * 1000).toISOString()
  else delete next[expires.field]
}
