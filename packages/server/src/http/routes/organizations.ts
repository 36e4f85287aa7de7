import { endpoints, organizationInput, organizationList, organizationRecord, organizationRemoval } from 'ferrule/wire'
import { callerRoute, principalRoute, slot } from '../route.ts'

/** Organizations of the application. */
export const listOrganizations = callerRoute({
  ...endpoints.listOrganizations,
  auth: 'caller',
  document: {
    id: 'listOrganizations',
    tag: 'organizations',
    summary: 'List the organizations that the client reaches',
    scope: 'organizations:read',
    answer: { about: 'All of them', schema: organizationList },
    problems: [],
  },
  answer: async ({ who }, { platform }) => ({ json: { data: await platform.organizations.list(who) } }),
})

/** A new organization, granted to the application that asks. */
export const createOrganization = callerRoute({
  ...endpoints.createOrganization,
  auth: 'caller',
  document: {
    id: 'createOrganization',
    tag: 'organizations',
    summary: 'Create an organization',
    about:
      'It starts with the workspace `default`. The client reaches it with X-Organization-Id; requests without the header still mean the organization that it had before.',
    scope: 'organizations:write',
    body: organizationInput,
    example: { name: 'Second' },
    answer: { about: 'The organization', schema: organizationRecord },
    problems: ['validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.organizations.create(who, body) }),
})

/** A new name of the organization. */
export const updateOrganization = principalRoute({
  ...endpoints.updateOrganization,
  auth: 'principal',
  document: {
    id: 'updateOrganization',
    tag: 'organizations',
    summary: 'Rename the organization',
    about: 'The id is that of the organization of the request: a client of several organizations sends it as X-Organization-Id too.',
    scope: 'organizations:write',
    body: organizationInput,
    example: { name: 'Sales' },
    answer: { about: 'The organization', schema: organizationRecord },
    problems: ['organization_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.organizations.update(exchange.who, slot(exchange, 'organization_id'), exchange.body),
  }),
})

/** Removes an organization for now. */
export const deleteOrganization = callerRoute({
  ...endpoints.deleteOrganization,
  auth: 'caller',
  document: {
    id: 'deleteOrganization',
    tag: 'organizations',
    summary: 'Delete an organization with everything in it',
    about:
      'From the answer on no token reaches it, its syncs end and its copies are emptied. It can be restored for 30 days; then its keys, connectors and applications are destroyed. A repeat answers the same. The only organization of the first application of the service is refused.',
    scope: 'organizations:write',
    answer: { about: 'The deleted organization', schema: organizationRemoval },
    problems: ['organization_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.organizations.remove(exchange.who, slot(exchange, 'organization_id')),
  }),
})

/** Brings a removed organization back. */
export const restoreOrganization = callerRoute({
  ...endpoints.restoreOrganization,
  auth: 'caller',
  document: {
    id: 'restoreOrganization',
    tag: 'organizations',
    summary: 'Restore a deleted organization',
    about: 'Its workspaces and connectors come back, and their copies are filled again. The request names it in the path only.',
    scope: 'organizations:write',
    answer: { about: 'The organization', schema: organizationRecord },
    problems: ['organization_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.organizations.restore(exchange.who, slot(exchange, 'organization_id')),
  }),
})
