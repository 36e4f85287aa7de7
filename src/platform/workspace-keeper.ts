/** Workspaces as other services need them: found, or made with their data key. Call these in a transaction. */
import { fail } from '../errors.ts'
import type { Db } from './db/database.ts'
import { findWorkspaceByName, holdWorkspace, insertWorkspace, type WorkspaceRow } from './db/queries-workspaces.ts'
import { newId } from './ids.ts'
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

/**
 * The active workspace of a name, made when the principal may; it stays as it is until the transaction ends. A principal of one
 * workspace finds no other.
 * @throws FerruleError `workspace_not_found`, `workspace_inactive`, `insufficient_scope`
 */
export async function workspaceFor(
  parts: WorkspaceParts,
  db: Db,
  { principal, name }: { principal: Principal; name: string },
): Promise<WorkspaceRow> {
  const found = principal.workspaceId === null ? await findWorkspaceByName(db, principal, name) : await ownWorkspace(db, principal, name)
  const workspace = found ?? (await makeOrFind(parts, db, { principal, name }))
  if (workspace.status === 'inactive') throw fail('workspace_inactive', { name })
  return workspace
}

async function ownWorkspace(db: Db, principal: Principal, name: string): Promise<WorkspaceRow> {
  const own = await holdWorkspace(db, principal, principal.workspaceId ?? '')
  if (own?.name !== name) throw fail('workspace_not_found', {})
  return own
}

async function makeOrFind(
  parts: WorkspaceParts,
  db: Db,
  { principal, name }: { principal: Principal; name: string },
): Promise<WorkspaceRow> {
  requireScope(principal, 'workspaces:write')
  const made = await makeWorkspace(parts, db, { organizationId: principal.organizationId, name })
  // Somebody else made it between the look and the insertion.
  const workspace = made ?? (await findWorkspaceByName(db, principal, name))
  if (workspace === undefined) throw fail('workspace_not_found', {})
  return workspace
}
