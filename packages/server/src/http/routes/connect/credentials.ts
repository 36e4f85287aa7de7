import {
  endpoints,
  oauthCredentialsInput,
  oauthCredentialsList,
  oauthCredentialsRecord,
  oauthCredentialsRemoval,
  oauthCredentialsRemovalQuery,
} from 'ferrule/wire'
import { principalRoute, slot } from '../../route.ts'

/** Stores the operator's application at a vendor. */
export const saveOAuthCredentials = principalRoute({
  ...endpoints.saveOAuthCredentials,
  auth: 'principal',
  document: {
    id: 'saveOAuthCredentials',
    tag: 'connect',
    summary: 'Store your own application at a vendor',
    about:
      'One application per kind and organization. A new one replaces the old one, also for connectors that were authorized by it: they refer to the application and have no copy of its secret.',
    scope: 'connectors:write',
    body: oauthCredentialsInput,
    example: { connector_type: 'gong', configuration: { client_id: '<client id>', client_secret: '<client secret>' } },
    answer: { about: 'The application, without its secret', schema: oauthCredentialsRecord },
    problems: ['connector_type_not_found', 'not_offered', 'organization_forbidden', 'validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.vendorApplications.save(who, body) }),
})

/** The operator's applications at vendors. */
export const listOAuthCredentials = principalRoute({
  ...endpoints.listOAuthCredentials,
  auth: 'principal',
  document: {
    id: 'listOAuthCredentials',
    tag: 'connect',
    summary: 'List your own applications at vendors',
    scope: 'connectors:read',
    answer: { about: 'The applications, without their secrets', schema: oauthCredentialsList },
    problems: ['not_offered', 'organization_forbidden'],
  },
  answer: async ({ who }, { platform }) => ({ json: await platform.vendorApplications.list(who) }),
})

/** Deletes the operator's application at a vendor. */
export const deleteOAuthCredentials = principalRoute({
  ...endpoints.deleteOAuthCredentials,
  auth: 'principal',
  document: {
    id: 'deleteOAuthCredentials',
    tag: 'connect',
    summary: 'Delete your own application at a vendor',
    about: 'Refused while connectors use it, unless `force` is true. Their tokens cannot be renewed or ended then.',
    scope: 'connectors:write',
    query: oauthCredentialsRemovalQuery,
    answer: { about: 'The deleted application', schema: oauthCredentialsRemoval },
    problems: [
      ...(['connector_type_not_found', 'oauth_credentials_in_use', 'oauth_credentials_not_found'] as const),
      ...(['organization_forbidden', 'validation_failed'] as const),
    ],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.vendorApplications.remove(exchange.who, slot(exchange, 'connector_type'), exchange.query),
  }),
})
