/** Builds request headers from credentials and renews expiring tokens. */
import type { CredentialScheme, Refresh } from '../../definition/connector.ts'
import { FerruleError, fail } from '../../errors.ts'
import { writeJson } from '../../json/json.ts'
import { parseRetryAfter } from '../../retry.ts'
import { parseBody, type WireAnswer } from '../answer.ts'
import type { Connection } from '../connection.ts'
import { awaitUnlessAborted, Deadline } from '../http/deadline.ts'
import type { Http } from '../http/http.ts'
import { resolveOrigins } from '../http/origin.ts'
import { createRedactor, type Redact } from '../http/redact.ts'
import { getAt, parsePath } from '../json/paths.ts'
import { readSuccess, readVerdict } from '../verdict.ts'
import { findScheme, findTokenField, isToken } from './check.ts'
import { Secret } from './secret.ts'
import { signToken } from './signed-token.ts'
import type { CredentialValues, OpenedCredentials } from './source.ts'

/** Time before expiry at which a token is renewed, in milliseconds. */
const margin = 60_000
/** Timeout of a renewal, in milliseconds. A lease on the credentials must be longer. */
const renewalTimeout = 30_000

/** Credentials ready for a request. */
export interface Authorization {
  readonly opened: OpenedCredentials
  readonly headers: Readonly<Record<string, string>>
  /** Removes these credentials from a string. */
  readonly redact: Redact
}

const formatBasic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** Requires the scheme that stored credentials fit. @throws FerruleError `credentials_unreadable` */
const requireScheme = ({ kind: { definition } }: Connection, values: CredentialValues): CredentialScheme => {
  const [, scheme] = findScheme(definition, Object.keys(values)) ?? []
  if (scheme === undefined) throw fail('credentials_unreadable', { reason: `they fit no scheme of ${definition.kind}` })
  return scheme
}

async function buildHeaders(
  connection: Connection,
  { scheme: { send }, opened, now }: { scheme: CredentialScheme; opened: OpenedCredentials; now: number },
): Promise<Readonly<Record<string, string>>> {
  const values = opened.values.reveal()
  if (send.as === 'basic') return { authorization: formatBasic(values[send.user] ?? '', values[send.password] ?? '') }
  if (send.as === 'signed') return { authorization: `Bearer ${await signToken(connection, { send, opened, now })}` }
  return send.as === 'bearer' ? { authorization: `Bearer ${values[send.token] ?? ''}` } : { [send.name]: values[send.value] ?? '' }
}

/** Lists the values that no string may contain: the secret fields. */
const listSecrets = ({ fields }: CredentialScheme, values: CredentialValues): string[] =>
  Object.keys(fields).flatMap((name) =>
    Reflect.get(fields[name] ?? {}, 'writeOnly') === true && values[name] !== undefined ? [values[name]] : [],
  )

const isExpired = (scheme: CredentialScheme, values: CredentialValues, now: number): boolean => {
  const field = findTokenField(scheme)
  if (scheme.refresh === undefined || field === undefined) return false
  const end = Date.parse(values[scheme.refresh.expires?.field ?? ''] ?? '')
  return values[field] === undefined || (!Number.isNaN(end) && end - margin <= now)
}

/** Lists the missing credential fields of an exchange. */
const listMissing = ({ client, send }: Refresh, values: CredentialValues): string[] =>
  [...(client === undefined ? [] : [client.user, client.password]), ...Object.values(send)].filter((field) => values[field] === undefined)

async function buildAuthorization(connection: Connection, opened: OpenedCredentials, now: number): Promise<Authorization> {
  const values = opened.values.reveal()
  const scheme = requireScheme(connection, values)
  const headers = await buildHeaders(connection, { scheme, opened, now })
  const sent = Object.values(headers).map((header) => header.slice(header.indexOf(' ') + 1))
  return { opened, headers: { ...scheme.headers, ...headers }, redact: createRedactor([...listSecrets(scheme, values), ...sent]) }
}

