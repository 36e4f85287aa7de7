/** Refuses work in deleted organizations. */
import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import type { Db } from '../../db/database.ts'
import { holdOrganization } from '../sql/organizations.ts'

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
