import {
  endpoints,
  mcpTokenInput,
  mcpTokenPage,
  mcpTokenQuery,
  mcpTokenRemoval,
  mcpTokenSecret,
  scopedToken,
  scopedTokenInfo,
  scopedTokenRequest,
  tokenAnswer,
  tokenRequest,
} from 'ferrule/wire'
import { challenged, readClientCredentials } from '../client-credentials.ts'
import { nextPage } from '../next-page.ts'
import { stoppedRead } from '../open-requests.ts'
import { openRoute, principalRoute, slot } from '../route.ts'

/** Client credentials for a bearer token. */
export const createToken = openRoute({
  ...endpoints.createToken,
  auth: 'none',
  form: true,
  document: {
    id: 'createToken',
    tag: 'tokens',
    summary: 'Get a bearer token for client credentials',
    about: 'Takes JSON, or a form as RFC 6749 section 4.4 writes it; the client may authenticate with HTTP Basic instead.',
    body: tokenRequest,
    example: { client_id: '<client id>', client_secret: '<client secret>' },
    answer: { about: 'The token, valid for 15 minutes', schema: tokenAnswer },
    problems: ['invalid_client', 'organization_forbidden', 'validation_failed'],
  },
  async answer(exchange, { platform }) {
    exchange.whenStopped(stoppedRead)
    const credentials = readClientCredentials(exchange.body, exchange.header('authorization'))
    try {
      const organizationId = exchange.header('x-organization-id')
      return { json: await platform.tokens.issueApplicationToken({ ...credentials, organizationId }) }
    } catch (thrown) {
      throw challenged(thrown, credentials)
    }
  },
})

/** An application's token for a token of one workspace. */
export const createScopedToken = principalRoute({
  ...endpoints.createScopedToken,
  auth: 'principal',
  takesSessions: false, // a page needs no bearer token
  document: {
    id: 'createScopedToken',
    tag: 'tokens',
    summary: 'Get a token for one workspace',
    about: 'A new name creates a workspace. The token lives for 20 minutes and reaches nothing outside its workspace.',
    scope: 'workspaces:write',
    body: scopedTokenRequest,
    example: { workspace_name: 'default' },
    answer: { about: 'The token', schema: scopedToken },
    problems: ['workspace_inactive', 'validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.tokens.issueScopedToken(who, body) }),
})

/** Organization and workspace of a scoped token. */
export const getScopedTokenInfo = principalRoute({
  ...endpoints.getScopedTokenInfo,
  auth: 'principal',
  document: {
    id: 'getScopedTokenInfo',
    tag: 'tokens',
    summary: 'Read the organization and workspace of the scoped token',
    about: 'For tokens of one workspace; other tokens are refused.',
    answer: { about: 'Organization and workspace', schema: scopedTokenInfo },
    problems: [],
  },
  answer: async ({ who }, { platform }) => ({ json: await platform.tokens.scopedTokenInfo(who) }),
})

/** A new token for MCP. */
export const createMcpToken = principalRoute({
  ...endpoints.createMcpToken,
  auth: 'principal',
  document: {
    id: 'createMcpToken',
    tag: 'tokens',
    summary: 'Create a token for MCP',
    about: 'The token is in this answer only. It ends with the application that creates it, and with a replacement of its secret.',
    scope: 'applications:write',
    body: mcpTokenInput,
    example: { name: 'Laptop', workspace_names: ['default'] },
    answer: { about: 'The token', schema: mcpTokenSecret },
    problems: ['organization_forbidden', 'validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.mcpTokens.create(who, body) }),
})

/** One page of the tokens for MCP. */
export const listMcpTokens = principalRoute({
  ...endpoints.listMcpTokens,
  auth: 'principal',
  document: {
    id: 'listMcpTokens',
    tag: 'tokens',
    summary: 'List the tokens for MCP of the organization',
    about: 'Expired tokens stay for 30 days, revoked ones do not.',
    scope: 'applications:read',
    query: mcpTokenQuery,
    answer: { about: 'One page', schema: mcpTokenPage },
    problems: ['organization_forbidden', 'invalid_cursor', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listMcpTokens.path, query, await platform.mcpTokens.list(who, query)),
  }),
})

/** Revokes a token for MCP. */
export const revokeMcpToken = principalRoute({
  ...endpoints.revokeMcpToken,
  auth: 'principal',
  document: {
    id: 'revokeMcpToken',
    tag: 'tokens',
    summary: 'Revoke a token for MCP',
    about: 'Every node refuses the next call with the token.',
    scope: 'applications:write',
    answer: { about: 'The revoked token', schema: mcpTokenRemoval },
    problems: ['mcp_token_not_found', 'organization_forbidden'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.mcpTokens.revoke(exchange.who, slot(exchange, 'token_id')) }),
})
