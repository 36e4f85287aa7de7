/** Builds request headers from credentials and renews expiring tokens. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { SignedToken } from '../../definition/connector.ts'
import type { CredentialScheme, Exchange, Grant } from '../../definition/index.ts'
import { fillTemplate } from '../../definition/templates.ts'
import { fail } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import { awaitUnlessAborted, clocks, Deadline } from '../http/deadline.ts'
import { findScheme, findTokenField } from './check.ts'
import { type AuthContext, type BareConnection, exchangeGrant, exchangeTimeoutMs, failAuth, listSecrets } from './exchange.ts'
import { type CredentialValues, createRedactor, encodeHeader, type OpenedCredentials, type Redact, Secret } from './source.ts'

/** A grant whose values the credentials hold. */
interface StoredGrant extends Grant {
  /** Fields that the exchange spends. */
  readonly spent: readonly string[]
}

/** Finds the grant that credentials can hold: the refresh token, else a code that callers give themselves. */
function findStoredGrant({ refresh, code }: Exchange): StoredGrant | undefined {
  if (refresh !== undefined) return { ...refresh, spent: [] }
  if (code?.field === undefined) return undefined
  return { constant: code.constant, send: { ...code.send, [code.code]: code.field }, spent: [code.field] }
}

/** Lists the missing credential fields of a renewal. */
const listMissing = ({ client }: Exchange, { send }: Grant, values: CredentialValues): string[] =>
  [...(client === undefined ? [] : [client.user, client.password]), ...Object.values(send)].filter((field) => values[field] === undefined)

/** Returns whether credentials hold everything that a renewal needs. */
function canRenew({ exchange }: CredentialScheme, values: CredentialValues): boolean {
  const grant = exchange === undefined ? undefined : findStoredGrant(exchange)
  return exchange !== undefined && grant !== undefined && listMissing(exchange, grant, values).length === 0
}

const failUnrenewable = (
  connection: BareConnection,
  { client }: Exchange,
  { spent, missing }: { spent: readonly string[]; missing: string[] },
) =>
  spent.some((field) => missing.includes(field))
    ? failAuth(connection, `there is no access token, and no ${missing.join(' and ')} to get one`, 'Connect the account again.')
    : failAuth(
        connection,
        `the access token has expired, and ${client === undefined ? missing.join(' and ') : `${client.user} and ${client.password}`} are needed to renew it`,
        'Give the client id and client secret of the integration with the credentials.',
      )

/**
 * Exchanges the stored grant of credentials, once.
 * @returns the values that replace the given ones
 * @throws FerruleError `upstream_auth_failed` if the vendor refuses, or a value is missing
 */
async function exchangeStored(
  connection: BareConnection,
  { scheme, values, context }: { scheme: CredentialScheme; values: CredentialValues; context: AuthContext },
): Promise<CredentialValues> {
  const { exchange } = scheme
  const grant = exchange === undefined ? undefined : findStoredGrant(exchange)
  if (exchange === undefined || grant === undefined) throw failAuth(connection, 'they cannot be renewed')
  const missing = listMissing(exchange, grant, values)
  if (missing.length > 0) throw failUnrenewable(connection, exchange, { spent: grant.spent, missing })
  // A base address outside the vendor's hosts is ignored: the token is valid, and requests keep the known base.
  const { values: next } = await exchangeGrant(connection, {
    scheme,
    exchange,
    grant,
    more: {},
    values,
    context,
    what: 'the renewal of the token',
    refused: (_answer, reason) => failAuth(connection, reason, 'Connect the account again: the refresh token was used or revoked.'),
  })
  return Object.fromEntries(Object.entries(next).filter(([field]) => !grant.spent.includes(field)))
}

/** Time before expiry at which a token is renewed or signed again, in milliseconds. */
const margin = 60_000

/** Credentials ready for a request. */
export interface Authorization {
  readonly opened: OpenedCredentials
  readonly headers: Readonly<Record<string, string>>
  /** Parameters of the query, for vendors that take credentials there. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Removes these credentials from a string. */
  readonly redact: Redact
}

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
  if ('as' in send) return { authorization: `Bearer ${await signToken(connection, { send, opened, now })}` }
  return Object.fromEntries(fillTemplates(send.headers, values).map(([name, header]) => [name, encodeHeader(header)]))
}

/** Fills templates with values of credentials, without those whose slots are all empty. */
const fillTemplates = (templates: Readonly<Record<string, string>> = {}, values: CredentialValues): [string, string][] =>
  Object.entries(templates).flatMap(([name, template]) => {
    const filled = fillTemplate(template, (slot) => values[slot])
    return filled === undefined ? [] : [[name, filled]]
  })

