import { endpoints, workspaceRecord, workspaceRemoval } from 'ferrule/wire'
import { principalRoute, slot } from '../route.ts'

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
