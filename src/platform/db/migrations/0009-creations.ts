/** Credentials that are not checked yet, and what is kept of creations. */
import type { Migration } from '../migrate.ts'

/**
 * Adds a flag for connectors whose credentials no call has proven, and the table of creations: tokens that a check has renewed before
 * the connector was there, and the connectors that were made under an Idempotency-Key. Rows live for a day.
 */
export const creations: Migration = {
  version: 9,
  statements: ({ id, text, bytes, moment, flag, end }) => [
    `alter table connectors add column unchecked ${flag} not null default ${flag === 'boolean' ? 'false' : '0'}`,
    `create table connector_creations (
      organization_id ${id} not null references organizations (id) on delete cascade,
      key_digest ${text} not null,
      fingerprint ${text} not null,
      sealed ${bytes},
      connector_id ${id},
      expires_at ${moment} not null,
      primary key (organization_id, key_digest)
    )${end}`,
    'create index connector_creations_ended on connector_creations (expires_at)',
  ],
}
