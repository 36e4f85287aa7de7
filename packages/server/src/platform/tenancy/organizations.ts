/** Manages organizations, the tenants. */

import { fail, failValidation } from 'ferrule/internal'
import { type OrganizationRecord, organizationInput } from 'ferrule/wire'
import type { Db } from '../db/database.ts'
import { insertGrant, insertOrganization, isGranted, listOrganizations, type OrganizationRow } from '../db/queries/applications.ts'
import { updateOrganization } from '../db/queries/organization-applications.ts'
import { asId, iso, newId } from '../model/ids.ts'
import { readBody } from '../model/read.ts'
import { requireScope } from '../model/scopes.ts'
import type { Organizations } from '../model/types.ts'
import type { Parts } from '../parts.ts'
import { makeWorkspace, type WorkspaceParts } from './workspace-keeper.ts'

/** Name of the first workspace of every organization. */
const defaultWorkspace = 'default'
/** Maximum number of organizations of an application. */
const mostOrganizations = 1_000

const toRecord = ({ id, name, created_at }: OrganizationRow): OrganizationRecord => ({
  id,
  name,
  role: 'admin',
  created_at: iso(created_at),
})

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
  const row = { id: newId(parts.source), name, created_at: now }
  await insertOrganization(db, row)
  await makeWorkspace(parts, db, { organizationId: row.id, name: defaultWorkspace })
  await insertGrant(db, { applicationId, organizationId: row.id, now, isOwn })
  return row
}

/** Builds the service. */
export const createOrganizations = (parts: Parts): Organizations => ({
  list: async (caller) => {
    requireScope(caller, 'organizations:read')
    return (await listOrganizations(parts.database.db, caller.applicationId, mostOrganizations)).map(toRecord)
  },
  create: async (caller, body) => {
    requireScope(caller, 'organizations:write')
    const { name } = readBody(organizationInput, body)
    const made = await parts.database.transaction(async (db) => {
      const reached = await listOrganizations(db, caller.applicationId, mostOrganizations)
      const full = {
        field: '',
        message: `cannot be done: the application reaches ${mostOrganizations} organizations, the most`,
        error_code: 'limit',
      }
      if (reached.length >= mostOrganizations) throw failValidation([full])
      return makeOrganization(parts, db, { name, applicationId: caller.applicationId, isOwn: true })
    })
    return toRecord(made)
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
    return toRecord(changed)
  },
})
