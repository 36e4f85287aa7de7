/** Manages organizations, the tenants (docs/decisions/platform-state.md). */
import { fail } from 'ferrule/internal'
import { type OrganizationRecord, type OrganizationRemoval, organizationInput } from 'ferrule/wire'
import { emptyView, resumeSyncs } from '../../copies/queue/queue.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { type Caller, type Principal, requireScope } from '../../values/access.ts'
import { asId, iso, newId } from '../../values/ids.ts'
import { failField, readBody } from '../../values/read.ts'
import { insertGrant, isGranted, listOrganizations } from '../sql/applications.ts'
import { readState } from '../sql/installation-state.ts'
import * as sql from '../sql/organizations.ts'
import { everyonesWorkspace, makeWorkspace, type WorkspaceParts } from '../workspaces/workspace-keeper.ts'
import { retentionMs } from '../workspaces/workspaces.ts'

/**
 * Creates an organization with its first workspace and grants an application access. Call it in a transaction.
 * @param options `isOwn`: true when the application requested the organization
 */
export async function makeOrganization(
  parts: WorkspaceParts,
  db: Db,
  { name, applicationId, isOwn }: { name: string; applicationId: string; isOwn: boolean },
): Promise<sql.OrganizationRow> {
  const now = parts.source.clock()
  const row = { id: newId(parts.source), name, created_at: now, deleted_at: null }
  await sql.insertOrganization(db, row)
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
      if (reached.length >= mostOrganizations) throw refuseMore()
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
    const changed = await sql.updateOrganization(db, organizationId, name)
    if (changed === undefined) throw fail('organization_not_found', {})
    return toOrganizationRecord(changed)
  },
})

/** Organizations per query of a purge. */
const batch = 100

/**
 * Finds an organization that the caller may delete or restore. A token of one organization deletes that one only. It restores every one of
 * its application: a client with one organization left gets no token for several.
 * @returns undefined for a foreign organization, an unknown one, and one that was deleted more than 30 days ago
 */
async function findOwn(
  { source }: Pick<Parts, 'source'>,
  db: Db,
  { caller, id: given }: RequestedOrganization,
): Promise<sql.OrganizationRow | undefined> {
  const id = asId(given)
  if (id === undefined || caller.kind === 'scoped') return undefined
  const found = await sql.findGrantedOrganization(db, { applicationId: caller.applicationId, organizationId: id })
  if (found === undefined) return undefined
  if (found.deleted_at !== null) return found.deleted_at < source.clock() - retentionMs ? undefined : found
  return caller.organizationId === null || caller.organizationId === id ? found : undefined
}

interface RequestedOrganization {
  readonly caller: Caller
  readonly id: string
}

/** Refuses to delete the last organization of the first application: the clients of the settings would reach nothing after a restart. */
async function keepFirstApplication(db: Db, organizationId: string): Promise<void> {
  const first = await readState(db, 'first_application')
  if (first === undefined) return
  await sql.lockGrantsOf(db, first) // so that two deletions do not take the last two organizations
  const reached = await listOrganizations(db, first, 2)
  if (reached.length !== 1 || reached[0]?.id !== organizationId) return
  const reason = 'it is the only organization of the first application of the service, whose client would reach nothing'
  const hint = 'Create another organization by that client first, or delete the workspaces of this one.'
  throw fail('validation_failed', { reason }, { hint })
}

async function remove(parts: Parts, requested: RequestedOrganization): Promise<OrganizationRemoval> {
  requireScope(requested.caller, 'organizations:write')
  const now = parts.source.clock()
  const removal = await parts.database.transaction(async (db) => {
    const found = await findOwn(parts, db, requested)
    if (found === undefined) throw fail('organization_not_found', {})
    if (found.deleted_at === null) await keepFirstApplication(db, found.id)
    if (!(await sql.removeOrganization(db, found.id, now))) return findOwn(parts, db, requested) // a repeat
    await emptyView(parts, db, { organizationId: found.id, workspaceId: null })
    return { ...found, deleted_at: now }
  })
  parts.events.emit('queued')
  if (removal === undefined || removal.deleted_at === null) throw fail('organization_not_found', {})
  return { id: removal.id, deleted_at: iso(removal.deleted_at) }
}

