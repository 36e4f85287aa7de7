/** What vendors told of a connector beside their answers. */
import type { Migration } from '../migrate.ts'

/** Adds the column for it: a JSON array. */
export const notices: Migration = {
  version: 2,
  statements: ({ text }) => [`alter table connectors add column notices ${text} not null default '[]'`],
}
