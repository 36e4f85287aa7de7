/** Manages organizations, the tenants (docs/decisions/organizations.md). */

import { fail, failValidation } from 'ferrule/internal'
import { organizationInput } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { asId, newId } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { requireScope } from '../../values/scopes.ts'
import { insertGrant, isGranted, listOrganizations } from '../sql/applications.ts'
import { insertOrganization, type OrganizationRow, updateOrganization } from '../sql/organizations.ts'
import { everyonesWorkspace, makeWorkspace, type WorkspaceParts } from '../workspaces/workspace-keeper.ts'
import { mostOrganizations, refuseMore, toOrganizationRecord } from './organization-record.ts'
import { createOrganizationRemoval } from './organization-removal.ts'
import type { Organizations } from './organization-types.ts'

/**
 * Creates an organization with its first workspace and grants an application access. Call it in a transaction.
 * @param options `isOwn`: true when the application requested the organization
 */
export async function makeOrganization(
  parts: WorkspaceParts,
  db: Db,
  { name, applicationId, isOwn }: { name: string; applicationId: string; isOwn: boolean },
): Promise<OrganizationRow> {
  const now = parts.source.clock()
  const row = { id: newId(parts.source), name, created_at: now, deleted_at: null }
  await insertOrganization(db, row)
  await makeWorkspace(parts, db, { organizationId: row.id, name: everyonesWorkspace })
  await insertGrant(db, { applicationId, organizationId: row.id, now, isOwn })
  return row
}

/** Builds the service. */
export const createOrganizations = (parts: Parts): Organizations => ({
  ...createOrganizationRemoval(parts),
  list: async (caller) => {
    requireScope(caller, 'organizations:read')
    return (await listOrganizations(parts.database.db, caller.applicationId, mostOrganizations)).map(toOrganizationRecord)
  },
  create: async (caller, body) => {
    requireScope(caller, 'organizations:write')
    const { name } = readBody(organizationInput, body)
    const made = await parts.database.transaction(async (db) => {
      const reached = await listOrganizations(db, caller.applicationId, mostOrganizations)
      if (reached.length >= mostOrganizations) throw failValidation([refuseMore])
      return makeOrganization(parts, db, { name, applicationId: caller.applicationId, isOwn: true })
    })
    return toOrganizationRecord(made)
  },
  update: async (principal, id, body) => {
    requireScope(principal, 'organizations:write')
    const { applicationId, organizationId, workspaceIds } = principal
    if (workspaceIds !== null || asId(id) !== organizationId) throw fail('organization_not_found', {})
    const { name } = readBody(organizationInput, body)
    const { db } = parts.database
    if (!(await isGranted(db, applicationId, organizationId))) throw fail('organization_forbidden', {})
    const changed = await updateOrganization(db, organizationId, name)
    if (changed === undefined) throw fail('organization_not_found', {})
    return toOrganizationRecord(changed)
  },
})
