/** Finds and creates workspaces for other services. Call these functions in a transaction. */
import { fail, findNearNames } from 'ferrule/internal'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { type Principal, requireScope } from '../../values/access.ts'
import { newId } from '../../values/ids.ts'
import { failInactive } from '../../values/read.ts'
import { requireOpenOrganization } from '../applications/live-client.ts'
import { findWorkspaceByName, insertWorkspace, listWorkspaceNames, type WorkspaceRow } from '../sql/organizations.ts'

/** Services that creating a workspace needs. */
export type WorkspaceParts = Pick<Parts, 'source' | 'dataKeys'>
/** Creates a workspace with its data key. @returns undefined when the name is taken. @throws FerruleError `organization_forbidden` */
export async function makeWorkspace(
  { source, dataKeys }: WorkspaceParts,
  db: Db,
  { organizationId, name }: { readonly organizationId: string; readonly name: string },
): Promise<WorkspaceRow | undefined> {
  await requireOpenOrganization(db, organizationId)
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

/** The workspace that a request names. */
export interface WantedWorkspace {
  readonly principal: Principal
  readonly name: string
  /** True to create a missing workspace. */
  readonly make: boolean
}

/**
 * Returns the active workspace of a name, locked until the transaction ends; creates a missing one if allowed. A scoped principal
 * finds and creates no other.
 * @throws FerruleError `workspace_not_found`, `workspace_inactive`, `insufficient_scope`
 */
export async function ensureWorkspace(parts: WorkspaceParts, db: Db, wanted: WantedWorkspace): Promise<WorkspaceRow> {
  const workspace = (await findWantedWorkspace(db, wanted)) ?? (await makeOrFind(parts, db, wanted))
  if (workspace.status === 'inactive') throw failInactive(workspace)
  return workspace
}

/**
 * Returns the workspace of a name in any status; undefined when it must be created.
 * @throws FerruleError `workspace_not_found` with similar names; `insufficient_scope` when the principal may not create it
 */
export async function findWantedWorkspace(db: Db, { principal, name, make }: WantedWorkspace): Promise<WorkspaceRow | undefined> {
  const found = await findWorkspaceByName(db, principal, name)
  if (found !== undefined) return found
  if (principal.workspaceIds !== null) throw fail('workspace_not_found', {})
  if (!make && name !== everyonesWorkspace) throw unknownWorkspaceError(name, await listWorkspaceNames(db, principal, comparedNames))
  requireScope(principal, 'workspaces:write')
  return undefined
}

/** Name of the first workspace of every organization. */
export const everyonesWorkspace = 'default'
/** Maximum number of names that are compared for hints. */
const comparedNames = 1_000

function unknownWorkspaceError(name: string, names: readonly string[]) {
  const near = findNearNames(name, names)
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

async function makeOrFind(parts: WorkspaceParts, db: Db, { principal, name }: WantedWorkspace): Promise<WorkspaceRow> {
  const made = await makeWorkspace(parts, db, { organizationId: principal.organizationId, name })
  // Another transaction may have created it in the meantime.
  const workspace = made ?? (await findWorkspaceByName(db, principal, name))
  if (workspace === undefined) throw fail('workspace_not_found', {})
  return workspace
}
