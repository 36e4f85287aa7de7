/** Adds unchecked credentials and the requests that create connectors. */
import type { Migration } from './migration.ts'

/**
 * Adds a flag for connectors whose credentials no call has used yet, and the table of creations. A creation holds tokens that a trial
 * renewed, or the connector of an Idempotency-Key. Its rows live for a day.
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
