import * as wire from 'ferrule/wire'
import { nextPage, principalRoute, slot } from '../../route.ts'

const creationProblems = [
  ...(['connector_not_found', 'connector_type_not_found', 'organization_forbidden', 'workspace_not_found'] as const),
  ...(['workspace_inactive', 'validation_failed', 'not_offered'] as const),
] as const

export const createConnectLink = principalRoute('createConnectLink', {
  tag: 'connect',
  summary: 'Create a connect link',
  about:
    'An end user opens the address and authorizes a connector; nobody else sees the secret. The address is in this answer only. A link is used up by a success, never by opening it. With `connector_id` it replaces the credentials of that connector, and refuses those of another account.',
  scope: 'connectors:write',
  body: wire.connectLinkInput,
  example: { workspace_name: 'default', kinds: ['gong'], end_user: { id: 'user-17', name: 'Ada Example' } },
  returns: { status: 201, about: 'The link with its address', schema: wire.connectLinkSecret },
  problems: creationProblems,
  answer: async ({ who, body }, { platform }) => ({ status: 201, json: await platform.connectLinks.create(who, body) }),
})

export const listConnectLinks = principalRoute('listConnectLinks', {
  tag: 'connect',
  summary: 'List connect links',
  about: 'Ended links stay for 30 days.',
  scope: 'connectors:read',
  query: wire.connectLinkQuery,
  returns: { about: 'One page', schema: wire.connectLinkPage },
  problems: ['invalid_cursor', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(wire.endpoints.listConnectLinks.path, query, await platform.connectLinks.list(who, query)),
  }),
})

export const getConnectLink = principalRoute('getConnectLink', {
  tag: 'connect',
  summary: 'Read a connect link',
  about: 'Ask here, from a server, whether a connector was authorized and by whom: what a browser brings back proves nothing.',
  scope: 'connectors:read',
  returns: { about: 'The link', schema: wire.connectLinkRecord },
  problems: ['connect_link_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.connectLinks.get(who, slot(params, 'link_id')) }),
})

export const revokeConnectLink = principalRoute('revokeConnectLink', {
  tag: 'connect',
  summary: 'Revoke a connect link',
  about: 'Its page stops working at once. A link that has ended stays as it is, and so does its connector.',
  scope: 'connectors:write',
  returns: { about: 'The link', schema: wire.connectLinkRecord },
  problems: ['connect_link_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.connectLinks.revoke(who, slot(params, 'link_id')) }),
})

/** Starts an authorization in the form of the platform's clients. */
export const initiateOAuth = principalRoute('initiateOAuth', {
  tag: 'connect',
  summary: 'Start an authorization in a browser',
  about:
    'Creates a connect link for one kind. The page leads to `redirect_url` with `connector_id`, or with `error` and `error_description`.',
  scope: 'connectors:write',
  body: wire.oauthInitiateInput,
  example: { workspace_name: 'default', connector_type: 'gong', redirect_url: 'https://app.example.com/connected' },
  returns: { about: 'The address for the end user', schema: wire.oauthConsent },
  problems: creationProblems,
  answer: async ({ who, body }, { platform }) => ({ json: await platform.connectLinks.initiate(who, body) }),
})

export const saveOAuthCredentials = principalRoute('saveOAuthCredentials', {
  tag: 'connect',
  summary: 'Store your own OAuth client at a vendor',
  about:
    'One OAuth client per kind and organization. A new one replaces the old one, also for connectors that were authorized by it: they refer to the OAuth client and have no copy of its secret.',
  scope: 'connectors:write',
  body: wire.oauthCredentialsInput,
  example: { connector_type: 'gong', configuration: { client_id: '<client id>', client_secret: '<client secret>' } },
  returns: { about: 'The OAuth client, without its secret', schema: wire.oauthCredentialsRecord },
  problems: ['connector_type_not_found', 'not_offered', 'organization_forbidden', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.oauthClients.save(who, body) }),
})

export const listOAuthCredentials = principalRoute('listOAuthCredentials', {
  tag: 'connect',
  summary: 'List your own OAuth clients at vendors',
  scope: 'connectors:read',
  returns: { about: 'The OAuth clients, without their secrets', schema: wire.oauthCredentialsList },
  problems: ['not_offered', 'organization_forbidden'],
  answer: async ({ who }, { platform }) => ({ json: await platform.oauthClients.list(who) }),
})

export const deleteOAuthCredentials = principalRoute('deleteOAuthCredentials', {
  tag: 'connect',
  summary: 'Delete your own OAuth client at a vendor',
  about: 'Refused while connectors use it, unless `force` is true. Their tokens cannot be renewed or ended then.',
  scope: 'connectors:write',
  query: wire.oauthCredentialsRemovalQuery,
  returns: { about: 'The deleted OAuth client', schema: wire.oauthCredentialsRemoval },
  problems: [
    ...(['connector_type_not_found', 'oauth_credentials_in_use', 'oauth_credentials_not_found'] as const),
    ...(['organization_forbidden', 'validation_failed'] as const),
  ],
  answer: async ({ who, params, query }, { platform }) => ({
    json: await platform.oauthClients.remove(who, slot(params, 'connector_type'), query),
  }),
})