async function restore(parts: Parts, requested: RequestedOrganization): Promise<OrganizationRecord> {
  requireScope(requested.caller, 'organizations:write')
  const restored = await parts.database.transaction(async (db) => {
    const found = await findOwn(parts, db, requested)
    if (found === undefined || found.deleted_at === null) throw fail('organization_not_found', {})
    if ((await listOrganizations(db, requested.caller.applicationId, mostOrganizations)).length >= mostOrganizations) throw refuseMore()
    const row = await sql.restoreOrganization(db, found)
    if (row === undefined) throw fail('organization_not_found', {})
    await resumeSyncs(parts, db, { view: { organizationId: row.id, workspaceId: null }, mode: 'full' })
    return row
  })
  parts.events.emit('queued')
  return toOrganizationRecord(restored)
}

/** Destroys expired organizations. Their workspaces expired with them, so `Workspaces.purgeExpired` goes first. */
async function purgeExpired({ database }: Pick<Parts, 'database'>, now: number): Promise<number> {
  const before = now - retentionMs
  const kept = await readState(database.db, 'first_application')
  let purged = 0
  for (;;) {
    const expired = await sql.listEmptyOrganizations(database.db, before, batch)
    if (expired.length === 0) return purged
    for (const { id } of expired) if (await database.transaction((db) => sql.destroyOrganization(db, { id, before, kept }))) purged += 1
  }
}

const createOrganizationRemoval = (parts: Parts): Pick<Organizations, 'remove' | 'restore' | 'purgeExpired'> => ({
  remove: (caller, id) => remove(parts, { caller, id }),
  restore: (caller, id) => restore(parts, { caller, id }),
  purgeExpired: (now) => purgeExpired(parts, now),
})

/** Maximum number of organizations of an application. */
const mostOrganizations = 1_000

const refuseMore = () => failField('', `cannot be done: the application reaches ${mostOrganizations} organizations, the most`, 'limit')

const toOrganizationRecord = ({ id, name, created_at }: Pick<sql.OrganizationRow, 'id' | 'name' | 'created_at'>): OrganizationRecord => ({
  id,
  name,
  role: 'admin',
  created_at: iso(created_at),
})

/** Organizations of an application. */
export interface Organizations {
  /** Lists the organizations of the application, at most 1,000. Scope organizations:read. */
  list(caller: Caller): Promise<readonly OrganizationRecord[]>
  /**
   * Creates an organization with its workspace `default`, and grants the calling application access. Scope organizations:write.
   * @param body `{ name }`
   * @throws FerruleError `validation_failed`
   */
  create(caller: Caller, body: unknown): Promise<OrganizationRecord>
  /**
   * Renames the principal's organization by a body `{ name }`. Scope organizations:write.
   * @throws FerruleError `organization_not_found` for the id of another organization, `organization_forbidden`, `validation_failed`
   */
  update(principal: Principal, id: string, body: unknown): Promise<OrganizationRecord>
  /**
   * Deletes an organization of the caller with its workspaces; it can be restored for 30 days. Nobody reaches it from then on, its runs end
   * and its copies are emptied. A repeat answers the same. Scope organizations:write.
   * @throws FerruleError `organization_not_found`; `validation_failed` for the only organization of the first application
   */
  remove(caller: Caller, id: string): Promise<OrganizationRemoval>
  /**
   * Restores a deleted organization with the workspaces that it had then. Scope organizations:write.
   * @throws FerruleError `organization_not_found`, `validation_failed`
   */
  restore(caller: Caller, id: string): Promise<OrganizationRecord>
  /**
   * Destroys organizations 30 days after their deletion, with the applications that were made for them only. Destroy workspaces first.
   * @returns the number
   */
  purgeExpired(now: number): Promise<number>
}
