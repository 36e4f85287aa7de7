/** Exchanges the code of a consent for credentials. */
import type { Exchange } from '../../definition/index.ts'
import { FerruleError, fail } from '../../errors.ts'
import type { WireAnswer } from '../call/answer.ts'
import type { Runtime } from '../call/transport.ts'
import {
  type BareConnection,
  type Exchanged,
  exchangeGrant,
  exchangeTimeoutMs,
  failAuth,
  type GrantExchange,
  readOauthError,
} from '../credentials/exchange.ts'
import { type CredentialValues, Secret } from '../credentials/source.ts'
import { Deadline } from '../http/deadline.ts'
import { mayHaveRun } from '../http/unsent.ts'
import { checkConsentReturn, failNoConsent, findConsentPage } from './consent-page.ts'

/** What a consent brought back. */
export interface ConsentCode {
  /** Values of `oauthClientFields`. */
  readonly oauthClient: Secret<CredentialValues>
  /** The code of the return. Check its state first: the exchange itself proves nothing about the browser. */
  readonly code: string
  /** The whole return, for vendors that sign it or state the account in it. */
  readonly query?: URLSearchParams
  /** The same as the consent page got. */
  readonly redirectUrl: string
  /** The verifier whose digest the consent page got, if it got one. */
  readonly verifier?: Secret<string>
}

/** Error codes that blame the operator's OAuth client. */
const oauthClientErrors: ReadonlySet<unknown> = new Set(['invalid_client', 'unauthorized_client'])

function failRefused(connection: BareConnection, answer: WireAnswer, reason: string): FerruleError {
  const error = readOauthError(answer)
  const hint = oauthClientErrors.has(error)
    ? 'Check the id and the secret of the OAuth client at the vendor, then start the consent again.'
    : 'Start the consent again: a code is valid for one exchange and a short time.'
  return failAuth(connection, error === undefined ? reason : `${reason} (${error})`, hint)
}

/** Converts an error after which nobody knows whether the vendor spent the code. */
function toConsentError({ kind }: BareConnection, thrown: unknown): unknown {
  if (!(thrown instanceof FerruleError) || !(mayHaveRun(thrown) || thrown.code === 'upstream_error')) return thrown
  const { message, cause, upstream } = thrown
  const details = { cause, upstream }
  return fail('consent_unclear', { vendor: kind.definition.title, reason: message.replace(/\.$/, '') }, details)
}

const buildExchange = (
  connection: BareConnection,
  { oauthClient, code, redirectUrl, verifier }: ConsentCode,
): Omit<GrantExchange, 'context'> & { readonly exchange: Exchange } => {
  const { definition } = connection.kind
  const { name = '', consent } = findConsentPage(definition) ?? {}
  const scheme = definition.credentials[name]
  const exchange = scheme?.exchange
  const grant = exchange?.code
  if (scheme === undefined || consent === undefined || exchange === undefined || grant === undefined) throw failNoConsent(definition)
  const given = oauthClient.reveal()
  return {
    scheme,
    exchange,
    grant,
    values: Object.fromEntries(consent.oauthClient.flatMap((field) => (given[field] === undefined ? [] : [[field, given[field]]]))),
    more: {
      [grant.code]: code,
      ...(grant.redirectUri === undefined ? {} : { [grant.redirectUri]: redirectUrl }),
      ...(verifier === undefined ? {} : { code_verifier: verifier.reveal() }),
    },
    what: 'the exchange of the code',
    refused: (answer, reason) => failRefused(connection, answer, reason),
  }
}

/**
 * Exchanges the code of a consent, with one request that is never repeated. Does not end with the caller: the code would be spent, and its
 * token lost.
 * @returns the credentials, with the values of the OAuth client
 * @throws FerruleError `connect_return_refused` for a return that is not the vendor's; `upstream_auth_failed` if the vendor refuses the code
 *   or the OAuth client; `consent_unclear` if nobody knows whether the vendor spent the code; `upstream_answer_invalid` if the customer's base
 *   address is not the vendor's
 */
export async function exchangeConsent(
  { http, wall }: Pick<Runtime, 'http' | 'wall'>,
  connection: BareConnection,
  consented: ConsentCode,
): Promise<Secret<CredentialValues>> {
  const { title: vendor } = connection.kind.definition
  using deadline = new Deadline(exchangeTimeoutMs, vendor)
  checkConsentReturn(connection, consented)
  const prepared = buildExchange(connection, consented)
  const exchanged: Exchanged = await exchangeGrant(connection, {
    ...prepared,
    context: { http, signal: deadline.signal, now: wall() },
  }).catch((thrown: unknown) => {
    throw toConsentError(connection, thrown)
  })
  // Behind an override nothing is sent to the base itself.
  if (exchanged.hasForeignBase && connection.origin === undefined)
    throw fail(
      'upstream_answer_invalid',
      { vendor, reason: 'the exchange of the code brought a customer base address that is not one of the vendor' },
      { retryable: false, hint: 'Nothing was connected. Start the consent again, and report it if it repeats.' },
    )
  return new Secret(exchanged.values)
}
