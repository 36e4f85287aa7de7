import { endpoints, scopedToken, scopedTokenInfo, scopedTokenRequest } from 'ferrule/wire'
import { principalRoute } from '../route.ts'

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
