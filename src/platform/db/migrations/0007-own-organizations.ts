/** Organizations that an application made itself. */
import type { Migration } from '../migrate.ts'

/** Adds the column for it: 1 for a grant in an organization that the application made, else 0. */
export const ownOrganizations: Migration = {
  version: 7,
  statements: ({ moment }) => [`alter table grants add column own ${moment} not null default 0`],
}
