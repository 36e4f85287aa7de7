/** Workspaces on the wire. */
import { bool, int, oneOf, opt, orNull, str, time, wellFormed } from '../definition/index.ts'
import { displayName } from './names.ts'
import { page, pageQuery } from './paging.ts'
import { body, query, record, uuid, type Wire } from './schemas.ts'

export const workspaceStatuses = ['active', 'inactive'] as const
/** Status of a workspace. */
export type WorkspaceStatus = (typeof workspaceStatuses)[number]

export const workspaceRecord = record(
  'Workspace',
  {
    id: uuid('Workspace id'),
    name: str('Name, unique in the organization'),
    organization_id: uuid('Organization id'),
    status: oneOf('Status; an inactive workspace executes nothing', ...workspaceStatuses),
    cache_enabled: orNull(bool('true: records are synced; null: the organization decides')),
    tombstone: bool('true: the workspace is deleted'),
    visibility: oneOf('Who sees the workspace', 'shared', 'private'),
    color: orNull(str('Colour')),
    created_at: time('Time of creation'),
    updated_at: time('Time of the last change'),
  },
  'A workspace',
)
/** A workspace. */
export type WorkspaceRecord = Wire<typeof workspaceRecord>

/** One page of workspaces. */
export const workspacePage = page('WorkspacePage', workspaceRecord, 'workspaces')

export const workspaceStats = record(
  'WorkspaceStats',
  { active_count: int('Active workspaces'), inactive_count: int('Inactive workspaces'), total_count: int('All workspaces') },
  'Number of workspaces',
)
/** Numbers of workspaces. */
export type WorkspaceStats = Wire<typeof workspaceStats>

export const workspaceRemoval = record(
  'WorkspaceRemoval',
  { id: uuid('Workspace id'), deleted_at: time('Time of deletion; the workspace can be restored for 30 days') },
  'A deleted workspace',
)
/** A deleted workspace. */
export type WorkspaceRemoval = Wire<typeof workspaceRemoval>

export const workspaceInput = body('WorkspaceInput', { name: displayName('Name, unique in the organization.') }, 'A new workspace')
/** A new workspace. */
export type WorkspaceInput = Wire<typeof workspaceInput>

export const workspaceChange = body(
  'WorkspaceChange',
  {
    name: opt(displayName('New name, unique in the organization.')),
    status: opt(oneOf('An inactive workspace keeps its connectors but executes nothing.', ...workspaceStatuses)),
    cache_enabled: opt(orNull(bool('true: results may be cached; null: the organization decides.'))),
  },
  'Members to change',
)
/** A change of a workspace. */
export type WorkspaceChange = Wire<typeof workspaceChange>

export const workspaceQuery = query({
  name_contains: opt(wellFormed(str('Part of the name; case does not matter.', { maxLength: 256, pattern: '^[^\\u0000]*$' }))),
  status: opt(oneOf('Only workspaces with this status.', ...workspaceStatuses)),
  deleted: opt(oneOf('only: deleted workspaces, which can be restored; left out: all others.', 'only')),
  ...pageQuery,
})
/** What the list of workspaces is limited to. */
export type WorkspaceQuery = Wire<typeof workspaceQuery>
