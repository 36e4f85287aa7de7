import { FerruleError, type Problem } from 'ferrule'
import { fail, failValidation, isObject } from 'ferrule/internal'
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
import { nextPage, openRoute, principalRoute, slot } from '../route.ts'
import { stoppedRead } from '../stopping.ts'

const problem = (name: string, message: string, error_code: string): Problem => ({ field: `/${name}`, message, error_code })

/** Decodes one part of HTTP Basic, which is form-encoded. Keeps a stray percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function basicClient(header: string | undefined): { readonly id: string; readonly secret: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1]
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  return id === undefined || secret === undefined ? undefined : { id: decoded(id), secret: decoded(secret) }
}

function readString(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw failValidation([problem(name, 'must be a string', 'type')])
}

/** Client credentials of a token request. */
interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  /** The client authenticated by HTTP Basic, so a refusal must ask for it. */
  readonly basic: boolean
}

/**
 * Reads a token request. Ignores unknown members: clients of RFC 6749 may send more.
 * @throws FerruleError `validation_failed`
 */
function readClientCredentials(given: unknown, authorization: string | undefined): ClientCredentials {
  const body = isObject(given) ? given : {}
  const grant = readString(body, 'grant_type') ?? 'client_credentials'
  if (grant !== 'client_credentials') throw failValidation([problem('grant_type', 'must be client_credentials', 'enum')])
  const basic = basicClient(authorization)
  const clientId = basic?.id ?? readString(body, 'client_id')
  const clientSecret = basic?.secret ?? readString(body, 'client_secret')
  const missing = [...(clientId === undefined ? ['client_id'] : []), ...(clientSecret === undefined ? ['client_secret'] : [])]
  if (clientId === undefined || clientSecret === undefined)
    throw failValidation(missing.map((name) => problem(name, 'is required', 'required')))
  return { clientId, clientSecret, scope: readString(body, 'scope'), basic: basic !== undefined }
}

/** A refused client that used HTTP Basic is asked for it again (RFC 6749 section 5.2); everything else stays as it is. */
const challenged = (thrown: unknown, { basic }: ClientCredentials): unknown =>
  basic && thrown instanceof FerruleError && thrown.code === 'invalid_client'
    ? fail('invalid_client', {}, { headers: { 'www-authenticate': 'Basic realm="ferrule"' } })
    : thrown

export const createToken = openRoute('createToken', {
  form: true,
  tag: 'tokens',
  summary: 'Get a bearer token for client credentials',
  about: 'Takes JSON, or a form as RFC 6749 section 4.4 writes it; the client may authenticate with HTTP Basic instead.',
  body: tokenRequest,
  example: { client_id: '<client id>', client_secret: '<client secret>' },
  returns: { about: 'The token, valid for 15 minutes', schema: tokenAnswer },
  problems: ['invalid_client', 'organization_forbidden', 'validation_failed'],
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

export const createScopedToken = principalRoute('createScopedToken', {
  takesSessions: false, // a page needs no bearer token
  tag: 'tokens',
  summary: 'Get a token for one workspace',
  about: 'A new name creates a workspace. The token lives for 20 minutes and reaches nothing outside its workspace.',
  scope: 'workspaces:write',
  body: scopedTokenRequest,
  example: { workspace_name: 'default' },
  returns: { about: 'The token', schema: scopedToken },
  problems: ['workspace_inactive', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.tokens.issueScopedToken(who, body) }),
})

export const getScopedTokenInfo = principalRoute('getScopedTokenInfo', {
  tag: 'tokens',
  summary: 'Read the organization and workspace of the scoped token',
  about: 'For tokens of one workspace; other tokens are refused.',
  returns: { about: 'Organization and workspace', schema: scopedTokenInfo },
  answer: async ({ who }, { platform }) => ({ json: await platform.tokens.scopedTokenInfo(who) }),
})

export const createMcpToken = principalRoute('createMcpToken', {
  tag: 'tokens',
  summary: 'Create a token for MCP',
  about: 'The token is in this answer only. It ends with the application that creates it, and with a replacement of its secret.',
  scope: 'applications:write',
  body: mcpTokenInput,
  example: { name: 'Laptop', workspace_names: ['default'] },
  returns: { about: 'The token', schema: mcpTokenSecret },
  problems: ['organization_forbidden', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.mcpTokens.create(who, body) }),
})

export const listMcpTokens = principalRoute('listMcpTokens', {
  tag: 'tokens',
  summary: 'List the tokens for MCP of the organization',
  about: 'Expired tokens stay for 30 days, revoked ones do not.',
  scope: 'applications:read',
  query: mcpTokenQuery,
  returns: { about: 'One page', schema: mcpTokenPage },
  problems: ['organization_forbidden', 'invalid_cursor', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listMcpTokens.path, query, await platform.mcpTokens.list(who, query)),
  }),
})

export const revokeMcpToken = principalRoute('revokeMcpToken', {
  tag: 'tokens',
  summary: 'Revoke a token for MCP',
  about: 'Every node refuses the next call with the token.',
  scope: 'applications:write',
  returns: { about: 'The revoked token', schema: mcpTokenRemoval },
  problems: ['mcp_token_not_found', 'organization_forbidden'],
  answer: async (exchange, { platform }) => ({ json: await platform.mcpTokens.revoke(exchange.who, slot(exchange, 'token_id')) }),
})
