/** Manages the workspaces of an organization. */
import { fail } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { buildRemovals, emptyView, resumeSyncs, stopSyncs, storeRemovals } from '../../copies/queue/queue.ts'
import { type Db, isUniqueViolation } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { type Principal, type RequestedId, requireScope } from '../../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../../values/cursor.ts'
import { asId, iso } from '../../values/ids.ts'
import { type Read, readBody, readQuery } from '../../values/read.ts'
import { requireOpenOrganization } from '../applications/live-client.ts'
import * as sql from '../sql/organizations.ts'
import { makeWorkspace } from './workspace-keeper.ts'

/** Retention of deleted workspaces and organizations, and of jobs, in milliseconds: 30 days. */
export const retentionMs = 30 * 24 * 60 * 60 * 1_000
/** Workspaces per query of a purge. */
const batch = 100

const toRecord = (row: sql.WorkspaceRow): wire.WorkspaceRecord => ({
  id: row.id,
  name: row.name,
  organization_id: row.organization_id,
  status: row.status,
  cache_enabled: row.cache_enabled === null ? null : Boolean(row.cache_enabled),
  tombstone: row.deleted_at !== null,
  visibility: 'shared',
  color: null,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
})

const requireRecord = (row: sql.WorkspaceRow | undefined): wire.WorkspaceRecord => {
  if (row === undefined) throw fail('workspace_not_found', {})
  return toRecord(row)
}
const requireId = (id: string): string => {
  const known = asId(id)
  if (known === undefined) throw fail('workspace_not_found', {})
  return known
}

const toChange = (body: Read<typeof wire.workspaceChange>, now: number): sql.WorkspaceChange => ({
  ...(body.name === undefined ? {} : { name: body.name, name_folded: body.name.toLowerCase() }),
  ...(body.status === undefined ? {} : { status: body.status }),
  ...(body.cache_enabled === undefined ? {} : { cache_enabled: body.cache_enabled }),
  updated_at: now,
})

/** Runs a change and translates a conflict of names. @throws FerruleError `workspace_name_conflict` */
async function withNameConflict<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error)) throw fail('workspace_name_conflict', { name })
    throw error
  }
}

/** Does what has to be done before the connectors of a workspace are destroyed, in the same transaction. */
export type EndConnectors = (db: Db, workspace: sql.RemovedWorkspace) => Promise<void>

/** Builds the service. @param endConnectors runs within each purge */
export const createWorkspaces = (parts: Parts, endConnectors: EndConnectors): Workspaces => ({
  ...createReading(parts),
  ...createWriting(parts),
  purgeExpired: (now) => purgeExpired({ ...parts, endConnectors }, now),
})

const createReading = ({ database: { db }, ...parts }: Parts): Pick<Workspaces, 'list' | 'stats' | 'get'> => ({
  list: async (principal, given) => {
    requireScope(principal, 'workspaces:read')
    const query = readQuery(wire.workspaceQuery, given)
    const scope = { list: 'workspaces', view: principal, query }
    const options = {
      nameContains: query.name_contains,
      status: query.status,
      deleted: query.deleted,
      after: readPosition(parts, scope),
      limit: (query.limit ?? defaultLimit) + 1,
    }
    return buildPage(parts, { ...scope, rows: await sql.listWorkspaces(db, principal, options) }, toRecord)
  },
  stats: async (principal) => {
    requireScope(principal, 'workspaces:read')
    const counts = new Map((await sql.countWorkspaces(db, principal)).map(({ status, count }) => [status, Number(count)]))
    const active = counts.get('active') ?? 0
    const inactive = counts.get('inactive') ?? 0
    return { active_count: active, inactive_count: inactive, total_count: active + inactive }
  },
  get: async (principal, id) => {
    requireScope(principal, 'workspaces:read')
    return requireRecord(await sql.findWorkspace(db, principal, requireId(id)))
  },
})

const createWriting = (parts: Parts): Pick<Workspaces, 'create' | 'update' | 'remove' | 'restore'> => ({
  create: async (principal, body) => {
    requireScope(principal, 'workspaces:write')
    const { name } = readBody(wire.workspaceInput, body)
    const made = await parts.database.transaction((db) => makeWorkspace(parts, db, { organizationId: principal.organizationId, name }))
    if (made === undefined) throw fail('workspace_name_conflict', { name })
    return toRecord(made)
  },
  update: (principal, id, body) => update(parts, { principal, id }, body),
  remove: async (principal, id) => {
    requireScope(principal, 'workspaces:write')
    const now = parts.source.clock()
    const known = requireId(id)
    await parts.database.transaction(async (db) => {
      if (!(await sql.removeWorkspace(db, { view: principal, id: known }, now))) throw fail('workspace_not_found', {})
      await emptyView(parts, db, { organizationId: principal.organizationId, workspaceId: known })
    })
    parts.events.emit('queued')
    return { id: known, deleted_at: iso(now) }
  },
  restore: (principal, id) => restore(parts, { principal, id }),
})