/** What an authorization needs beside the connection. */
export interface AuthContext {
  readonly http: Http
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Builds the headers for the next request. A token that expires within a minute is renewed first.
 * @throws FerruleError `credentials_unreadable`, `upstream_auth_failed`, or of the renewal
 */
export async function authorize(connection: Connection, context: AuthContext): Promise<Authorization> {
  const opened = await awaitUnlessAborted(context.signal, () => connection.credentials.open())
  const values = opened.values.reveal()
  return isExpired(requireScheme(connection, values), values, context.now)
    ? renew(connection, opened, context)
    : buildAuthorization(connection, opened, context.now)
}

/**
 * Reads what the credentials discovered under a field that is no secret. Exchanges the credentials first if necessary.
 * @throws as `authorize`
 */
export async function readDiscovered(connection: Connection, context: AuthContext, field: string): Promise<string> {
  const { opened } = await authorize(connection, context)
  return opened.values.reveal()[field] ?? ''
}

/** Returns whether refused credentials can be renewed. */
export const isRenewable = (connection: Connection, { opened }: Authorization): boolean => {
  const values = opened.values.reveal()
  const { refresh } = requireScheme(connection, values)
  return refresh !== undefined && listMissing(refresh, values).length === 0
}

/**
 * Renews credentials once for all calls that ask at the same time.
 * @throws FerruleError `upstream_auth_failed` if the vendor refuses the renewal
 */
export async function renew(connection: Connection, stale: OpenedCredentials, context: AuthContext): Promise<Authorization> {
  const { refresh } = requireScheme(connection, stale.values.reveal())
  if (refresh === undefined) throw failAuth(connection, 'they cannot be renewed')
  const exchanged = async (current: Secret<CredentialValues>) => {
    // Not aborted with the first caller: a single-use token would be spent, and its successor lost.
    using deadline = new Deadline(renewalTimeout, connection.kind.definition.title)
    return await exchangeGrant(connection, refresh, { current, context: { ...context, signal: deadline.signal } })
  }
  const opened = await awaitUnlessAborted(context.signal, () => connection.credentials.renew(stale.version, exchanged))
  return buildAuthorization(connection, opened, context.now)
}

const failAuth = (connection: Connection, reason: string, hint?: string): FerruleError =>
  fail('upstream_auth_failed', { vendor: connection.kind.definition.title, reason }, hint === undefined ? {} : { hint })

interface Exchange {
  readonly current: Secret<CredentialValues>
  readonly context: AuthContext
}

/** Builds the request of a grant. */
function buildGrant({ call, client, place, constant, send }: Refresh, { oauth, values }: { oauth: string; values: CredentialValues }) {
  const grant = { ...constant, ...Object.fromEntries(Object.entries(send).map(([name, field]) => [name, values[field] ?? ''])) }
  const url = new URL(oauth + call.slice('POST '.length))
  if (place === 'query') url.search = new URLSearchParams(grant).toString()
  const authorized = client === undefined ? {} : { authorization: formatBasic(values[client.user] ?? '', values[client.password] ?? '') }
  const body = {
    query: undefined,
    form: { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(grant).toString() },
    json: { type: 'application/json', text: writeJson(grant) },
  }[place]
  return {
    url,
    headers: { accept: 'application/json', ...authorized, ...(body === undefined ? {} : { 'content-type': body.type }) },
    ...(body === undefined ? {} : { body: body.text }),
  }
}

async function exchangeGrant(connection: Connection, refresh: Refresh, { current, context }: Exchange): Promise<Secret<CredentialValues>> {
  const values = current.reveal()
  const missing = listMissing(refresh, values)
  if (missing.length > 0) throw failUnrenewable(connection, refresh, missing)
  const { oauth, forwarded } = resolveOrigins(connection, values)
  const vendor = connection.kind.definition.title
  const { headers, ...grant } = buildGrant(refresh, { oauth, values })
  const sent = context.http.send({
    ...grant,
    trust: 'config',
    method: 'POST',
    headers: { ...headers, ...forwarded.oauth },
    signal: context.signal,
    vendor,
  })
  const answer = await sent.catch((thrown: unknown) => {
    // The error's own hint, to ask for fewer records, would mislead: the caller has no part in this answer.
    const isTooLarge = thrown instanceof FerruleError && thrown.code === 'result_too_large'
    throw isTooLarge ? fail('upstream_answer_invalid', { vendor, reason: 'the answer to the renewal of the token is too large' }) : thrown
  })
  if (answer.status !== 200) throw toRenewalError(connection, answer, context.now)
  const body = readRenewal(connection, {
    answer,
    now: context.now,
    redact: createRedactor(listSecrets(requireScheme(connection, values), values)),
  })
  return new Secret(mergeRenewed(connection, refresh, { values, body, now: context.now }))
}

const failUnrenewable = (connection: Connection, { client, spent = [] }: Refresh, missing: readonly string[]): FerruleError =>
  spent.some((field) => missing.includes(field))
    ? failAuth(connection, `there is no access token, and no ${missing.join(' and ')} to get one`, 'Connect the account again.')
    : failAuth(
        connection,
        `the access token has expired, and ${client === undefined ? missing.join(' and ') : `${client.user} and ${client.password}`} are needed to renew it`,
        'Give the client id and client secret of the integration with the credentials.',
      )

function toRenewalError(connection: Connection, { status, headers }: WireAnswer, now: number): FerruleError {
  const vendor = connection.kind.definition.title
  const reason = `status ${status} to the renewal of the token`
  const retryAfterMs = parseRetryAfter(headers, now)
  const details = { upstream: { status }, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status >= 500) return fail('upstream_error', { vendor, reason }, details)
  if (status === 429) return fail('upstream_rate_limited', { vendor }, details)
  if (status < 400) return fail('upstream_answer_invalid', { vendor, reason }, details)
  return failAuth(connection, reason, 'Connect the account again: the refresh token was used or revoked.')
}

/**
 * Reads the body of an answer with status 200.
 * @throws FerruleError by the vendor's own code, if the vendor reports errors with status 200
 */
function readRenewal(connection: Connection, { answer, now, redact }: { answer: WireAnswer; now: number; redact: Redact }): unknown {
  const of = { kind: connection.kind, action: 'get' } as const
  const body = parseBody(of, answer)
  if (readSuccess(of, { answer, body, redact }) !== undefined) return body
  const verdict = readVerdict(of, answer, {
    params: {},
    redact,
    now,
    waitBy: ({ wait }) => (wait === undefined ? undefined : wait.first * 1000),
  })
  throw verdict.is === 'error' ? verdict.error : failAuth(connection, 'the renewal of the token brought nothing')
}

/** Longest accepted lifetime of a token, in seconds: ten years. */
const longestLife = 315_360_000

/** Converts a value of the answer to a credential: a string, or strings joined with commas. */
const toCredential = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : typeof value === 'string' ? value : undefined

function mergeRenewed(
  connection: Connection,
  refresh: Refresh,
  { values, body, now }: { values: CredentialValues; body: unknown; now: number },
): CredentialValues {
  const { base } = connection.kind.definition
  // Ignores a base address outside the vendor's hosts: the token is valid, and requests keep the known base.
  const usable = (field: string, value: string) => value !== '' && !(base?.fields.includes(field) && !new RegExp(base.matches).test(value))
  const read = Object.entries(refresh.read).flatMap(([field, path]) => {
    const value = toCredential(getAt(body, parsePath(path)))
    return value !== undefined && usable(field, value) ? [[field, value] as const] : []
  })
  const token = findTokenField(requireScheme(connection, values))
  const next: Record<string, string> = { ...values, ...Object.fromEntries(read) }
  for (const field of refresh.spent ?? []) delete next[field]
  setExpiry(next, refresh, { body, now })
  if (!read.some(([field, value]) => field === token && isToken(value)))
    throw fail('upstream_answer_invalid', {
      vendor: connection.kind.definition.title,
      reason: 'the renewal of the token brought no token that can be sent',
    })
  return next
}

/** Sets the expiry of the token; deletes it if the answer states no lifetime. */
function setExpiry(next: Record<string, string>, { expires }: Refresh, { body, now }: { body: unknown; now: number }): void {
  if (expires === undefined) return
  const seconds = Number(getAt(body, parsePath(expires.seconds)))
  if (seconds > 0 && seconds <= longestLife) next[expires.field] = new Date(now + seconds * 1000).toISOString()
  else delete next[expires.field]
}
