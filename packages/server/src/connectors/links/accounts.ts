/** Lets the end user choose accounts of a consent, which make one connector. */
import type { CredentialValues, Secret } from 'ferrule/engine'
import { fail, failValidation } from 'ferrule/internal'
import { type ConnectAccounts, type ConnectDone, connectAccountsInput } from 'ferrule/wire'
import type { Parts, VendorCalls } from '../../main/parts.ts'
import { iso } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { keepVendorApplication } from '../sql/vendor-applications.ts'
import { findLastAttempt } from '../sql/visits.ts'
import { type AuthorizationParts, beginAuthorization } from './authorization.ts'
import type { ChoiceVisit } from './connect-types.ts'
import { connectToVendor, findLinkAccounts, listAccounts, type ProvenAttempt, storeConsent } from './consent.ts'
import { openConsent } from './consent-secrets.ts'
import { isSecret } from './secrets.ts'
import { requireVisit, type Visit } from './visits.ts'

/** Most accounts of one connector; definitions bound the field too. */
const mostAccounts = 100

/** An attempt that waits for a choice, with its credentials. */
interface Choosing extends ProvenAttempt {
  readonly values: Secret<CredentialValues>
}

const refuse = (reason: string) => fail('connect_return_refused', { reason })

/** Finds the attempt of this session and this browser that waits for a choice. @throws FerruleError `connect_return_refused` */
async function requireChoosing(parts: Parts, { link, session }: Visit, { readCookie }: ChoiceVisit): Promise<Choosing> {
  const { db } = parts.database
  const attempt = await findLastAttempt(db, session)
  if (attempt === undefined || attempt.status !== 'choosing') throw refuse('no authorization of this page waits for a choice')
  if (attempt.expires_at <= parts.source.clock()) throw refuse('the time for a choice is over')
  const cookie = readCookie(attempt.id)
  const application = await keepVendorApplication(db, link.organization_id, attempt.vendor_application_id)
  if (cookie === undefined || application === undefined || !isSecret('attempt', cookie, attempt.cookie_digest))
    throw refuse('it was begun in another browser')
  const values = openConsent(parts, { attempt, cookie, application })
  if (values === undefined) throw refuse('its credentials cannot be opened')
  return { attempt, link, kind: parts.catalogue.getKind(attempt.kind), cookie, values }
}

/** Lists what may be chosen: the accounts of the consent, or of them those that the link fixes. */
async function list(parts: VendorCalls & Pick<Parts, 'settings' | 'sandboxOrigins'>, { link, kind, attempt, values }: Choosing) {
  const connection = await connectToVendor(parts, { link, kind }, { configuration: attempt.configuration, values })
  const accounts = await listAccounts(parts, link, connection)
  const fixed = findLinkAccounts({ link, kind })
  return { fixed, accounts: fixed === undefined ? accounts : accounts.filter(({ id }) => fixed.includes(id)) }
}

/** Lists the accounts of a consent. @throws FerruleError see `ConnectPages.listAccounts` */
export async function listChoices(parts: Parts, given: ChoiceVisit): Promise<ConnectAccounts> {
  const choosing = await requireChoosing(parts, await requireVisit(parts, given), given)
  const { attempt } = choosing
  const { accounts, fixed } = await list(parts, choosing)
  const shown = { accounts: [...accounts], fixed: fixed !== undefined, most: mostAccounts }
  return { attempt_id: attempt.id, kind: attempt.kind, ...shown, expires_at: iso(attempt.expires_at) }
}

/** Refuses a choice of other accounts than those offered, and of less than the link fixes. @throws FerruleError `validation_failed` */
function requireOffered(chosen: readonly string[], { accounts, fixed }: Awaited<ReturnType<typeof list>>): void {
  const known = new Set(accounts.map(({ id }) => id))
  const foreign = chosen.findIndex((id) => !known.has(id))
  const message = fixed === undefined ? 'is no account of this consent' : 'is no account of this consent that the link allows'
  if (foreign >= 0) throw failValidation([{ field: `/ids/${foreign}`, message, error_code: 'enum' }])
  const missing = fixed?.filter((id) => !chosen.includes(id)) ?? []
  if (missing.length > 0)
    throw failValidation([{ field: '/ids', message: `must have ${missing.join(', ')}, which the link fixes`, error_code: 'locked' }])
}

/** Chooses accounts. Only those of the consent itself count. @throws FerruleError see `ConnectPages.choose` */
export async function chooseAccounts(parts: AuthorizationParts, given: ChoiceVisit, body: unknown): Promise<ConnectDone> {
  const visit = await requireVisit(parts, given)
  const { attempt_id, ids, name } = readBody(connectAccountsInput, body)
  const choosing = await requireChoosing(parts, visit, given)
  if (choosing.attempt.id !== attempt_id.toLowerCase()) throw refuse('a later authorization took its place')
  await beginAuthorization(parts, visit)
  const chosen = [...new Set(ids)]
  requireOffered(chosen, await list(parts, choosing))
  return storeConsent(parts, choosing, { values: choosing.values, from: 'choosing', accounts: chosen, name })
}
