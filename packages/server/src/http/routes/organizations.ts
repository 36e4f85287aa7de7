import { FerruleError } from 'ferrule'
import { fail, failValidation, isObject } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { failField, problem } from '../../values/read.ts'
import { callerRoute, nextPage, openRoute, principalRoute, slot } from '../route.ts'
import { stoppedRead } from '../stopping.ts'

export const listOrganizations = callerRoute('listOrganizations', {
  tag: 'organizations',
  summary: 'List the organizations that the client reaches',
  scope: 'organizations:read',
  returns: { about: 'All of them', schema: wire.organizationList },
  answer: async ({ who }, { platform }) => ({ json: { data: await platform.organizations.list(who) } }),
})

export const createOrganization = callerRoute('createOrganization', {
  tag: 'organizations',
  summary: 'Create an organization',
  about:
    'It starts with the workspace `default`. The client reaches it with X-Organization-Id; requests without the header still mean the organization that it had before.',
  scope: 'organizations:write',
  body: wire.organizationInput,
  example: { name: 'Second' },
  returns: { about: 'The organization', schema: wire.organizationRecord },
  problems: ['validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.organizations.create(who, body) }),
})

export const updateOrganization = principalRoute('updateOrganization', {
  tag: 'organizations',
  summary: 'Rename the organization',
  about: 'The id is that of the organization of the request: a client of several organizations sends it as X-Organization-Id too.',
  scope: 'organizations:write',
  body: wire.organizationInput,
  example: { name: 'Sales' },
  returns: { about: 'The organization', schema: wire.organizationRecord },
  problems: ['organization_not_found', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({
    json: await platform.organizations.update(who, slot(params, 'organization_id'), body),
  }),
})

export const deleteOrganization = callerRoute('deleteOrganization', {
  tag: 'organizations',
  summary: 'Delete an organization with everything in it',
  about:
    'From the answer on no token reaches it, its syncs end and its copies are emptied. It can be restored for 30 days; then its keys, connectors and applications are destroyed. A repeat answers the same. The only organization of the first application of the service is refused.',
  scope: 'organizations:write',
  returns: { about: 'The deleted organization', schema: wire.organizationRemoval },
  problems: ['organization_not_found', 'validation_failed'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.organizations.remove(who, slot(params, 'organization_id')) }),
})

export const restoreOrganization = callerRoute('restoreOrganization', {
  tag: 'organizations',
  summary: 'Restore a deleted organization',
  about: 'Its workspaces and connectors come back, and their copies are filled again. The request names it in the path only.',
  scope: 'organizations:write',
  returns: { about: 'The organization', schema: wire.organizationRecord },
  problems: ['organization_not_found', 'validation_failed'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.organizations.restore(who, slot(params, 'organization_id')) }),
})

export const listApplications = principalRoute('listApplications', {
  tag: 'applications',
  summary: 'List the applications that reach the organization',
  scope: 'applications:read',
  returns: { about: 'All of them, without secrets', schema: wire.applicationList },
  answer: async ({ who }, { platform }) => ({ json: { data: await platform.organizationApplications.list(who) } }),
})

export const createApplication = principalRoute('createApplication', {
  tag: 'applications',
  summary: 'Create an application for the organization',
  about: 'It reaches this organization with all scopes. The secret is in this answer only.',
  scope: 'applications:write',
  body: wire.applicationInput,
  example: { name: 'Reports' },
  returns: { about: 'The application with its secret', schema: wire.applicationSecret },
  problems: ['validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.organizationApplications.create(who, body) }),
})

export const updateApplication = principalRoute('updateApplication', {
  tag: 'applications',
  summary: 'Rename an application',
  about: 'Its client id, its secret and its tokens stay. An application of several organizations is refused.',
  scope: 'applications:write',
  body: wire.applicationInput,
  example: { name: 'Reports' },
  returns: { about: 'The application', schema: wire.applicationRecord },
  problems: ['application_not_found', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({
    json: await platform.organizationApplications.update(who, slot(params, 'application_id'), body),
  }),
})

export const rotateApplicationSecret = principalRoute('rotateApplicationSecret', {
  tag: 'applications',
  summary: 'Replace the secret of an application',
  about:
    'The old secret and the MCP tokens fail at once; its bearer tokens expire within 15 minutes. An application of several organizations is refused.',
  scope: 'applications:write',
  returns: { about: 'The application with its new secret, which is in this answer only', schema: wire.applicationSecret },
  problems: ['application_not_found', 'validation_failed'],
  answer: async ({ who, params }, { platform }) => ({
    json: await platform.organizationApplications.rotateSecret(who, slot(params, 'application_id')),
  }),
})

export const deleteApplication = principalRoute('deleteApplication', {
  tag: 'applications',
  summary: 'Delete an application',
  about: 'The application that asks, the first application of the service and an application of several organizations are refused.',
  scope: 'applications:write',
  returns: { about: 'The deleted application', schema: wire.applicationRemoval },
  problems: ['application_not_found', 'validation_failed'],
  answer: async ({ who, params }, { platform }) => ({
    json: await platform.organizationApplications.remove(who, slot(params, 'application_id')),
  }),
})

export const listWorkspaces = principalRoute('listWorkspaces', {
  tag: 'workspaces',
  summary: 'List workspaces',
  scope: 'workspaces:read',
  query: wire.workspaceQuery,
  returns: { about: 'One page', schema: wire.workspacePage },
  problems: ['invalid_cursor', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(wire.endpoints.listWorkspaces.path, query, await platform.workspaces.list(who, query)),
  }),
})

export const createWorkspace = principalRoute('createWorkspace', {
  tag: 'workspaces',
  summary: 'Create a workspace',
  scope: 'workspaces:write',
  body: wire.workspaceInput,
  example: { name: 'Sales' },
  returns: { about: 'The workspace', schema: wire.workspaceRecord },
  problems: ['workspace_name_conflict', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.workspaces.create(who, body) }),
})

