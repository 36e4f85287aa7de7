/** Adds the time of the last complete comparison of a copy, and whether the copy is complete. */
import type { Migration } from './migration.ts'

/** Adds the columns. A copy whose last walk was complete counts as compared at that time. */
export const verified: Migration = {
  version: 6,
  statements: ({ moment }) => [
    `alter table sync_entities add column verified_at ${moment}`,
    `alter table sync_entities add column whole ${moment}`,
    "update sync_entities set verified_at = synced_at where outcome = 'complete'",
    "update sync_entities set whole = case when outcome in ('partial', 'skipped') then 0 else 1 end where synced_at is not null",
  ],
}
