/** Adds writes under an Idempotency-Key, and the writes of vendor request ids. */
import type { Migration } from './migration.ts'

/**
 * Adds the tables. A key without a status is in flight; `claimed` means that the vendor recognizes the write by an id of its own. Claims
 * have no foreign key: they hold only digests, and a connector with a week of claims is deleted fast.
 */
export const writes: Migration = {
  version: 3,
  statements: ({ id, text, bytes, moment, flag, end }) => [
    // The unique index prevents rows that name a connector of another organization.
    'create unique index connectors_of_organization on connectors (id, organization_id)',
    `create table idempotency_keys (
      organization_id ${id} not null,
      connector_id ${id} not null,
      key_digest ${text} not null,
      fingerprint ${text} not null,
      write_id ${id} not null,
      owner ${id} not null,
      started_at ${moment} not null,
      lease_until ${moment} not null,
      claimed ${flag} not null,
      status ${moment},
      code ${text},
      data_key_id ${id} references data_keys (id),
      sealed ${bytes},
      expires_at ${moment} not null,
      primary key (organization_id, connector_id, key_digest),
      foreign key (connector_id, organization_id) references connectors (id, organization_id) on delete cascade
    )${end}`,
    'create index idempotency_keys_by_end on idempotency_keys (expires_at)',
    'create index idempotency_keys_by_data_key on idempotency_keys (data_key_id)',
    `create table request_claims (
      organization_id ${id} not null,
      connector_id ${id} not null,
      request_id ${text} not null,
      fingerprint ${text} not null,
      claimed_at ${moment} not null,
      owner ${id} not null,
      busy_until ${moment} not null,
      primary key (organization_id, connector_id, request_id)
    )${end}`,
    'create index request_claims_by_age on request_claims (claimed_at)',
  ],
}
