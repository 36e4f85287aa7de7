import { endpoints, organizationInput, organizationList, organizationRecord } from 'ferrule/wire'
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
