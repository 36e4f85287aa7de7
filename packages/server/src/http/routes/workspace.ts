import { endpoints, workspaceChange, workspaceRecord } from 'ferrule/wire'
import { principalRoute, slot } from '../route.ts'

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
