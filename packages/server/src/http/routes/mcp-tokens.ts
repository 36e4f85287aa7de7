import { endpoints, mcpTokenInput, mcpTokenPage, mcpTokenQuery, mcpTokenRemoval, mcpTokenSecret } from 'ferrule/wire'
import { nextPage } from '../next-page.ts'
import { principalRoute, slot } from '../route.ts'

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
