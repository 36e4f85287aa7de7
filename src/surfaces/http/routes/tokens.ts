import { challenged, readClientCredentials } from '../client-credentials.ts'
import type { OpenRoute, PrincipalRoute } from '../route.ts'

const base = '/api/v1/account/applications'

/** Client credentials for a bearer token. */
export const createToken: OpenRoute = {
  method: 'POST',
  path: `${base}/token`,
  auth: 'none',
  form: true,
  document: {
    id: 'createToken',
    tag: 'tokens',
    summary: 'Get a bearer token for client credentials',
    about: 'Takes JSON, or a form as RFC 6749 section 4.4 writes it; the client may authenticate with HTTP Basic instead.',
    body: 'TokenRequest',
    example: { client_id: '<client id>', client_secret: '<client secret>' },
    answer: { about: 'The token, valid for 15 minutes', schema: 'Token' },
    problems: ['invalid_client', 'organization_forbidden', 'validation_failed'],
  },
  async answer(exchange, { platform }) {
    const credentials = readClientCredentials(exchange.body, exchange.header('authorization'))
    try {
      return { json: await platform.tokens.issueApplicationToken({ ...credentials, organizationId: exchange.header('x-organization-id') }) }
    } catch (thrown) {
      throw challenged(thrown, credentials)
    }
  },
}

/** An application's token for a token of one workspace. */
export const createScopedToken: PrincipalRoute = {
  method: 'POST',
  path: `${base}/scoped-token`,
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
  path: `${base}/scoped-token/info`,
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
