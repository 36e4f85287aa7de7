/** Workspaces as other services need them: found, or made with their data key. Call these in a transaction. */
import { fail } from '../errors.ts'
import type { Db } from './db/database.ts'
import { findWorkspaceByName, holdWorkspace, insertWorkspace, type WorkspaceRow, workspaceNames } from './db/queries-workspaces.ts'
import { newId } from './ids.ts'
import { nearNames } from './near-names.ts'
import type { Parts } from './parts.ts'
import { requireScope } from './scopes.ts'
import type { Principal } from './types.ts'

/** What a workspace is made with. */
export type WorkspaceParts = Pick<Parts, 'source' | 'dataKeys'>
/** An organization and the name of a workspace in it. */
export interface WorkspaceName {
  readonly organizationId: string
  readonly name: string
}

/** Makes a workspace with its data key. @returns undefined when the name is taken */
export async function makeWorkspace(
  { source, dataKeys }: WorkspaceParts,
  db: Db,
  { organizationId, name }: WorkspaceName,
): Promise<WorkspaceRow | undefined> {
  const now = source.clock()
  const id = newId(source)
  const dataKeyId = newId(source)
  const row: WorkspaceRow = {
    id,
    organization_id: organizationId,
    name,
    name_folded: name.toLowerCase(),
    status: 'active',
    cache_enabled: null,
    data_key_id: dataKeyId,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  }
  if (!(await insertWorkspace(db, row))) return undefined
  await dataKeys.create(db, { organizationId, workspaceId: id, dataKeyId })
  return row
}

/** Which workspace somebody wants. */
export interface WantedWorkspace {
  readonly principal: Principal
  readonly name: string
  /** Whether it is made when there is none. */
  readonly make: boolean
}

/**
 * The active workspace of a name, made when that is wanted and the principal may; it stays as it is until the transaction ends. A
 * principal of one workspace finds no other.
 * @throws FerruleError `workspace_not_found`, `workspace_inactive`, `insufficient_scope`
 */
export async function workspaceFor(parts: WorkspaceParts, db: Db, wanted: WantedWorkspace): Promise<WorkspaceRow> {
  const workspace = (await existingWorkspace(db, wanted)) ?? (await makeOrFind(parts, db, wanted))
  if (workspace.status === 'inactive') throw fail('workspace_inactive', { name: wanted.name })
  return workspace
}

/**
 * The workspace of a name, in whatever status; undefined when it is to be made.
 * @throws FerruleError `workspace_not_found` with names that are near; `insufficient_scope` when it may not be made
 */
export async function existingWorkspace(db: Db, { principal, name, make }: WantedWorkspace): Promise<WorkspaceRow | undefined> {
  if (principal.workspaceId !== null) return ownWorkspace(db, principal, name)
  const found = await findWorkspaceByName(db, principal, name)
  if (found !== undefined) return found
  if (!make && name !== everyonesWorkspace) throw unknownWorkspace(name, await workspaceNames(db, principal, comparedNames))
  requireScope(principal, 'workspaces:write')
  return undefined
}

/** Every organization begins with it. */
const everyonesWorkspace = 'default'
/** Names that are looked at for near ones. */
const comparedNames = 1_000

function unknownWorkspace(name: string, names: readonly string[]) {
  const near = nearNames(name, names)
  const meant = near.length === 0 ? '' : ` Near: ${near.join(', ')}.`
  const message = `names no workspace of this organization.${meant}`
  return fail(
    'workspace_not_found',
    {},
    {
      errors: [{ field: '/workspace_name', message, error_code: 'workspace_not_found' }],
      hint: `There is no workspace of this name.${meant} To make it, send create_workspace: true.`,
    },
  )
}

async function ownWorkspace(db: Db, principal: Principal, name: string): Promise<WorkspaceRow> {
  const own = await holdWorkspace(db, principal, principal.workspaceId ?? '')
  if (own?.name !== name) throw fail('workspace_not_found', {})
  return own
}

async function makeOrFind(parts: WorkspaceParts, db: Db, { principal, name }: WantedWorkspace): Promise<WorkspaceRow> {
  const made = await makeWorkspace(parts, db, { organizationId: principal.organizationId, name })
  // Somebody else made it between the look and the insertion.
  const workspace = made ?? (await findWorkspaceByName(db, principal, name))
  if (workspace === undefined) throw fail('workspace_not_found', {})
  return workspace
}
