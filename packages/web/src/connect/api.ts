/** Sends the requests of the page. Session and attempts are cookies that no script reads. */
import type * as wire from 'ferrule/wire'
import { basePath, linkId } from './address.ts'
import { PageProblem } from './problem.ts'

/** Stated again: the value would bring the checks of all records along. The type keeps both the same. */
const paths: Pick<typeof wire.connectPaths, 'session' | 'connector' | 'consent' | 'accounts'> = {
  session: '/connect/api/session',
  connector: '/connect/api/connector',
  consent: '/connect/api/consent',
  accounts: '/connect/api/accounts',
}

/** Deadline of a request in milliseconds: a check at the vendor takes a minute at most. */
const deadlineMs = 120_000

const refuseNetwork = () =>
  new PageProblem({
    message: 'The service did not answer.',
    hint: 'Check your connection to the internet, then try again. What you typed is still here.',
  })

/** Sends a request. @throws PageProblem what the service refuses, or that it did not answer */
async function ask<T>(path: string, body?: object): Promise<T> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const headers = {
    accept: 'application/json',
    'connect-link': linkId,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const options = { ...sent, headers, cache: 'no-store', signal: AbortSignal.timeout(deadlineMs) } as const
  const response = await fetch(`${basePath}${path}`, options).catch(() => {
    throw refuseNetwork()
  })
  const answer = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer // the service's tests check its answers against the records
  throw answer?.hint === undefined ? refuseNetwork() : new PageProblem(answer)
}

/** Opens a session with the secret of the address. */
export const openSession = (input: wire.ConnectSessionInput): Promise<wire.ConnectPage> => ask(paths.session, input)

/** Reads the page of the session. */
export const readSession = (): Promise<wire.ConnectPage> => ask(paths.session)

/** Checks credentials at the vendor and stores them. */
export const authorize = (input: wire.ConnectConnectorInput): Promise<wire.ConnectDone> => ask(paths.connector, input)

/** Begins a consent on the vendor's page. */
export const beginConsent = (input: wire.ConnectConsentInput): Promise<wire.ConnectConsent> => ask(paths.consent, input)

/** Reads the accounts of a consent. */
export const readAccounts = (): Promise<wire.ConnectAccounts> => ask(paths.accounts)

/** Makes a connector of chosen accounts. */
export const chooseAccounts = (input: wire.ConnectAccountsInput): Promise<wire.ConnectDone> => ask(paths.accounts, input)
