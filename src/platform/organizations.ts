/** Organizations: tenants, each with its own workspaces. */
import { validationFailed } from '../engine/credentials.ts'
import { bodies, readBody } from './bodies.ts'
import type { Db } from './db/database.ts'
import { insertGrant, insertOrganization, type OrganizationRow, organizationsOf } from './db/queries-applications.ts'
import { iso, newId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { OrganizationRecord } from './records.ts'
import { requireScope } from './scopes.ts'
import type { Organizations } from './types.ts'
import { makeWorkspace, type WorkspaceParts } from './workspace-keeper.ts'

/** The workspace that every organization starts with. */
const defaultWorkspace = 'default'
/** Organizations that one application may reach. */
const mostOrganizations = 1_000

const recordOf = ({ id, name, created_at }: OrganizationRow): OrganizationRecord => ({
  id,
  name,
  role: 'admin',
  created_at: iso(created_at),
})

/**
 * Makes an organization with its first workspace and grants an application in it. Call it in a transaction.
 * @param options `isOwn`: the application asked for it itself
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
    return (await organizationsOf(parts.database.db, caller.applicationId, mostOrganizations)).map(recordOf)
  },
  create: async (caller, body) => {
    requireScope(caller, 'organizations:write')
    const { name } = readBody(bodies.createOrganization, body)
    const made = await parts.database.transaction(async (db) => {
      const reached = await organizationsOf(db, caller.applicationId, mostOrganizations)
      const full = {
        field: '',
        message: `cannot be done: the application reaches ${mostOrganizations} organizations, the most`,
        error_code: 'limit',
      }
      if (reached.length >= mostOrganizations) throw validationFailed([full])
      return makeOrganization(parts, db, { name, applicationId: caller.applicationId, isOwn: true })
    })
    return recordOf(made)
  },
})
