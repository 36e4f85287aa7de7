import {
  applicationInput,
  applicationList,
  applicationRecord,
  applicationRemoval,
  applicationSecret,
  endpoints,
  organizationInput,
  organizationList,
  organizationRecord,
  organizationRemoval,
  workspaceChange,
  workspaceInput,
  workspacePage,
  workspaceQuery,
  workspaceRecord,
  workspaceRemoval,
  workspaceStats,
} from 'ferrule/wire'
import { callerRoute, nextPage, principalRoute, slot } from '../route.ts'

export const listOrganizations = callerRoute('listOrganizations', {
  tag: 'organizations',
  summary: 'List the organizations that the client reaches',
  scope: 'organizations:read',
  returns: { about: 'All of them', schema: organizationList },
  answer: async ({ who }, { platform }) => ({ json: { data: await platform.organizations.list(who) } }),
})

export const createOrganization = callerRoute('createOrganization', {
  tag: 'organizations',
  summary: 'Create an organization',
  about:
    'It starts with the workspace `default`. The client reaches it with X-Organization-Id; requests without the header still mean the organization that it had before.',
  scope: 'organizations:write',
  body: organizationInput,
  example: { name: 'Second' },
  returns: { about: 'The organization', schema: organizationRecord },
  problems: ['validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.organizations.create(who, body) }),
})

export const updateOrganization = principalRoute('updateOrganization', {
  tag: 'organizations',
  summary: 'Rename the organization',
  about: 'The id is that of the organization of the request: a client of several organizations sends it as X-Organization-Id too.',
  scope: 'organizations:write',
  body: organizationInput,
  example: { name: 'Sales' },
  returns: { about: 'The organization', schema: organizationRecord },
  problems: ['organization_not_found', 'validation_failed'],
  answer: async (exchange, { platform }) => ({
    json: await platform.organizations.update(exchange.who, slot(exchange, 'organization_id'), exchange.body),
  }),
})

export const deleteOrganization = callerRoute('deleteOrganization', {
  tag: 'organizations',
  summary: 'Delete an organization with everything in it',
  about:
    'From the answer on no token reaches it, its syncs end and its copies are emptied. It can be restored for 30 days; then its keys, connectors and applications are destroyed. A repeat answers the same. The only organization of the first application of the service is refused.',
  scope: 'organizations:write',
  returns: { about: 'The deleted organization', schema: organizationRemoval },
  problems: ['organization_not_found', 'validation_failed'],
  answer: async (exchange, { platform }) => ({
    json: await platform.organizations.remove(exchange.who, slot(exchange, 'organization_id')),
  }),
})

export const restoreOrganization = callerRoute('restoreOrganization', {
  tag: 'organizations',
  summary: 'Restore a deleted organization',
  about: 'Its workspaces and connectors come back, and their copies are filled again. The request names it in the path only.',
  scope: 'organizations:write',
  returns: { about: 'The organization', schema: organizationRecord },
  problems: ['organization_not_found', 'validation_failed'],
  answer: async (exchange, { platform }) => ({
    json: await platform.organizations.restore(exchange.who, slot(exchange, 'organization_id')),
  }),
})

export const listApplications = principalRoute('listApplications', {
  tag: 'applications',
  summary: 'List the applications that reach the organization',
  scope: 'applications:read',
  returns: { about: 'All of them, without secrets', schema: applicationList },
  answer: async ({ who }, { platform }) => ({ json: { data: await platform.organizationApplications.list(who) } }),
})

export const createApplication = principalRoute('createApplication', {
  tag: 'applications',
  summary: 'Create an application for the organization',
  about: 'It reaches this organization with all scopes. The secret is in this answer only.',
  scope: 'applications:write',
  body: applicationInput,
  example: { name: 'Reports' },
  returns: { about: 'The application with its secret', schema: applicationSecret },
  problems: ['validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.organizationApplications.create(who, body) }),
})

export const updateApplication = principalRoute('updateApplication', {
  tag: 'applications',
  summary: 'Rename an application',
  about: 'Its client id, its secret and its tokens stay. An application of several organizations is refused.',
  scope: 'applications:write',
  body: applicationInput,
  example: { name: 'Reports' },
  returns: { about: 'The application', schema: applicationRecord },
  problems: ['application_not_found', 'validation_failed'],
  answer: async (exchange, { platform }) => ({
    json: await platform.organizationApplications.update(exchange.who, slot(exchange, 'application_id'), exchange.body),
  }),
})

export const rotateApplicationSecret = principalRoute('rotateApplicationSecret', {
  tag: 'applications',
  summary: 'Replace the secret of an application',
  about:
    'The old secret and the tokens for MCP fail at once; its bearer tokens expire within 15 minutes. An application of several organizations is refused.',
  scope: 'applications:write',
  returns: { about: 'The application with its new secret, which is in this answer only', schema: applicationSecret },
  problems: ['application_not_found', 'validation_failed'],
  answer: async (exchange, { platform }) => ({
    json: await platform.organizationApplications.rotateSecret(exchange.who, slot(exchange, 'application_id')),
  }),
})

export const deleteApplication = principalRoute('deleteApplication', {
  tag: 'applications',
  summary: 'Delete an application',
  about: 'The application that asks, the first application of the service and an application of several organizations are refused.',
  scope: 'applications:write',
  returns: { about: 'The deleted application', schema: applicationRemoval },
  problems: ['application_not_found', 'validation_failed'],
  answer: async (exchange, { platform }) => ({
    json: await platform.organizationApplications.remove(exchange.who, slot(exchange, 'application_id')),
  }),
})

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
