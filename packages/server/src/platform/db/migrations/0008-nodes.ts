/** Stores the node of a lease, so that a restarted node takes over its own leases. */
import type { Migration } from './migration.ts'

/** Adds the columns. */
export const nodes: Migration = {
  version: 8,
  statements: ({ text }) => [
    `alter table sync_runs add column lease_node ${text}`,
    `alter table sync_removals add column lease_node ${text}`,
  ],
}
