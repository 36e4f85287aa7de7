/** When each copy was compared with the vendor as a whole, and whether no part of it was left unread. */
import type { Migration } from '../migrate.ts'

/** Adds the columns. A copy whose last walk met everything was compared then. */
export const verified: Migration = {
  version: 6,
  statements: ({ moment }) => [
    `alter table sync_entities add column verified_at ${moment}`,
    `alter table sync_entities add column whole ${moment}`,
    "update sync_entities set verified_at = synced_at where outcome = 'complete'",
    "update sync_entities set whole = case when outcome in ('partial', 'skipped') then 0 else 1 end where synced_at is not null",
  ],
}
