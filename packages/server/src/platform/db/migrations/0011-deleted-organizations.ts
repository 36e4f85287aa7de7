/** Marks deleted organizations. */
import type { Migration } from './migration.ts'

/** Adds the column: the time of the deletion, or null. */
export const deletedOrganizations: Migration = {
  version: 11,
  statements: ({ moment }) => [
    `alter table organizations add column deleted_at ${moment}`,
    'create index organizations_deleted on organizations (deleted_at) where deleted_at is not null',
  ],
}
