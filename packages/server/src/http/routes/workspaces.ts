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
import { nextPage, principalRoute, slot } from '../route.ts'

export const listWorkspaces = principalRoute('listWorkspaces', {
  tag: 'workspaces',
  summary: 'List workspaces',
  scope: 'workspaces:read',
  query: workspaceQuery,
  returns: { about: 'One page', schema: workspacePage },
  problems: ['invalid_cursor', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listWorkspaces.path, query, await platform.workspaces.list(who, query)),
  }),
})

export const createWorkspace = principalRoute('createWorkspace', {
  tag: 'workspaces',
  summary: 'Create a workspace',
  scope: 'workspaces:write',
  body: workspaceInput,
  example: { name: 'Sales' },
  returns: { about: 'The workspace', schema: workspaceRecord },
  problems: ['workspace_name_conflict', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.workspaces.create(who, body) }),
})

export const getWorkspaceStats = principalRoute('getWorkspaceStats', {
  tag: 'workspaces',
  summary: 'Count workspaces',
  scope: 'workspaces:read',
  returns: { about: 'Counts', schema: workspaceStats },
  answer: async ({ who }, { platform }) => ({ json: await platform.workspaces.stats(who) }),
})

export const getWorkspace = principalRoute('getWorkspace', {
  tag: 'workspaces',
  summary: 'Read a workspace',
  scope: 'workspaces:read',
  returns: { about: 'The workspace', schema: workspaceRecord },
  problems: ['workspace_not_found'],
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.get(exchange.who, slot(exchange, 'workspace_id')) }),
})

export const updateWorkspace = principalRoute('updateWorkspace', {
  tag: 'workspaces',
  summary: 'Change a workspace',
  scope: 'workspaces:write',
  body: workspaceChange,
  example: { name: 'Revenue' },
  returns: { about: 'The workspace', schema: workspaceRecord },
  problems: ['workspace_not_found', 'workspace_name_conflict', 'validation_failed'],
  answer: async (exchange, { platform }) => ({
    json: await platform.workspaces.update(exchange.who, slot(exchange, 'workspace_id'), exchange.body),
  }),
})

export const deleteWorkspace = principalRoute('deleteWorkspace', {
  tag: 'workspaces',
  summary: 'Delete a workspace and its connectors',
  about: 'It can be restored for 30 days; then its key is destroyed.',
  scope: 'workspaces:write',
  returns: { about: 'The deleted workspace', schema: workspaceRemoval },
  problems: ['workspace_not_found'],
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.remove(exchange.who, slot(exchange, 'workspace_id')) }),
})

export const restoreWorkspace = principalRoute('restoreWorkspace', {
  tag: 'workspaces',
  summary: 'Restore a deleted workspace',
  scope: 'workspaces:write',
  returns: { about: 'The workspace', schema: workspaceRecord },
  problems: ['workspace_not_found', 'workspace_name_conflict'],
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.restore(exchange.who, slot(exchange, 'workspace_id')) }),
})
