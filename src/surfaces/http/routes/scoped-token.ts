import type { PrincipalRoute } from '../route.ts'

const path = '/api/v1/account/applications/scoped-token'

/** An application's token for a token of one workspace. */
export const createScopedToken: PrincipalRoute = {
  method: 'POST',
  path,
  auth: 'principal',
  document: {
    id: 'createScopedToken',
    tag: 'tokens',
    summary: 'Get a token for one workspace',
    about: 'The workspace is made when there is none. The token lives for 20 minutes and reaches nothing outside its workspace.',
    scope: 'workspaces:write',
    body: 'ScopedTokenRequest',
    example: { workspace_name: 'default' },
    answer: { about: 'The token', schema: 'ScopedToken' },
    problems: ['workspace_inactive', 'validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.tokens.issueScopedToken(who, body) }),
}

/** What a scoped token is for. */
export const scopedTokenInfo: PrincipalRoute = {
  method: 'GET',
  path: `${path}/info`,
  auth: 'principal',
  document: {
    id: 'getScopedTokenInfo',
    tag: 'tokens',
    summary: 'Tell what the scoped token of this request is for',
    answer: { about: 'Organization and workspace', schema: 'ScopedTokenInfo' },
    problems: [],
  },
  answer: async ({ who }, { platform }) => ({ json: await platform.tokens.scopedTokenInfo(who) }),
}
