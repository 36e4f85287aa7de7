import { type PrincipalRoute, slot } from '../route.ts'

const path = '/api/v1/workspaces/{workspace_id}'

/** Removes a workspace for now. */
export const deleteWorkspace: PrincipalRoute = {
  method: 'DELETE',
  path,
  auth: 'principal',
  document: {
    id: 'deleteWorkspace',
    tag: 'workspaces',
    summary: 'Remove a workspace and its connectors',
    about: 'It can be restored for 30 days; then its key is destroyed.',
    scope: 'workspaces:write',
    answer: { about: 'What was removed', schema: 'WorkspaceRemoval' },
    problems: ['workspace_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.remove(exchange.who, slot(exchange, 'workspace_id')) }),
}

/** Brings a removed workspace back. */
export const restoreWorkspace: PrincipalRoute = {
  method: 'POST',
  path: `${path}/restore`,
  auth: 'principal',
  document: {
    id: 'restoreWorkspace',
    tag: 'workspaces',
    summary: 'Restore a removed workspace',
    scope: 'workspaces:write',
    answer: { about: 'The workspace', schema: 'Workspace' },
    problems: ['workspace_not_found', 'workspace_name_conflict'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.workspaces.restore(exchange.who, slot(exchange, 'workspace_id')) }),
}
