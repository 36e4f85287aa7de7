/** Whose lease ends with its process: the session of the database that it was taken under. */
import type { Migration } from '../migrate.ts'

/** Adds the column. */
export const sessions: Migration = {
  version: 10,
  statements: ({ moment }) => [`alter table sync_runs add column lease_session ${moment}`],
}