/** Updates a workspace. Deactivation cancels its runs; reactivation queues runs that update its copies. */
async function update(parts: Parts, { principal, id }: RequestedId, body: unknown): Promise<wire.WorkspaceRecord> {
  requireScope(principal, 'workspaces:write')
  const { database, source } = parts
  const own = { view: principal, id: requireId(id) }
  const change = toChange(readBody(wire.workspaceChange, body), source.clock())
  const before = change.status === undefined ? undefined : await sql.findWorkspace(database.db, principal, own.id)
  const row = await withNameConflict(change.name ?? '', () =>
    database.transaction(async (db) => {
      const changed = await sql.updateWorkspace(db, own, change)
      if (changed === undefined || before === undefined || before.status === changed.status) return changed
      const view = { organizationId: changed.organization_id, workspaceId: changed.id }
      if (changed.status === 'inactive') await stopSyncs(parts, db, view)
      else await resumeSyncs(parts, db, { view, mode: 'incremental' })
      return changed
    }),
  )
  parts.events.emit('queued')
  return requireRecord(row)
}

async function restore(parts: Parts, { principal, id }: RequestedId): Promise<wire.WorkspaceRecord> {
  requireScope(principal, 'workspaces:write')
  const { database, source } = parts
  const own = { view: principal, id: requireId(id) }
  const row = await withNameConflict('of the removed workspace', () =>
    database.transaction(async (db) => {
      await requireOpenOrganization(db, principal.organizationId)
      const restored = await sql.restoreWorkspace(db, own, source.clock() - retentionMs)
      if (restored === undefined) return undefined
      await resumeSyncs(parts, db, { view: { organizationId: restored.organization_id, workspaceId: restored.id }, mode: 'full' })
      return restored
    }),
  )
  parts.events.emit('queued')
  return requireRecord(row)
}

interface PurgeParts extends Parts {
  readonly endConnectors: EndConnectors
}

/** Deletes a workspace with everything in it, unless it was restored. */
const destroy = (parts: PurgeParts, row: sql.RemovedWorkspace, before: number): Promise<boolean> =>
  parts.database.transaction(async (db) => {
    if (!(await sql.holdRemovedWorkspace(db, row, before))) return false
    const removals = await buildRemovals(parts, db, { organizationId: row.organization_id, workspaceId: row.id })
    await parts.endConnectors(db, row)
    await sql.destroyWorkspace(db, row)
    await storeRemovals(db, removals)
    return true
  })

async function purgeExpired(parts: PurgeParts, now: number): Promise<number> {
  const { database } = parts
  await sql.deleteJobsBefore(database.db, now - retentionMs)
  let purged = 0
  for (;;) {
    const expired = await sql.listRemovedWorkspaces(database.db, now - retentionMs, batch)
    if (expired.length === 0) return purged
    for (const row of expired) if (await destroy(parts, row, now - retentionMs)) purged += 1
  }
}

/**
 * Workspaces of the principal's organization. All methods throw `validation_failed` and `insufficient_scope`; methods with an id also throw
 * `workspace_not_found`.
 */
export interface Workspaces {
  /**
   * Lists workspaces.
   * @param query `{ name_contains?, status?, deleted? ('only'), limit? (1..100, default 20), cursor? }`, values as strings or numbers
   * @throws FerruleError `invalid_cursor`
   */
  list(principal: Principal, query: unknown): Promise<wire.Page<wire.WorkspaceRecord>>
  stats(principal: Principal): Promise<wire.WorkspaceStats>
  get(principal: Principal, id: string): Promise<wire.WorkspaceRecord>
  /** Creates a workspace. @param body `{ name }`. @throws FerruleError `workspace_name_conflict` */
  create(principal: Principal, body: unknown): Promise<wire.WorkspaceRecord>
  /** Updates a workspace. @param body any of `{ name, status, cache_enabled }`. @throws FerruleError `workspace_name_conflict` */
  update(principal: Principal, id: string, body: unknown): Promise<wire.WorkspaceRecord>
  /** Deletes the workspace with its connectors; it can be restored for 30 days. */
  remove(principal: Principal, id: string): Promise<wire.WorkspaceRemoval>
  /** Restores a deleted workspace. @throws FerruleError `workspace_name_conflict` when another workspace took its name */
  restore(principal: Principal, id: string): Promise<wire.WorkspaceRecord>
  /** Deletes workspaces for good, with keys and connectors, 30 days after their deletion. @returns the number */
  purgeExpired(now: number): Promise<number>
}
