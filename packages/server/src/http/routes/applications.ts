import { applicationInput, applicationList, applicationRecord, applicationRemoval, applicationSecret, endpoints } from 'ferrule/wire'
import { principalRoute, slot } from '../route.ts'

/** Applications of the organization. */
export const listApplications = principalRoute({
  ...endpoints.listApplications,
  auth: 'principal',
  document: {
    id: 'listApplications',
    tag: 'applications',
    summary: 'List the applications that reach the organization',
    scope: 'applications:read',
    answer: { about: 'All of them, without secrets', schema: applicationList },
    problems: [],
  },
  answer: async ({ who }, { platform }) => ({ json: { data: await platform.organizationApplications.list(who) } }),
})

/** A new application of the organization. */
export const createApplication = principalRoute({
  ...endpoints.createApplication,
  auth: 'principal',
  document: {
    id: 'createApplication',
    tag: 'applications',
    summary: 'Create an application for the organization',
    about: 'It reaches this organization with all scopes. The secret is in this answer only.',
    scope: 'applications:write',
    body: applicationInput,
    example: { name: 'Reports' },
    answer: { about: 'The application with its secret', schema: applicationSecret },
    problems: ['validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.organizationApplications.create(who, body) }),
})

/** A new name of an application. */
export const updateApplication = principalRoute({
  ...endpoints.updateApplication,
  auth: 'principal',
  document: {
    id: 'updateApplication',
    tag: 'applications',
    summary: 'Rename an application',
    about: 'Its client id, its secret and its tokens stay. An application of several organizations is refused.',
    scope: 'applications:write',
    body: applicationInput,
    example: { name: 'Reports' },
    answer: { about: 'The application', schema: applicationRecord },
    problems: ['application_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.organizationApplications.update(exchange.who, slot(exchange, 'application_id'), exchange.body),
  }),
})

/** A new secret in place of the old one. */
export const rotateApplicationSecret = principalRoute({
  ...endpoints.rotateApplicationSecret,
  auth: 'principal',
  document: {
    id: 'rotateApplicationSecret',
    tag: 'applications',
    summary: 'Replace the secret of an application',
    about:
      'The old secret and the tokens for MCP fail at once; its bearer tokens expire within 15 minutes. An application of several organizations is refused.',
    scope: 'applications:write',
    answer: { about: 'The application with its new secret, which is in this answer only', schema: applicationSecret },
    problems: ['application_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.organizationApplications.rotateSecret(exchange.who, slot(exchange, 'application_id')),
  }),
})

/** Deletes an application of the organization. */
export const deleteApplication = principalRoute({
  ...endpoints.deleteApplication,
  auth: 'principal',
  document: {
    id: 'deleteApplication',
    tag: 'applications',
    summary: 'Delete an application',
    about: 'The application that asks, the first application of the service and an application of several organizations are refused.',
    scope: 'applications:write',
    answer: { about: 'The deleted application', schema: applicationRemoval },
    problems: ['application_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.organizationApplications.remove(exchange.who, slot(exchange, 'application_id')),
  }),
})