export const getWorkspaceStats = principalRoute('getWorkspaceStats', {
  tag: 'workspaces',
  summary: 'Count workspaces',
  scope: 'workspaces:read',
  returns: { about: 'Counts', schema: wire.workspaceStats },
  answer: async ({ who }, { platform }) => ({ json: await platform.workspaces.stats(who) }),
})

export const getWorkspace = principalRoute('getWorkspace', {
  tag: 'workspaces',
  summary: 'Read a workspace',
  scope: 'workspaces:read',
  returns: { about: 'The workspace', schema: wire.workspaceRecord },
  problems: ['workspace_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.workspaces.get(who, slot(params, 'workspace_id')) }),
})

export const updateWorkspace = principalRoute('updateWorkspace', {
  tag: 'workspaces',
  summary: 'Change a workspace',
  scope: 'workspaces:write',
  body: wire.workspaceChange,
  example: { name: 'Revenue' },
  returns: { about: 'The workspace', schema: wire.workspaceRecord },
  problems: ['workspace_not_found', 'workspace_name_conflict', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({
    json: await platform.workspaces.update(who, slot(params, 'workspace_id'), body),
  }),
})

export const deleteWorkspace = principalRoute('deleteWorkspace', {
  tag: 'workspaces',
  summary: 'Delete a workspace and its connectors',
  about: 'It can be restored for 30 days; then its key is destroyed.',
  scope: 'workspaces:write',
  returns: { about: 'The deleted workspace', schema: wire.workspaceRemoval },
  problems: ['workspace_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.workspaces.remove(who, slot(params, 'workspace_id')) }),
})

export const restoreWorkspace = principalRoute('restoreWorkspace', {
  tag: 'workspaces',
  summary: 'Restore a deleted workspace',
  scope: 'workspaces:write',
  returns: { about: 'The workspace', schema: wire.workspaceRecord },
  problems: ['workspace_not_found', 'workspace_name_conflict'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.workspaces.restore(who, slot(params, 'workspace_id')) }),
})

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
  throw failField(`/${name}`, 'must be a string', 'type')
}

/** Client credentials of a token request. */
interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  /** The client authenticated by HTTP Basic, so a refusal must ask for it. */
  readonly basic: boolean
}

/** Reads a token request. Ignores unknown members: clients of RFC 6749 may send more. */
function readClientCredentials(given: unknown, authorization: string | undefined): ClientCredentials {
  const body = isObject(given) ? given : {}
  const grant = readString(body, 'grant_type') ?? 'client_credentials'
  if (grant !== 'client_credentials') throw failField('/grant_type', 'must be client_credentials', 'enum')
  const basic = basicClient(authorization)
  const clientId = basic?.id ?? readString(body, 'client_id')
  const clientSecret = basic?.secret ?? readString(body, 'client_secret')
  const missing = [...(clientId === undefined ? ['client_id'] : []), ...(clientSecret === undefined ? ['client_secret'] : [])]
  if (clientId === undefined || clientSecret === undefined)
    throw failValidation(missing.map((name) => problem(`/${name}`, 'is required', 'required')))
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
  body: wire.tokenRequest,
  example: { client_id: '<client id>', client_secret: '<client secret>' },
  returns: { about: 'The token, valid for 15 minutes', schema: wire.tokenAnswer },
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
  body: wire.scopedTokenRequest,
  example: { workspace_name: 'default' },
  returns: { about: 'The token', schema: wire.scopedToken },
  problems: ['workspace_inactive', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.tokens.issueScopedToken(who, body) }),
})

export const getScopedTokenInfo = principalRoute('getScopedTokenInfo', {
  tag: 'tokens',
  summary: 'Read the organization and workspace of the scoped token',
  about: 'For tokens of one workspace; other tokens are refused.',
  returns: { about: 'Organization and workspace', schema: wire.scopedTokenInfo },
  answer: async ({ who }, { platform }) => ({ json: await platform.tokens.scopedTokenInfo(who) }),
})

export const createMcpToken = principalRoute('createMcpToken', {
  tag: 'tokens',
  summary: 'Create an MCP token',
  about: 'The token is in this answer only. It ends with the application that creates it, and with a replacement of its secret.',
  scope: 'applications:write',
  body: wire.mcpTokenInput,
  example: { name: 'Laptop', workspace_names: ['default'] },
  returns: { about: 'The token', schema: wire.mcpTokenSecret },
  problems: ['organization_forbidden', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.mcpTokens.create(who, body) }),
})

export const listMcpTokens = principalRoute('listMcpTokens', {
  tag: 'tokens',
  summary: 'List the MCP tokens of the organization',
  about: 'Expired tokens stay for 30 days, revoked ones do not.',
  scope: 'applications:read',
  query: wire.mcpTokenQuery,
  returns: { about: 'One page', schema: wire.mcpTokenPage },
  problems: ['organization_forbidden', 'invalid_cursor', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(wire.endpoints.listMcpTokens.path, query, await platform.mcpTokens.list(who, query)),
  }),
})

export const revokeMcpToken = principalRoute('revokeMcpToken', {
  tag: 'tokens',
  summary: 'Revoke an MCP token',
  about: 'Every node refuses the next call with the token.',
  scope: 'applications:write',
  returns: { about: 'The revoked token', schema: wire.mcpTokenRemoval },
  problems: ['mcp_token_not_found', 'organization_forbidden'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.mcpTokens.revoke(who, slot(params, 'token_id')) }),
})
