/** Adds notices of vendors to connectors. */
import type { Migration } from './migration.ts'

/** Adds the column: a JSON array. */
export const notices: Migration = {
  version: 2,
  statements: ({ text }) => [`alter table connectors add column notices ${text} not null default '[]'`],
}
