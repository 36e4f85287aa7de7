import {
  connectLinkInput,
  connectLinkPage,
  connectLinkQuery,
  connectLinkRecord,
  connectLinkSecret,
  endpoints,
  oauthConsent,
  oauthInitiateInput,
} from 'ferrule/wire'
import { nextPage } from '../../next-page.ts'
import { principalRoute, slot } from '../../route.ts'

const creationProblems = [
  ...(['connector_not_found', 'connector_type_not_found', 'organization_forbidden', 'workspace_not_found'] as const),
  ...(['workspace_inactive', 'validation_failed', 'not_offered'] as const),
] as const

/** A new link. */
export const createConnectLink = principalRoute({
  ...endpoints.createConnectLink,
  auth: 'principal',
  document: {
    id: 'createConnectLink',
    tag: 'connect',
    summary: 'Create a connect link',
    about:
      'An end user opens the address and authorizes a connector; nobody else sees the secret. The address is in this answer only. A link is used up by a success, never by opening it. With `connector_id` it replaces the credentials of that connector, and refuses those of another account.',
    scope: 'connectors:write',
    body: connectLinkInput,
    example: { workspace_name: 'default', kinds: ['gong'], end_user: { id: 'user-17', name: 'Ada Example' } },
    answer: { status: 201, about: 'The link with its address', schema: connectLinkSecret },
    problems: creationProblems,
  },
  answer: async ({ who, body }, { platform }) => ({ status: 201, json: await platform.connectLinks.create(who, body) }),
})

/** One page of the links. */
export const listConnectLinks = principalRoute({
  ...endpoints.listConnectLinks,
  auth: 'principal',
  document: {
    id: 'listConnectLinks',
    tag: 'connect',
    summary: 'List connect links',
    about: 'Ended links stay for 30 days.',
    scope: 'connectors:read',
    query: connectLinkQuery,
    answer: { about: 'One page', schema: connectLinkPage },
    problems: ['invalid_cursor', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listConnectLinks.path, query, await platform.connectLinks.list(who, query)),
  }),
})

/** One link. */
export const getConnectLink = principalRoute({
  ...endpoints.getConnectLink,
  auth: 'principal',
  document: {
    id: 'getConnectLink',
    tag: 'connect',
    summary: 'Read a connect link',
    about: 'Ask here, from a server, whether a connector was authorized and by whom: what a browser brings back proves nothing.',
    scope: 'connectors:read',
    answer: { about: 'The link', schema: connectLinkRecord },
    problems: ['connect_link_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.connectLinks.get(exchange.who, slot(exchange, 'link_id')) }),
})

/** Revokes a link. */
export const revokeConnectLink = principalRoute({
  ...endpoints.revokeConnectLink,
  auth: 'principal',
  document: {
    id: 'revokeConnectLink',
    tag: 'connect',
    summary: 'Revoke a connect link',
    about: 'Its page stops working at once. A link that has ended stays as it is, and so does its connector.',
    scope: 'connectors:write',
    answer: { about: 'The link', schema: connectLinkRecord },
    problems: ['connect_link_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.connectLinks.revoke(exchange.who, slot(exchange, 'link_id')) }),
})

/** Starts an authorization in the form of the platform's clients. */
export const initiateOAuth = principalRoute({
  ...endpoints.initiateOAuth,
  auth: 'principal',
  document: {
    id: 'initiateOAuth',
    tag: 'connect',
    summary: 'Start an authorization in a browser',
    about:
      'Creates a connect link for one kind. The page leads to `redirect_url` with `connector_id`, or with `error` and `error_description`.',
    scope: 'connectors:write',
    body: oauthInitiateInput,
    example: { workspace_name: 'default', connector_type: 'gong', redirect_url: 'https://app.example.com/connected' },
    answer: { about: 'The address for the end user', schema: oauthConsent },
    problems: creationProblems,
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.connectLinks.initiate(who, body) }),
})
