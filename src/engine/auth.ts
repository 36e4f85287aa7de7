/** Credentials → headers, and the renewal of those that expire. The only place, beside the vault, that reveals a secret. */
import type { CredentialScheme, Refresh } from '../definition/connector.ts'
import { FerruleError, fail } from '../errors.ts'
import { bodyOf, type WireAnswer } from './answer.ts'
import type { Connection, CredentialValues, OpenedCredentials } from './connection.ts'
import { isToken } from './credentials.ts'
import { Deadline, within } from './deadline.ts'
import type { Http } from './http.ts'
import { writeJson } from './json.ts'
import { originsOf } from './origin.ts'
import { getAt, parsePath } from './paths.ts'
import { retryAfterOf } from './retry.ts'
import { Secret } from './secret.ts'
import { signedToken } from './signed-token.ts'
import { type Redact, redactorOf, successOf, verdictOf } from './verdict.ts'

/** Renewed this long before the end of a token's life, in milliseconds. */
const margin = 60_000
/** Longest wait for the vendor's answer to a renewal, in milliseconds. A lease on the credentials must outlive it. */
const renewalTimeout = 30_000

/** Credentials that are ready to be sent. */
export interface Authorization {
  readonly opened: OpenedCredentials
  readonly headers: Readonly<Record<string, string>>
  /** Removes these credentials from a text. */
  readonly redact: Redact
}

const basic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const schemeOf = (connection: Connection, values: CredentialValues): CredentialScheme => {
  const { kind, credentials } = connection.kind.definition
  const given = Object.keys(values)
  const scheme = Object.values(credentials).find(({ fields }) => given.length > 0 && given.every((name) => Object.hasOwn(fields, name)))
  if (scheme === undefined) throw fail('credentials_unreadable', { reason: `they fit no scheme of ${kind}` })
  return scheme
}

async function headersOf(
  connection: Connection,
  { scheme: { send }, opened, now }: { scheme: CredentialScheme; opened: OpenedCredentials; now: number },
): Promise<Readonly<Record<string, string>>> {
  const values = opened.values.reveal()
  if (send.as === 'basic') return { authorization: basic(values[send.user] ?? '', values[send.password] ?? '') }
  if (send.as === 'signed') return { authorization: `Bearer ${await signedToken(connection, { send, opened, now })}` }
  return send.as === 'bearer' ? { authorization: `Bearer ${values[send.token] ?? ''}` } : { [send.name]: values[send.value] ?? '' }
}

/** What must never appear in a text: the secret fields, and the header that is made of them. */
const secretsOf = ({ fields }: CredentialScheme, values: CredentialValues): string[] =>
  Object.keys(fields).flatMap((name) =>
    Reflect.get(fields[name] ?? {}, 'writeOnly') === true && values[name] !== undefined ? [values[name]] : [],
  )

/** The credential field that holds the token. */
const tokenField = ({ send }: CredentialScheme): string | undefined => {
  if (send.as === 'basic' || send.as === 'signed') return undefined
  return send.as === 'bearer' ? send.token : send.value
}

const expired = (scheme: CredentialScheme, values: CredentialValues, now: number): boolean => {
  const field = tokenField(scheme)
  if (scheme.refresh === undefined || field === undefined) return false
  const end = Date.parse(values[scheme.refresh.expires?.field ?? ''] ?? '')
  return values[field] === undefined || (!Number.isNaN(end) && end - margin <= now)
}

/** Credential fields that an exchange needs and that are not there. */
const lacking = ({ client, send }: Refresh, values: CredentialValues): string[] =>
  [...(client === undefined ? [] : [client.user, client.password]), ...Object.values(send)].filter((field) => values[field] === undefined)

async function authorization(connection: Connection, opened: OpenedCredentials, now: number): Promise<Authorization> {
  const values = opened.values.reveal()
  const scheme = schemeOf(connection, values)
  const headers = await headersOf(connection, { scheme, opened, now })
  const sent = Object.values(headers).map((header) => header.slice(header.indexOf(' ') + 1))
  return { opened, headers: { ...scheme.headers, ...headers }, redact: redactorOf([...secretsOf(scheme, values), ...sent]) }
}

