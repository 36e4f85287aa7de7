/** Renews tokens with the grant that the credentials hold: a refresh token, or the code of a consent. */
import type { CredentialScheme, Exchange, Grant } from '../../definition/index.ts'
import { type AuthContext, type ExchangePlace, exchangeGrant, failAuth } from './exchange.ts'
import type { CredentialValues } from './source.ts'

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
export function canRenew({ exchange }: CredentialScheme, values: CredentialValues): boolean {
  const grant = exchange === undefined ? undefined : findStoredGrant(exchange)
  return exchange !== undefined && grant !== undefined && listMissing(exchange, grant, values).length === 0
}

const failUnrenewable = (
  place: ExchangePlace,
  { client }: Exchange,
  { spent, missing }: { spent: readonly string[]; missing: string[] },
) =>
  spent.some((field) => missing.includes(field))
    ? failAuth(place, `there is no access token, and no ${missing.join(' and ')} to get one`, 'Connect the account again.')
    : failAuth(
        place,
        `the access token has expired, and ${client === undefined ? missing.join(' and ') : `${client.user} and ${client.password}`} are needed to renew it`,
        'Give the client id and client secret of the integration with the credentials.',
      )

/**
 * Exchanges the stored grant of credentials, once.
 * @returns the values that replace the given ones
 * @throws FerruleError `upstream_auth_failed` if the vendor refuses, or a value is missing
 */
export async function exchangeStored(
  place: ExchangePlace,
  { scheme, values, context }: { scheme: CredentialScheme; values: CredentialValues; context: AuthContext },
): Promise<CredentialValues> {
  const { exchange } = scheme
  const grant = exchange === undefined ? undefined : findStoredGrant(exchange)
  if (exchange === undefined || grant === undefined) throw failAuth(place, 'they cannot be renewed')
  const missing = listMissing(exchange, grant, values)
  if (missing.length > 0) throw failUnrenewable(place, exchange, { spent: grant.spent, missing })
  // A base address outside the vendor's hosts is ignored: the token is valid, and requests keep the known base.
  const { values: next } = await exchangeGrant(place, {
    scheme,
    exchange,
    grant,
    more: {},
    values,
    context,
    what: 'the renewal of the token',
    refused: (_answer, reason) => failAuth(place, reason, 'Connect the account again: the refresh token was used or revoked.'),
  })
  return Object.fromEntries(Object.entries(next).filter(([field]) => !grant.spent.includes(field)))
}
