import { endpoints, workspaceInput, workspacePage, workspaceQuery, workspaceRecord, workspaceStats } from 'ferrule/wire'
import { nextPage } from '../next-page.ts'
import { principalRoute } from '../route.ts'

/** One page of the workspaces. */
export const listWorkspaces = principalRoute({
  ...endpoints.listWorkspaces,
  auth: 'principal',
  document: {
    id: 'listWorkspaces',
    tag: 'workspaces',
    summary: 'List workspaces',
    scope: 'workspaces:read',
    query: workspaceQuery,
    answer: { about: 'One page', schema: workspacePage },
    problems: ['invalid_cursor', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listWorkspaces.path, query, await platform.workspaces.list(who, query)),
  }),
})

/** A new workspace. */
export const createWorkspace = principalRoute({
  ...endpoints.createWorkspace,
  auth: 'principal',
  document: {
    id: 'createWorkspace',
    tag: 'workspaces',
    summary: 'Create a workspace',
    scope: 'workspaces:write',
    body: workspaceInput,
    example: { name: 'Sales' },
    answer: { about: 'The workspace', schema: workspaceRecord },
    problems: ['workspace_name_conflict', 'validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.workspaces.create(who, body) }),
})

/** Numbers of workspaces. */
export const getWorkspaceStats = principalRoute({
  ...endpoints.getWorkspaceStats,
  auth: 'principal',
  document: {
    id: 'getWorkspaceStats',
    tag: 'workspaces',
    summary: 'Count workspaces',
    scope: 'workspaces:read',
    answer: { about: 'Counts', schema: workspaceStats },
    problems: [],
  },
  answer: async ({ who }, { platform }) => ({ json: await platform.workspaces.stats(who) }),
})
