/** Builds request headers from credentials, signs tokens with private keys (RFC 7519, RS256), and renews expiring tokens. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readSlug, type SignedToken } from '../../definition/connector.ts'
import type { Signing } from '../../definition/consent.ts'
import type { CredentialScheme, Exchange, Grant } from '../../definition/index.ts'
import { fillTemplate, fillTemplates, listSlots } from '../../definition/templates.ts'
import { fail } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import { awaitUnlessAborted, clocks, Deadline } from '../http/deadline.ts'
import { headerMessage, isHeaderText } from '../http/header-text.ts'
import { readConfiguration } from '../http/origin.ts'
import { findScheme, findTokenField } from './check-credentials.ts'
import { type AuthContext, type BareConnection, exchangeGrant, exchangeTimeoutMs, failAuth, listSecrets } from './exchange.ts'
import { type CredentialValues, createRedactor, encodeHeader, type OpenedCredentials, type Redact, Secret } from './source.ts'

/** A signed token. Timestamps are milliseconds since 1970. */
interface Signed {
  readonly token: string
  readonly issued: number
  readonly end: number
}

/** Shortest modulus in bits (RFC 7518 section 3.3). */
const shortestKey = 2048

/**
 * Parses the private key.
 * @throws FerruleError `upstream_auth_failed` for an unreadable key, or one of another kind; the reason never quotes the key
 */
function readPrivateKey({ kind }: BareConnection, pem: string, passphrase: string | undefined): KeyObject {
  const refuse = (reason: string) =>
    fail(
      'upstream_auth_failed',
      { vendor: kind.definition.title, reason },
      { hint: 'Give an RSA key as PEM (PKCS #8), with its passphrase when it is encrypted.' },
    )
  let key: KeyObject
  try {
    key = createPrivateKey({ key: pem.replaceAll('\\n', '\n'), format: 'pem', passphrase })
  } catch {
    throw refuse('the private key cannot be read')
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0 } = {} } = key
  if (type === 'rsa' && modulusLength >= shortestKey) return key
  throw refuse('the private key cannot sign with RS256')
}

const computeFingerprint = (key: KeyObject): string =>
  createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64')

/** Builds the claims beside the timestamps: by the rule of the kind, or from templates. */
function buildClaims(
  { kind, configuration }: BareConnection,
  { claims, values, key }: { claims: Signing['claims']; values: CredentialValues; key: KeyObject },
): Readonly<Record<string, string>> {
  if (typeof claims !== 'string') return Object.fromEntries(fillTemplates(claims, values))
  const rule = kind.rules.claims?.[claims.slice('rule:'.length)]
  return rule?.({ credentials: values, configuration, fingerprint: computeFingerprint(key) }) ?? {}
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Signs a token. @throws FerruleError `upstream_auth_failed` for a key that cannot sign */
function signToken(
  connection: BareConnection,
  { signing, values, now }: { readonly signing: Signing; readonly values: CredentialValues; readonly now: number },
): Signed {
  const key = readPrivateKey(connection, values[signing.key] ?? '', values[signing.passphrase ?? ''])
  const issued = Math.floor(now / 1000)
  const claims = { ...buildClaims(connection, { claims: signing.claims, values, key }), iat: issued, exp: issued + signing.seconds }
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(text), key).toString('base64url')
  return { token: `${text}.${signature}`, issued: issued * 1000, end: (issued + signing.seconds) * 1000 }
}

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

const listHeaderFields = ({ headers = {} }: Exchange): string[] => Object.values(headers).flatMap(listSlots)

const listRenewalFields = (exchange: Exchange, { send, signed }: Grant): string[] => [
  ...listHeaderFields(exchange),
  ...Object.values(send),
  ...(signed === undefined ? [] : [signed.key]),
]

const listMissing = (exchange: Exchange, grant: Grant, values: CredentialValues): string[] =>
  listRenewalFields(exchange, grant).filter((field) => values[field] === undefined)

/** Returns whether credentials hold everything that a renewal needs. */
function canRenew({ exchange }: CredentialScheme, values: CredentialValues): boolean {
  const grant = exchange === undefined ? undefined : findStoredGrant(exchange)
  return exchange !== undefined && grant !== undefined && listMissing(exchange, grant, values).length === 0
}

const failUnrenewable = (
  connection: BareConnection,
  exchange: Exchange,
  { spent, missing }: { spent: readonly string[]; missing: string[] },
) =>
  spent.some((field) => missing.includes(field))
    ? failAuth(connection, `there is no access token, and no ${missing.join(' and ')} to get one`, 'Connect the account again.')
    : failAuth(
        connection,
        `the access token has expired, and ${(exchange.headers === undefined ? missing : listHeaderFields(exchange)).join(' and ')} are needed to renew it`,
        'Give the client id and client secret of the integration with the credentials.',
      )

