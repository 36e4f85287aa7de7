/** Marks organizations that an application created. */
import type { Migration } from './migration.ts'

/** Adds the column: 1 for a grant in an organization that the application created, else 0. */
export const ownOrganizations: Migration = {
  version: 7,
  statements: ({ moment }) => [`alter table grants add column own ${moment} not null default 0`],
}
