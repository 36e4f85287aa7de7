/** Stores the database session of a lease, which ends with its process. */
import type { Migration } from './migration.ts'

/** Adds the column. */
export const sessions: Migration = {
  version: 10,
  statements: ({ moment }) => [`alter table sync_runs add column lease_session ${moment}`],
}
