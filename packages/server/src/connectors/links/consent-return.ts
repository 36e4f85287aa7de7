/** Takes returns from vendors' pages: proves the browser, exchanges the code once, and stores what it brings. */
import { findConsent, readConsentReturn } from 'ferrule/engine'
import { asFerruleError, fail } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import { viewOrganization } from '../../values/access.ts'
import { findConnectLink } from '../sql/links.ts'
import { keepVendorApplication } from '../sql/vendor-applications.ts'
import { type ConnectAttemptRow, findAttemptByState, stepAttempt } from '../sql/visits.ts'
import { buildCallbackUrl } from './addresses.ts'
import type { AuthorizationParts } from './authorization.ts'
import type { ConnectPages, ConsentReturn } from './connect-types.ts'
import { connectToVendor, findLinkAccounts, listAccounts, type ProvenAttempt, storeConsent } from './consent.ts'
import { openApplication, sealConsent } from './consent-secrets.ts'
import { requireOpen } from './link-record.ts'
import { digestSecret, isSecret } from './secrets.ts'

/** The same answer for an unknown state, another browser and another kind: a stranger learns nothing. */
const refuseStranger = () => fail('connect_return_refused', { reason: 'it belongs to no authorization that this browser began' })

/** Finds the attempt of a return. The state and the cookie of this browser have to be right before anything else is done. */
async function proveReturn(parts: Parts, given: ConsentReturn, state: string | undefined): Promise<ProvenAttempt> {
  const { db } = parts.database
  const attempt = state === undefined ? undefined : await findAttemptByState(db, digestSecret('state', state))
  const cookie = attempt === undefined ? undefined : given.readCookie(attempt.id)
  if (attempt === undefined || attempt.kind !== given.kind) throw refuseStranger()
  if (cookie === undefined || !isSecret('attempt', cookie, attempt.cookie_digest)) throw refuseStranger()
  const link = await findConnectLink(db, viewOrganization(attempt.organization_id), attempt.link_id)
  if (link === undefined) throw refuseStranger()
  return { attempt, link, kind: parts.catalogue.getKind(attempt.kind), cookie }
}

/** Keeps why an attempt failed, for the page of its session. */
async function failAttempt(
  parts: Pick<Parts, 'database' | 'source' | 'onBackgroundError'>,
  attempt: ConnectAttemptRow,
  { from, thrown }: { from: 'started' | 'exchanging'; thrown: unknown },
) {
  const { code, message, hint, retryable } = asFerruleError(thrown)
  if (code === 'internal_error') parts.onBackgroundError(thrown)
  const failure = JSON.stringify({ code, message, hint, retryable })
  await stepAttempt(parts.database.db, attempt, { from, to: 'failed', now: parts.source.clock(), failure })
}

/** Builds the failure of a return without a code. */
function failWithoutCode(vendor: string, refused: string | undefined) {
  if (refused === undefined) return fail('connect_return_refused', { reason: `${vendor} sent no code` })
  const reason = refused === 'access_denied' ? `${vendor} says that the access was denied` : `${vendor} answered ${refused}`
  const hint = 'Start the authorization again, and agree on the page of the vendor. Its administrator may have to do it.'
  return fail('connect_return_refused', { reason }, { hint })
}

/** Exchanges the code, with one request that nothing repeats. */
async function exchange(parts: Parts, { attempt, link, kind }: ProvenAttempt, code: string) {
  const row = await keepVendorApplication(parts.database.db, link.organization_id, attempt.vendor_application_id)
  if (row === undefined) throw fail('oauth_credentials_not_found', { vendor: kind.definition.title })
  const connection = await connectToVendor(parts, { link, kind }, { configuration: attempt.configuration })
  const redirectUrl = buildCallbackUrl(parts.settings, kind.definition.kind)
  const consented = { application: openApplication(parts, row), code, redirectUrl }
  return parts.admission.admit({ organizationId: link.organization_id }, () => parts.engine.exchangeConsent(connection, consented))
}

/** Exchanges the code and stores the connector, or keeps the credentials while accounts are chosen. */
async function carryOut(parts: AuthorizationParts, proven: ProvenAttempt, code: string): Promise<void> {
  const { attempt, link, kind, cookie } = proven
  const { definition } = kind
  const values = await exchange(parts, proven, code)
  // The credentials of a connector keep its configuration, so nothing is chosen for them.
  if (findConsent(definition)?.accounts === undefined || link.target_connector_id !== null) {
    await storeConsent(parts, proven, { values, from: 'exchanging' })
    return
  }
  const connection = await connectToVendor(parts, proven, { configuration: attempt.configuration, values })
  // The page lists the accounts again, so a failure of this list decides nothing.
  const accounts = await listAccounts(parts, link, connection).catch(() => undefined)
  if (accounts?.length === 0) throw failWithoutAccounts(definition.title)
  const missing = (findLinkAccounts(proven) ?? []).filter((fixed) => accounts?.every(({ id }) => id !== fixed))
  if (missing.length > 0) throw failWithoutFixed(definition.title, missing.join(', '))
  const sealed = sealConsent(parts, { attempt, cookie, definition }, values)
  await stepAttempt(parts.database.db, attempt, { from: 'exchanging', to: 'choosing', now: parts.source.clock(), sealed })
}

const failWithoutAccounts = (vendor: string) =>
  fail(
    'connect_return_refused',
    { reason: `no account was ticked at ${vendor}` },
    { hint: 'Start the authorization again, and tick at least one account. Nothing was created.' },
  )

const failWithoutFixed = (vendor: string, missing: string) =>
  fail(
    'connect_return_refused',
    { reason: `the link is for an account that was not ticked at ${vendor}` },
    { hint: `Start the authorization again, and tick ${missing}. Nothing was created.` },
  )

/**
 * Takes a return. The step from `started` is one statement, so of two nodes, and of a repeated return, one exchanges the code.
 * @throws FerruleError `connect_return_refused` when the return belongs to no consent of this browser
 */
export async function takeReturn(parts: AuthorizationParts, given: ConsentReturn): ReturnType<ConnectPages['takeReturn']> {
  const { definition } = parts.catalogue.getKind(given.kind)
  const returned = readConsentReturn(definition, given.query)
  const proven = await proveReturn(parts, given, returned.state)
  const { attempt, link } = proven
  const now = parts.source.clock()
  const next = { linkId: link.id, attemptId: attempt.id }
  if (!('code' in returned)) {
    const thrown = failWithoutCode(definition.title, 'refused' in returned ? returned.refused : undefined)
    await failAttempt(parts, attempt, { from: 'started', thrown })
    return next
  }
  if (!(await stepAttempt(parts.database.db, attempt, { from: 'started', to: 'exchanging', now }))) return next
  try {
    requireOpen(link, now)
    await carryOut(parts, proven, returned.code)
  } catch (thrown) {
    await failAttempt(parts, attempt, { from: 'exchanging', thrown })
  }
  return next
}
