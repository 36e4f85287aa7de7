/** Records and bodies of applications and of MCP tokens, typed out by hand: a part of wire.test.ts. */

const mcpToken = {
  client_id: 'string | null',
  application_id: 'uuid',
  connector_ids: '[uuid] | null',
  created_at: 'date-time',
  expires_at: 'date-time',
  id: 'uuid',
  last_used_at: 'date-time | null',
  name: 'string',
  resource: 'string',
  scopes: '[connectors:read | execute:read | execute:write]',
  workspaces: '[{ id: uuid, name: string }]',
}

export const accessRecords = {
  Application: { client_id: 'string', created_at: 'date-time', id: 'uuid', is_caller: 'boolean', name: 'string' },
  ApplicationInput: '{ name: string }',
  ApplicationList: '{ data: [Application] }',
  ApplicationRemoval: '{ deleted_at: date-time, id: uuid }',
  ApplicationSecret: {
    client_id: 'string',
    client_secret: 'string',
    created_at: 'date-time',
    id: 'uuid',
    is_caller: 'boolean',
    name: 'string',
  },
  McpToken: mcpToken,
  McpTokenInput: {
    'connector_ids?': '[uuid]',
    'expires_in_days?': 'integer',
    name: 'string',
    'scopes?': '[connectors:read | execute:read | execute:write]',
    'workspace_names?': '[string]',
  },
  McpTokenPage: '{ data: [McpToken], next: string | null }',
  McpTokenRemoval: '{ id: uuid, revoked_at: date-time }',
  McpTokenSecret: { ...mcpToken, token: 'string' },
}