const refusedGrant = 'Connect the account again: the refresh token was used or revoked.'
const refusedClient = 'Check the client id and the client secret, and that the OAuth client may still reach the account.'
const refusedKey = 'Check that the vendor knows this private key, and that its owner may do what the connector does.'

/** Chooses what to do about a refusal: without a code, the grant is the OAuth client or the user itself. */
function chooseHint(exchange: Exchange, grant: Grant): string {
  if (grant.signed !== undefined) return refusedKey
  if (exchange.code !== undefined) return refusedGrant
  const fields = listRenewalFields(exchange, grant)
  return fields.includes('client_id') ? refusedClient : `Check ${fields.join(' and ')}, and that they can still sign in.`
}

/** Exchanges the stored grant of credentials, once. @returns the values that replace the given ones */
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
    more:
      grant.signed === undefined
        ? {}
        : { [grant.signed.param]: signToken(connection, { signing: grant.signed, values, now: context.now }).token },
    values,
    context,
    what: 'the renewal of the token',
    refused: (_answer, reason) => failAuth(connection, reason, chooseHint(exchange, grant)),
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
  if (scheme === undefined) throw fail('credentials_unreadable', { reason: `they fit no scheme of ${readSlug(definition.kind)}` })
  return scheme
}

function buildHeaders(
  connection: Connection,
  { scheme: { send }, opened, now }: { scheme: CredentialScheme; opened: OpenedCredentials; now: number },
): Readonly<Record<string, string>> {
  const values = opened.values.reveal()
  if ('as' in send) return { authorization: `Bearer ${getSignedToken(connection, { send, opened, now })}` }
  return Object.fromEntries(fillTemplates(send.headers, values).map(([name, header]) => [name, encodeHeader(header)]))
}

/** Builds the headers of the scheme itself, with values of the configuration. */
const buildSchemeHeaders = (connection: Connection, { headers = {} }: CredentialScheme): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, template]) => {
      const filled = fillTemplate(template, (slot) => readConfiguration(connection, slot))
      if (filled === undefined) return []
      if (isHeaderText(filled)) return [[name, filled]]
      const fields = listSlots(template)
      const errors = fields.map((field) => ({ field: `/replication_config/${field}`, message: headerMessage, error_code: 'pattern' }))
      throw fail('validation_failed', { reason: `the configuration value ${fields.join(' or ')} cannot stand in a header` }, { errors })
    }),
  )

const isExpired = (scheme: CredentialScheme, values: CredentialValues, now: number): boolean => {
  const field = findTokenField(scheme)
  if (scheme.exchange === undefined || field === undefined) return false
  const end = Date.parse(values[scheme.exchange.expires?.field ?? ''] ?? '')
  return values[field] === undefined || (!Number.isNaN(end) && end - margin <= now)
}

function buildAuthorization(connection: Connection, opened: OpenedCredentials, now: number): Authorization {
  const values = opened.values.reveal()
  const scheme = requireScheme(connection, values)
  const headers = buildHeaders(connection, { scheme, opened, now })
  const listSent = () => Object.values(headers).map((header) => header.slice(header.indexOf(' ') + 1))
  const redact = createRedactor(() => [...listSecrets(scheme, values), ...listSent()])
  const query = 'as' in scheme.send ? [] : fillTemplates(scheme.send.query, values)
  return { opened, headers: { ...buildSchemeHeaders(connection, scheme), ...headers }, query, redact }
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

interface KeptToken extends Signed {
  /** Signing time by the steady clock, so that a clock which steps back does not extend the lifetime. */
  readonly madeAt: number
}

/** By the credentials that signed the token; garbage collection removes both. */
const kept = new WeakMap<OpenedCredentials['values'], KeptToken>()

const isValid = ({ issued, end, madeAt }: KeptToken, now: number): boolean =>
  issued <= now && now < end - margin && clocks.steady() - madeAt < end - margin - issued

/** Returns a valid token, signed now or kept from before. @throws FerruleError `upstream_auth_failed` for a key that cannot sign */
function getSignedToken(
  connection: Connection,
  { send, opened, now }: { send: SignedToken; opened: OpenedCredentials; now: number },
): string {
  const known = kept.get(opened.values)
  if (known !== undefined && isValid(known, now)) return known.token
  const signed = signToken(connection, { signing: send, values: opened.values.reveal(), now })
  kept.set(opened.values, { ...signed, madeAt: clocks.steady() })
  return signed.token
}
