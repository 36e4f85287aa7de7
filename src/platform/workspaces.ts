/** Workspaces of an organization. */
import type { Static, TObject } from 'typebox'
import { fail } from '../errors.ts'
import { bodies, readBody, readQuery } from './bodies.ts'
import { defaultLimit, pageOf, positionOf } from './cursor.ts'
import { isUniqueViolation } from './db/database.ts'
import {
  countWorkspaces,
  deleteJobsBefore,
  destroyWorkspace,
  findWorkspace,
  listWorkspaces,
  removedBefore,
  removeWorkspace,
  restoreWorkspace,
  updateWorkspace,
  type WorkspaceChange,
  type WorkspaceRow,
} from './db/queries-workspaces.ts'
import { asId, iso } from './ids.ts'
import type { Parts } from './parts.ts'
import type { WorkspaceRecord } from './records.ts'
import { requireScope } from './scopes.ts'
import { emptyWorkspace, resumeWorkspace, stopWorkspaceSyncs, storeRemovals, workspaceRemovals } from './syncs/queue.ts'
import type { Principal, Workspaces } from './types.ts'
import { makeWorkspace } from './workspace-keeper.ts'

/** How long a removed workspace can be restored, and how long jobs are kept: 30 days. */
const retentionMs = 30 * 24 * 60 * 60 * 1_000
/** Workspaces that one purge looks at between two reads. */
const batch = 100

const recordOf = (row: WorkspaceRow): WorkspaceRecord => ({
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

const found = (row: WorkspaceRow | undefined): WorkspaceRecord => {
  if (row === undefined) throw fail('workspace_not_found', {})
  return recordOf(row)
}
const knownId = (id: string): string => {
  const known = asId(id)
  if (known === undefined) throw fail('workspace_not_found', {})
  return known
}

const changeOf = (body: Static<TObject<typeof bodies.updateWorkspace>>, now: number): WorkspaceChange => ({
  ...(body.name === undefined ? {} : { name: body.name, name_folded: body.name.toLowerCase() }),
  ...(body.status === undefined ? {} : { status: body.status }),
  ...(body.cache_enabled === undefined ? {} : { cache_enabled: body.cache_enabled }),
  updated_at: now,
})

/** Runs a change that another workspace's name may refuse. */
async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error)) throw fail('workspace_name_conflict', { name })
    throw error
  }
}

/** Builds the service. */
export const createWorkspaces = (parts: Parts): Workspaces => ({
  ...reading(parts),
  ...writing(parts),
  purgeExpired: (now) => purgeExpired(parts, now),
})

const reading = ({ database: { db }, ...parts }: Parts): Pick<Workspaces, 'list' | 'stats' | 'get'> => ({
  list: async (principal, given) => {
    requireScope(principal, 'workspaces:read')
    const query = readQuery(bodies.listWorkspaces, given)
    const scope = { list: 'workspaces', view: principal, query }
    const options = {
      nameContains: query.name_contains,
      status: query.status,
      after: positionOf(parts, scope),
      limit: (query.limit ?? defaultLimit) + 1,
    }
    return pageOf(parts, { ...scope, rows: await listWorkspaces(db, principal, options) }, recordOf)
  },
  stats: async (principal) => {
    requireScope(principal, 'workspaces:read')
    const counts = new Map((await countWorkspaces(db, principal)).map(({ status, count }) => [status, Number(count)]))
    const active = counts.get('active') ?? 0
    const inactive = counts.get('inactive') ?? 0
    return { active_count: active, inactive_count: inactive, total_count: active + inactive }
  },
  get: async (principal, id) => {
    requireScope(principal, 'workspaces:read')
    return found(await findWorkspace(db, principal, knownId(id)))
  },
})

const writing = (parts: Parts): Pick<Workspaces, 'create' | 'update' | 'remove' | 'restore'> => ({
  create: async (principal, body) => {
    requireScope(principal, 'workspaces:write')
    const { name } = readBody(bodies.createWorkspace, body)
    const made = await parts.database.transaction((db) => makeWorkspace(parts, db, { organizationId: principal.organizationId, name }))
    if (made === undefined) throw fail('workspace_name_conflict', { name })
    return recordOf(made)
  },
  update: (principal, id, body) => update(parts, { principal, id }, body),
  remove: async (principal, id) => {
    requireScope(principal, 'workspaces:write')
    const now = parts.source.clock()
    const known = knownId(id)
    await parts.database.transaction(async (db) => {
      if (!(await removeWorkspace(db, { view: principal, id: known }, now))) throw fail('workspace_not_found', {})
      await emptyWorkspace(parts, db, { organizationId: principal.organizationId, workspaceId: known })
    })
    parts.events.emit('queued')
    return { id: known, deleted_at: iso(now) }
  },
  restore: (principal, id) => restore(parts, { principal, id }),
})

interface Target {
  readonly principal: Principal
  readonly id: string
}

/** An inactive workspace executes nothing, so its runs end; when it is active again, its copies are brought up to date. */
async function update(parts: Parts, { principal, id }: Target, body: unknown): Promise<WorkspaceRecord> {
  requireScope(principal, 'workspaces:write')
  const { database, source } = parts
  const place = { view: principal, id: knownId(id) }
  const change = changeOf(readBody(bodies.updateWorkspace, body), source.clock())
  const before = change.status === undefined ? undefined : await findWorkspace(database.db, principal, place.id)
  const row = await named(change.name ?? '', () =>
    database.transaction(async (db) => {
      const changed = await updateWorkspace(db, place, change)
      if (changed === undefined || before === undefined || before.status === changed.status) return changed
      const workspace = { organizationId: changed.organization_id, workspaceId: changed.id }
      if (changed.status === 'inactive') await stopWorkspaceSyncs(parts, db, workspace)
      else await resumeWorkspace(parts, db, { workspace, mode: 'incremental' })
      return changed
    }),
  )
  parts.events.emit('queued')
  return found(row)
}

async function restore(parts: Parts, { principal, id }: Target): Promise<WorkspaceRecord> {
  requireScope(principal, 'workspaces:write')
  const { database, source } = parts
  const place = { view: principal, id: knownId(id) }
  const row = await named('of the removed workspace', () =>
    database.transaction(async (db) => {
      const restored = await restoreWorkspace(db, place, source.clock() - retentionMs)
      if (restored?.status === 'active')
        await resumeWorkspace(parts, db, {
          workspace: { organizationId: restored.organization_id, workspaceId: restored.id },
          mode: 'full',
        })
      return restored
    }),
  )
  parts.events.emit('queued')
  return found(row)
}

/** Destroys a workspace with everything that it has, unless it was restored. */
const destroy = (parts: Parts, row: { readonly id: string; readonly organization_id: string }, before: number): Promise<boolean> =>
  parts.database.transaction(async (db) => {
    const removals = await workspaceRemovals(parts, db, { organizationId: row.organization_id, workspaceId: row.id })
    const isDestroyed = await destroyWorkspace(db, row, before)
    if (isDestroyed) await storeRemovals(db, removals)
    return isDestroyed
  })

async function purgeExpired(parts: Parts, now: number): Promise<number> {
  const { database } = parts
  await deleteJobsBefore(database.db, now - retentionMs)
  let purged = 0
  for (;;) {
    const expired = await removedBefore(database.db, now - retentionMs, batch)
    if (expired.length === 0) return purged
    for (const row of expired) if (await destroy(parts, row, now - retentionMs)) purged += 1
  }
}
