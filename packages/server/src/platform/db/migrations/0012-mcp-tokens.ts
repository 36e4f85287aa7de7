/** Adds tokens for MCP. */
import type { Migration } from './migration.ts'

/** Adds the table. A token ends with the grant of its application. Its workspaces and connectors are ids only: a view never shows others. */
export const mcpTokens: Migration = {
  version: 12,
  statements: ({ id, text, moment, end }) => [
    `create table mcp_tokens (
      id ${id} primary key,
      organization_id ${id} not null,
      application_id ${id} not null,
      name ${text} not null,
      digest ${text} not null unique,
      workspace_ids ${text} not null,
      connector_ids ${text},
      scopes ${text} not null,
      resource ${text} not null,
      created_at ${moment} not null,
      expires_at ${moment} not null,
      last_used_at ${moment},
      foreign key (application_id, organization_id) references grants (application_id, organization_id) on delete cascade
    )${end}`,
    'create index mcp_tokens_in_order on mcp_tokens (organization_id, id)',
    'create index mcp_tokens_of_application on mcp_tokens (application_id, organization_id)',
    'create index mcp_tokens_by_end on mcp_tokens (expires_at)',
  ],
}
