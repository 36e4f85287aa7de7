/** MCP tokens on the wire. */
import { int, list, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { displayName } from './names.ts'
import { page, pageQuery } from './paging.ts'
import { body, part, query, record, uuid, type Wire } from './schemas.ts'

/** Scopes that an MCP token can have: its tools read and write records, and manage nothing. */
export const mcpScopes = ['connectors:read', 'execute:read', 'execute:write'] as const
/** Scope of an MCP token. */
export type McpScope = (typeof mcpScopes)[number]
/** Scopes of an agent that reads: of a token whose maker named none, and of a client that asks for a token. */
export const defaultMcpScopes: readonly McpScope[] = ['connectors:read', 'execute:read']

/** Lifetime of a token, in days. */
export const mcpTokenDays = { usual: 90, most: 365 } as const

const token = {
  id: uuid('Token id'),
  name: str('Name'),
  application_id: uuid('Application that made the token; the token ends with it'),
  workspaces: list(
    part({ id: uuid('Workspace id'), name: str('Name') }, 'A workspace'),
    'Workspaces that the token reaches, without deleted ones',
  ),
  connector_ids: orNull(list(uuid('Connector id'), 'Connectors that the token reaches; null: all connectors of the workspaces')),
  scopes: list(oneOf('A scope', ...mcpScopes), 'Scopes'),
  client_id: orNull(str('MCP client that was granted the token on the sign-in page; null: the token was made by hand')),
  resource: str('Address of the MCP endpoint; only this address takes the token'),
  created_at: time('Time of creation'),
  expires_at: time('Time of expiry'),
  last_used_at: orNull(time('Time of the last use; uses within a minute after it are not stored')),
}

export const mcpTokenRecord = record('McpToken', token, 'An MCP token, without its text')
/** An MCP token. */
export type McpTokenRecord = Wire<typeof mcpTokenRecord>

/** One page of MCP tokens. */
export const mcpTokenPage = page('McpTokenPage', mcpTokenRecord, 'MCP tokens')

export const mcpTokenSecret = record(
  'McpTokenSecret',
  { ...token, token: str('Bearer token; it is stored as a hash and cannot be read again') },
  'A new MCP token with its text',
)
/** A new MCP token. */
export type McpTokenSecret = Wire<typeof mcpTokenSecret>

export const mcpTokenRemoval = record(
  'McpTokenRemoval',
  { id: uuid('Token id'), revoked_at: time('Time of the revocation; every later call with the token is refused') },
  'A revoked MCP token',
)
/** A revoked MCP token. */
export type McpTokenRemoval = Wire<typeof mcpTokenRemoval>

export const mcpTokenInput = body(
  'McpTokenInput',
  {
    name: displayName('Name, to recognize the token in lists.'),
    workspace_names: opt(
      list(displayName('Workspace'), 'Workspaces that the token reaches; left out: the workspace default.', { minItems: 1, maxItems: 20 }),
    ),
    connector_ids: opt(
      list(uuid('Connector id'), 'Connectors of these workspaces that the token reaches; left out: all of them, later ones too.', {
        minItems: 1,
        maxItems: 100,
      }),
    ),
    scopes: opt(
      list(oneOf('A scope', ...mcpScopes), `Scopes, at most those of the request's token; left out: ${defaultMcpScopes.join(' ')}.`, {
        minItems: 1,
        maxItems: mcpScopes.length,
      }),
    ),
    expires_in_days: opt(int('Days until the token expires.', { minimum: 1, maximum: mcpTokenDays.most, default: mcpTokenDays.usual })),
  },
  'A new MCP token',
)
/** A new MCP token. */
export type McpTokenInput = Wire<typeof mcpTokenInput>

export const mcpTokenQuery = query(pageQuery)
/** What the list of MCP tokens is limited to. */
export type McpTokenQuery = Wire<typeof mcpTokenQuery>
