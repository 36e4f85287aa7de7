/** Checks a client before it creates something that outlives its token, and while an answer to it is sent. Refuses deleted organizations. */
import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { findConnector, requireConnector } from '../../connectors/sql/connectors.ts'
import type { Db } from '../../db/database.ts'
import type { Stored } from '../../main/parts.ts'
import type { Principal } from '../../values/access.ts'
import { isGranted } from '../sql/applications.ts'
import { holdSecretHash } from '../sql/organization-applications.ts'
import { findGrantedOrganization, type GrantRef, holdOrganization } from '../sql/organizations.ts'
import type { Liveness } from '../tokens/token-types.ts'
import { markSecret } from './client-secret.ts'

/** Checks the grant itself, because a token outlives it by minutes. @throws FerruleError `organization_forbidden` */
export async function requireGrant(db: Db, { applicationId, organizationId, workspaceIds }: Principal): Promise<void> {
  if (workspaceIds !== null) throw fail('organization_forbidden', {})
  if (!(await isGranted(db, applicationId, organizationId))) throw await explainRefusal(db, { applicationId, organizationId })
}

/** Says why an application has no grant: the organization was deleted, or the application. The token named the organization, no header did. */
const explainRefusal = async (db: Db, ref: GrantRef): Promise<FerruleError> =>
  (await findGrantedOrganization(db, ref)) === undefined ? fail('organization_forbidden', {}, { hint: ungranted }) : refuseDeleted()

const ungranted =
  'The application of the token was deleted, or lost this organization. Use the client id and secret of another application.'

/**
 * Checks the grant and the client secret, and locks both until the transaction ends. A token outlives both by minutes; without this check
 * somebody with a replaced secret could create what stays.
 * @throws FerruleError `organization_forbidden`; `token_expired` after a replacement of the secret
 */
export async function requireLiveSecret(db: Db, { applicationId: id, organizationId, token }: Principal): Promise<void> {
  const hash = await holdSecretHash(db, { organizationId, id })
  if (hash === undefined) throw await explainRefusal(db, { applicationId: id, organizationId })
  if (token.secretMark !== markSecret(hash)) throw fail('token_expired', {})
}

/** Like `requireLiveSecret`, and refuses tokens for some workspaces. @throws FerruleError `organization_forbidden`, `token_expired` */
export async function requireLiveClient(db: Db, principal: Principal): Promise<void> {
  if (principal.workspaceIds !== null) throw fail('organization_forbidden', {})
  await requireLiveSecret(db, principal)
}

/** Builds the service. */
export const createLiveness = (
  { database: { db }, source }: Stored,
  { isHeld }: { isHeld(digest: string): Promise<boolean> },
): Liveness => ({
  check: async (principal, { connectorId, countsToken }) => {
    const { applicationId, organizationId, token } = principal
    const isSession = token.sessionDigest !== undefined
    if (countsToken && !isSession && token.expiresAt <= source.clock()) throw fail('token_expired', {})
    if (countsToken && isSession && !(await isHeld(token.sessionDigest))) throw fail('session_ended', {})
    if (!(await isGranted(db, applicationId, organizationId))) throw await explainRefusal(db, { applicationId, organizationId })
    await requireConnector(db, principal, connectorId, findConnector)
  },
})

/** Builds the refusal of a token whose organization is deleted. */
export const refuseDeleted = (): FerruleError =>
  fail(
    'organization_forbidden',
    {},
    { hint: 'The organization is deleted. For 30 days its clients can restore it: POST /api/v1/organizations/{organization_id}/restore.' },
  )

/** Locks an organization against deletion until the transaction ends. @throws FerruleError `organization_forbidden` when it is deleted */
export async function requireOpenOrganization(db: Db, id: string): Promise<void> {
  if (!(await holdOrganization(db, id))) throw refuseDeleted()
}