/** What an authorization needs beside the connection. */
export interface AuthContext {
  readonly http: Http
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * The headers for the next request; a token that has expired, or ends within a minute, is renewed first.
 * @throws FerruleError `credentials_unreadable`, `upstream_auth_failed`, or what the renewal met
 */
export async function authorize(connection: Connection, context: AuthContext): Promise<Authorization> {
  const opened = await within(context.signal, () => connection.credentials.open())
  const values = opened.values.reveal()
  return expired(schemeOf(connection, values), values, context.now)
    ? renew(connection, opened, context)
    : authorization(connection, opened, context.now)
}

/** What the credentials discovered under a field that is no secret; they are exchanged first where they have not been. @throws as `authorize` */
export async function discovered(connection: Connection, context: AuthContext, field: string): Promise<string> {
  const { opened } = await authorize(connection, context)
  return opened.values.reveal()[field] ?? ''
}

/** Whether credentials that were refused can be renewed. */
export const isRenewable = (connection: Connection, { opened }: Authorization): boolean => {
  const values = opened.values.reveal()
  const { refresh } = schemeOf(connection, values)
  return refresh !== undefined && lacking(refresh, values).length === 0
}

/**
 * Renews credentials once, however many calls ask for it at the same time.
 * @throws FerruleError `upstream_auth_failed` when the vendor refuses the renewal
 */
export async function renew(connection: Connection, stale: OpenedCredentials, context: AuthContext): Promise<Authorization> {
  const { refresh } = schemeOf(connection, stale.values.reveal())
  if (refresh === undefined) throw refused(connection, 'they cannot be renewed')
  const exchanged = async (current: Secret<CredentialValues>) => {
    // Not aborted with the call that happens to be first: a single-use token would be spent without its successor being stored.
    using deadline = new Deadline(renewalTimeout, connection.kind.definition.title)
    return await exchange(connection, refresh, { current, context: { ...context, signal: deadline.signal } })
  }
  const opened = await within(context.signal, () => connection.credentials.renew(stale.version, exchanged))
  return authorization(connection, opened, context.now)
}

const refused = (connection: Connection, reason: string, hint?: string): FerruleError =>
  fail('upstream_auth_failed', { vendor: connection.kind.definition.title, reason }, hint === undefined ? {} : { hint })

interface Exchange {
  readonly current: Secret<CredentialValues>
  readonly context: AuthContext
}

/** The grant as a request: where it travels, and who sends it. */
function grantOf({ call, client, place, constant, send }: Refresh, { oauth, values }: { oauth: string; values: CredentialValues }) {
  const grant = { ...constant, ...Object.fromEntries(Object.entries(send).map(([name, field]) => [name, values[field] ?? ''])) }
  const url = new URL(oauth + call.slice('POST '.length))
  if (place === 'query') url.search = new URLSearchParams(grant).toString()
  const authorized = client === undefined ? {} : { authorization: basic(values[client.user] ?? '', values[client.password] ?? '') }
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

async function exchange(connection: Connection, refresh: Refresh, { current, context }: Exchange): Promise<Secret<CredentialValues>> {
  const values = current.reveal()
  const missing = lacking(refresh, values)
  if (missing.length > 0) throw unrenewable(connection, refresh, missing)
  const { oauth, forwarded } = originsOf(connection, values)
  const vendor = connection.kind.definition.title
  const { headers, ...grant } = grantOf(refresh, { oauth, values })
  const sent = context.http.send({
    ...grant,
    trust: 'config',
    method: 'POST',
    headers: { ...headers, ...forwarded.oauth },
    signal: context.signal,
    vendor,
  })
  const answer = await sent.catch((thrown: unknown) => {
    // Its hint, to ask for fewer records, would lead astray: the caller has no part in this answer.
    const isTooLarge = thrown instanceof FerruleError && thrown.code === 'result_too_large'
    throw isTooLarge ? fail('upstream_answer_invalid', { vendor, reason: 'the answer to the renewal of the token is too large' }) : thrown
  })
  if (answer.status !== 200) throw renewalError(connection, answer, context.now)
  const body = readAnswer(connection, { answer, now: context.now, redact: redactorOf(secretsOf(schemeOf(connection, values), values)) })
  return new Secret(renewed(connection, refresh, { values, body, now: context.now }))
}

const unrenewable = (connection: Connection, { client, spent = [] }: Refresh, missing: readonly string[]): FerruleError =>
  spent.some((field) => missing.includes(field))
    ? refused(connection, `there is no access token, and no ${missing.join(' and ')} to get one`, 'Connect the account anew.')
    : refused(
        connection,
        `the access token has expired, and ${client === undefined ? missing.join(' and ') : `${client.user} and ${client.password}`} are needed to renew it`,
        'Give the client id and client secret of the integration with the credentials.',
      )

function renewalError(connection: Connection, { status, headers }: WireAnswer, now: number): FerruleError {
  const vendor = connection.kind.definition.title
  const reason = `status ${status} to the renewal of the token`
  const retryAfterMs = retryAfterOf(headers, now)
  const details = { upstream: { status }, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  if (status >= 500) return fail('upstream_error', { vendor, reason }, details)
  if (status === 429) return fail('upstream_rate_limited', { vendor }, details)
  if (status < 400) return fail('upstream_answer_invalid', { vendor, reason }, details)
  return refused(connection, reason, 'Connect the account anew: the refresh token was used or revoked.')
}

/** The body of an answer with status 200. @throws FerruleError by the vendor's own code, where it sends its errors so */
function readAnswer(connection: Connection, { answer, now, redact }: { answer: WireAnswer; now: number; redact: Redact }): unknown {
  const of = { kind: connection.kind, action: 'get' } as const
  const body = bodyOf(of, answer)
  if (successOf(of, { answer, body, redact }) !== undefined) return body
  const verdict = verdictOf(of, answer, {
    params: {},
    redact,
    now,
    waitBy: ({ wait }) => (wait === undefined ? undefined : wait.first * 1000),
  })
  throw verdict.is === 'error' ? verdict.error : refused(connection, 'the renewal of the token brought nothing')
}

/** Longest life of a token that is believed, in seconds: ten years. */
const longestLife = 315_360_000

/** A value of the answer as a credential: a text, or texts with commas between them. */
const readText = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : typeof value === 'string' ? value : undefined

function renewed(
  connection: Connection,
  refresh: Refresh,
  { values, body, now }: { values: CredentialValues; body: unknown; now: number },
): CredentialValues {
  const { base } = connection.kind.definition
  // A base that is not the vendor's is not kept: the token is still good, and goes to the base that was known before.
  const usable = (field: string, value: string) => value !== '' && !(base?.fields.includes(field) && !new RegExp(base.matches).test(value))
  const read = Object.entries(refresh.read).flatMap(([field, path]) => {
    const value = readText(getAt(body, parsePath(path)))
    return value !== undefined && usable(field, value) ? [[field, value] as const] : []
  })
  const token = tokenField(schemeOf(connection, values))
  const next: Record<string, string> = { ...values, ...Object.fromEntries(read) }
  for (const field of refresh.spent ?? []) delete next[field]
  setEnd(next, refresh, { body, now })
  if (!read.some(([field, value]) => field === token && isToken(value)))
    throw fail('upstream_answer_invalid', {
      vendor: connection.kind.definition.title,
      reason: 'the renewal of the token brought no token that can be sent',
    })
  return next
}

/** The moment at which the token ends; an answer that does not tell leaves none. */
function setEnd(next: Record<string, string>, { expires }: Refresh, { body, now }: { body: unknown; now: number }): void {
  if (expires === undefined) return
  const seconds = Number(getAt(body, parsePath(expires.seconds)))
  if (seconds > 0 && seconds <= longestLife) next[expires.field] = new Date(now + seconds * 1000).toISOString()
  else delete next[expires.field]
}
