import { workspaceChange, workspaceRecord } from 'ferrule/wire'
import { principalRoute, slot } from '../route.ts'

const path = '/api/v1/workspaces/{workspace_id}'

/** One workspace. */
export const getWorkspace = principalRoute({
  method: 'GET',
  path,
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
  method: 'PUT',
  path,
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
