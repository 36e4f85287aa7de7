/** Adds grants to OAuth clients. */
import type { Migration } from './migration.ts'

/**
 * Makes a grant a token for MCP without a text of its own. Its access tokens are rows below it. Codes and refresh tokens are records, so
 * the end of a grant ends all of them.
 */
export const oauth: Migration = {
  version: 14,
  statements: ({ id, text, bytes, moment, end }) => [
    `alter table mcp_tokens add column parent_id ${id} references mcp_tokens (id) on delete cascade`,
    `alter table mcp_tokens add column client_id ${text}`,
    'create index mcp_tokens_of_parent on mcp_tokens (parent_id, id)',
    `create table oauth_records (
      digest ${text} primary key,
      type ${text} not null,
      grant_id ${id} references mcp_tokens (id) on delete cascade,
      sealed ${bytes} not null,
      consumed_at ${moment},
      created_at ${moment} not null,
      expires_at ${moment} not null
    )${end}`,
    'create index oauth_records_of_grant on oauth_records (grant_id)',
    'create index oauth_records_by_end on oauth_records (type, expires_at)',
  ],
}