const isExpired = (scheme: CredentialScheme, values: CredentialValues, now: number): boolean => {
  const field = findTokenField(scheme)
  if (scheme.exchange === undefined || field === undefined) return false
  const end = Date.parse(values[scheme.exchange.expires?.field ?? ''] ?? '')
  return values[field] === undefined || (!Number.isNaN(end) && end - margin <= now)
}

async function buildAuthorization(connection: Connection, opened: OpenedCredentials, now: number): Promise<Authorization> {
  const values = opened.values.reveal()
  const scheme = requireScheme(connection, values)
  const headers = await buildHeaders(connection, { scheme, opened, now })
  const listSent = () => Object.values(headers).map((header) => header.slice(header.indexOf(' ') + 1))
  const redact = createRedactor(() => [...listSecrets(scheme, values), ...listSent()])
  const query = 'as' in scheme.send ? [] : fillTemplates(scheme.send.query, values)
  return { opened, headers: { ...scheme.headers, ...headers }, query, redact }
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
  return canRenew(requireScheme(connection, values), values)
}

/**
 * Renews credentials once for all calls that ask at the same time.
 * @throws FerruleError `upstream_auth_failed` if the vendor refuses the renewal
 */
export async function renew(connection: Connection, stale: OpenedCredentials, context: AuthContext): Promise<Authorization> {
  const exchanged = async (current: Secret<CredentialValues>) => {
    // Not aborted with the first caller: a single-use token would be spent, and its successor lost.
    using deadline = new Deadline(exchangeTimeoutMs, connection.kind.definition.title)
    const values = current.reveal()
    const scheme = requireScheme(connection, values)
    return new Secret(await exchangeStored(connection, { scheme, values, context: { ...context, signal: deadline.signal } }))
  }
  const opened = await awaitUnlessAborted(context.signal, () => connection.credentials.renew(stale.version, exchanged))
  return buildAuthorization(connection, opened, context.now)
}

interface KeptToken {
  readonly token: string
  /** Milliseconds since 1970. */
  readonly issued: number
  readonly end: number
  /** Signing time by the steady clock, so that a clock which steps back does not extend the lifetime. */
  readonly madeAt: number
}

/** By the credentials that signed the token; garbage collection removes both. */
const kept = new WeakMap<OpenedCredentials['values'], KeptToken>()

const isValid = ({ issued, end, madeAt }: KeptToken, now: number): boolean =>
  issued <= now && now < end - margin && clocks.steady() - madeAt < end - margin - issued

/**
 * Parses the private key.
 * @throws FerruleError `upstream_auth_failed` for an unreadable key; the reason never quotes the key
 */
function readPrivateKey({ kind }: Connection, pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key: pem.replaceAll('\\n', '\n'), format: 'pem', passphrase })
  } catch {
    throw fail(
      'upstream_auth_failed',
      { vendor: kind.definition.title, reason: 'the private key cannot be read' },
      { hint: 'Give an RSA key as PEM (PKCS #8), with its passphrase when it is encrypted.' },
    )
  }
}

const computeFingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64')

/**
 * Returns a valid token (RFC 7519, RS256), signed now or kept from before.
 * @param now milliseconds since 1970
 * @throws FerruleError `upstream_auth_failed` for a key that cannot sign
 */
async function signToken(
  connection: Connection,
  { send, opened, now }: { send: SignedToken; opened: OpenedCredentials; now: number },
): Promise<string> {
  const known = kept.get(opened.values)
  if (known !== undefined && isValid(known, now)) return known.token
  const values = opened.values.reveal()
  const key = readPrivateKey(connection, values[send.key] ?? '', values[send.passphrase])
  const rule = connection.kind.rules.claims?.[send.claims.slice('rule:'.length)]
  const claims = rule?.({ credentials: values, configuration: connection.configuration, fingerprint: computeFingerprint(key) }) ?? {}
  const { SignJWT } = await import('jose') // only kinds with signed tokens need it
  const seconds = Math.floor(now / 1000)
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + send.seconds)
    .sign(key)
    .catch(() => {
      throw fail('upstream_auth_failed', { vendor: connection.kind.definition.title, reason: 'the private key cannot sign with RS256' })
    })
  kept.set(opened.values, { token, issued: seconds * 1000, end: (seconds + send.seconds) * 1000, madeAt: clocks.steady() })
  return token
}
