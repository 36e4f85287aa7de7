import { bodies } from '../../../platform/bodies.ts'
import { nextPage } from '../next-page.ts'
import type { PrincipalRoute } from '../route.ts'

const path = '/api/v1/workspaces'

/** One page of the workspaces. */
export const listWorkspaces: PrincipalRoute = {
  method: 'GET',
  path,
  auth: 'principal',
  document: {
    id: 'listWorkspaces',
    tag: 'workspaces',
    summary: 'List workspaces',
    scope: 'workspaces:read',
    query: bodies.listWorkspaces,
    answer: { about: 'One page', schema: 'WorkspacePage' },
    problems: ['invalid_cursor', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({ json: nextPage(path, query, await platform.workspaces.list(who, query)) }),
}

/** A new workspace. */
export const createWorkspace: PrincipalRoute = {
  method: 'POST',
  path,
  auth: 'principal',
  document: {
    id: 'createWorkspace',
    tag: 'workspaces',
    summary: 'Create a workspace',
    scope: 'workspaces:write',
    body: 'WorkspaceInput',
    example: { name: 'Sales' },
    answer: { about: 'The workspace', schema: 'Workspace' },
    problems: ['workspace_name_conflict', 'validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.workspaces.create(who, body) }),
}

/** How many workspaces there are. */
export const workspaceStats: PrincipalRoute = {
  method: 'GET',
  path: `${path}/stats`,
  auth: 'principal',
  document: {
    id: 'getWorkspaceStats',
    tag: 'workspaces',
    summary: 'Count workspaces',
    scope: 'workspaces:read',
    answer: { about: 'Counts', schema: 'WorkspaceStats' },
    problems: [],
  },
  answer: async ({ who }, { platform }) => ({ json: await platform.workspaces.stats(who) }),
}
