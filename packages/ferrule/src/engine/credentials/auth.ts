/** Builds request headers from credentials and renews expiring tokens. */
import type { CredentialScheme } from '../../definition/connector.ts'
import { fail } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import { awaitUnlessAborted, Deadline } from '../http/deadline.ts'
import { createRedactor, type Redact } from '../http/redact.ts'
import { findScheme, findTokenField } from './check.ts'
import { type AuthContext, exchangeTimeoutMs, formatBasic, listSecrets } from './exchange.ts'
import { canRenew, exchangeStored } from './renewal.ts'
import { Secret } from './secret.ts'
import { signToken } from './signed-token.ts'
import type { CredentialValues, OpenedCredentials } from './source.ts'

/** Time before expiry at which a token is renewed, in milliseconds. */
const margin = 60_000

/** Credentials ready for a request. */
export interface Authorization {
  readonly opened: OpenedCredentials
  readonly headers: Readonly<Record<string, string>>
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
  if (send.as === 'basic') return { authorization: formatBasic(values[send.user] ?? '', values[send.password] ?? '') }
  if (send.as === 'signed') return { authorization: `Bearer ${await signToken(connection, { send, opened, now })}` }
  return send.as === 'bearer' ? { authorization: `Bearer ${values[send.token] ?? ''}` } : { [send.name]: values[send.value] ?? '' }
}

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
  return { opened, headers: { ...scheme.headers, ...headers }, redact }
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
