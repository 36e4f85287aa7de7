import {
  endpoints,
  workspaceChange,
  workspaceInput,
  workspacePage,
  workspaceQuery,
  workspaceRecord,
  workspaceRemoval,
  workspaceStats,
} from 'ferrule/wire'
import { nextPage } from '../next-page.ts'
import { principalRoute, slot } from '../route.ts'

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

/** One workspace. */
export const getWorkspace = principalRoute({
  ...endpoints.getWorkspace,
  auth: 'principal',
  document: {
    id: 'getWorkspace',
    tag: 'workspaces',
    summary: 'Read a workspace',
    scope: 'workspaces:read',
    answer: { about: 'The workspace', schema: workspaceRecord },
    problems: ['workspace_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.get(exchange.who, slot(exchange, 'workspace_id')) }),
})

/** Changes a workspace. */
export const updateWorkspace = principalRoute({
  ...endpoints.updateWorkspace,
  auth: 'principal',
  document: {
    id: 'updateWorkspace',
    tag: 'workspaces',
    summary: 'Change a workspace',
    scope: 'workspaces:write',
    body: workspaceChange,
    example: { name: 'Revenue' },
    answer: { about: 'The workspace', schema: workspaceRecord },
    problems: ['workspace_not_found', 'workspace_name_conflict', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.workspaces.update(exchange.who, slot(exchange, 'workspace_id'), exchange.body),
  }),
})

/** Removes a workspace for now. */
export const deleteWorkspace = principalRoute({
  ...endpoints.deleteWorkspace,
  auth: 'principal',
  document: {
    id: 'deleteWorkspace',
    tag: 'workspaces',
    summary: 'Delete a workspace and its connectors',
    about: 'It can be restored for 30 days; then its key is destroyed.',
    scope: 'workspaces:write',
    answer: { about: 'The deleted workspace', schema: workspaceRemoval },
    problems: ['workspace_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.remove(exchange.who, slot(exchange, 'workspace_id')) }),
})

/** Brings a removed workspace back. */
export const restoreWorkspace = principalRoute({
  ...endpoints.restoreWorkspace,
  auth: 'principal',
  document: {
    id: 'restoreWorkspace',
    tag: 'workspaces',
    summary: 'Restore a deleted workspace',
    scope: 'workspaces:write',
    answer: { about: 'The workspace', schema: workspaceRecord },
    problems: ['workspace_not_found', 'workspace_name_conflict'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.restore(exchange.who, slot(exchange, 'workspace_id')) }),
})
