/** Deletes organizations, restores them, and destroys them after 30 days. */
import { fail, failValidation } from 'ferrule/internal'
import type { OrganizationRecord, OrganizationRemoval } from 'ferrule/wire'
import { emptyView, resumeSyncs } from '../../copies/queue/queue.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import type { Caller } from '../../values/access.ts'
import { asId, iso } from '../../values/ids.ts'
import { requireScope } from '../../values/scopes.ts'
import { listOrganizations } from '../sql/applications.ts'
import { readState } from '../sql/installation-state.ts'
import {
  destroyOrganization,
  findGrantedOrganization,
  listEmptyOrganizations,
  lockGrantsOf,
  type OrganizationRow,
  removeOrganization,
  restoreOrganization,
} from '../sql/organizations.ts'
import { retentionMs } from '../workspaces/workspaces.ts'
import { mostOrganizations, refuseMore, toOrganizationRecord } from './organization-record.ts'
import type { Organizations } from './organization-types.ts'

/** Organizations per query of a purge. */
const batch = 100

/**
 * Finds an organization that the caller may delete or restore. A token of one organization deletes that one only. It restores every one of
 * its application: a client with one organization left gets no token for several.
 * @returns undefined for a foreign organization, an unknown one, and one that was deleted more than 30 days ago
 */
async function findOwn({ source }: Pick<Parts, 'source'>, db: Db, { caller, id: given }: Target): Promise<OrganizationRow | undefined> {
  const id = asId(given)
  if (id === undefined || caller.kind === 'scoped') return undefined
  const found = await findGrantedOrganization(db, { applicationId: caller.applicationId, organizationId: id })
  if (found === undefined) return undefined
  if (found.deleted_at !== null) return found.deleted_at < source.clock() - retentionMs ? undefined : found
  return caller.organizationId === null || caller.organizationId === id ? found : undefined
}

interface Target {
  readonly caller: Caller
  readonly id: string
}

/** Refuses to delete the last organization of the first application: the clients of the settings would reach nothing after a restart. */
async function keepFirstApplication(db: Db, organizationId: string): Promise<void> {
  const first = await readState(db, 'first_application')
  if (first === undefined) return
  await lockGrantsOf(db, first) // so that two deletions do not take the last two organizations
  const reached = await listOrganizations(db, first, 2)
  if (reached.length !== 1 || reached[0]?.id !== organizationId) return
  const reason = 'it is the only organization of the first application of the service, whose client would reach nothing'
  const hint = 'Create another organization by that client first, or delete the workspaces of this one.'
  throw fail('validation_failed', { reason }, { hint })
}

async function remove(parts: Parts, target: Target): Promise<OrganizationRemoval> {
  requireScope(target.caller, 'organizations:write')
  const now = parts.source.clock()
  const removal = await parts.database.transaction(async (db) => {
    const found = await findOwn(parts, db, target)
    if (found === undefined) throw fail('organization_not_found', {})
    if (found.deleted_at === null) await keepFirstApplication(db, found.id)
    if (!(await removeOrganization(db, found.id, now))) return findOwn(parts, db, target) // a repeat
    await emptyView(parts, db, { organizationId: found.id, workspaceId: null })
    return { ...found, deleted_at: now }
  })
  parts.events.emit('queued')
  if (removal === undefined || removal.deleted_at === null) throw fail('organization_not_found', {})
  return { id: removal.id, deleted_at: iso(removal.deleted_at) }
}

async function restore(parts: Parts, target: Target): Promise<OrganizationRecord> {
  requireScope(target.caller, 'organizations:write')
  const restored = await parts.database.transaction(async (db) => {
    const found = await findOwn(parts, db, target)
    if (found === undefined || found.deleted_at === null) throw fail('organization_not_found', {})
    if ((await listOrganizations(db, target.caller.applicationId, mostOrganizations)).length >= mostOrganizations)
      throw failValidation([refuseMore])
    const row = await restoreOrganization(db, found)
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
    const expired = await listEmptyOrganizations(database.db, before, batch)
    if (expired.length === 0) return purged
    for (const { id } of expired) if (await database.transaction((db) => destroyOrganization(db, { id, before, kept }))) purged += 1
  }
}

/** Builds the methods that delete, restore and destroy. */
export const createOrganizationRemoval = (parts: Parts): Pick<Organizations, 'remove' | 'restore' | 'purgeExpired'> => ({
  remove: (caller, id) => remove(parts, { caller, id }),
  restore: (caller, id) => restore(parts, { caller, id }),
  purgeExpired: (now) => purgeExpired(parts, now),
})
