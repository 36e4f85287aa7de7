/** Which node holds a lease: one that comes back takes its own over. */
import type { Migration } from '../migrate.ts'

/** Adds the columns. */
export const nodes: Migration = {
  version: 8,
  statements: ({ text }) => [
    `alter table sync_runs add column lease_node ${text}`,
    `alter table sync_removals add column lease_node ${text}`,
  ],
}
