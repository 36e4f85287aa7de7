/** Lets tokens that wait for their end outlive their workspace and organization. */
import type { Migration } from './migration.ts'

/**
 * Makes the table again, without foreign keys and without data keys: a purge deletes both, and the vendor may be down then. No release has
 * the earlier table, so nothing of it is kept.
 */
export const consentEnds: Migration = {
  version: 18,
  statements: ({ id, text, bytes, moment, flag, end }) => [
    'drop table consent_revocations',
    `create table consent_revocations (
      id ${id} primary key,
      organization_id ${id} not null,
      connector_id ${id} not null,
      kind ${text} not null,
      configuration ${text} not null,
      sandbox ${flag} not null,
      vendor_application_id ${id} not null,
      sealed ${bytes} not null,
      master_key_id ${text} not null,
      failures ${moment} not null,
      not_before ${moment} not null,
      created_at ${moment} not null
    )${end}`,
    'create index consent_revocations_by_time on consent_revocations (not_before)',
    'create index consent_revocations_by_master_key on consent_revocations (master_key_id, id)',
    'create index consent_revocations_of_vendor_application on consent_revocations (vendor_application_id)',
  ],
}
