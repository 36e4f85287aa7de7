/** Adds the indexes of lists over the connectors of an organization. */
import type { Migration } from './migration.ts'

/** Adds the indexes. Without them a page of a rare kind, or of unfinished runs, reads all connectors or runs of the organization. */
export const lists: Migration = {
  version: 22,
  statements: () => [
    'create index connectors_of_kind on connectors (organization_id, kind, id)',
    'create index sync_runs_of_organization on sync_runs (organization_id, id) where finished_at is null',
  ],
}
