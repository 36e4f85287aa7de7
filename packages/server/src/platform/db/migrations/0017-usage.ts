/** Adds counts of calls over time. */
import { usageBins } from '../usage-schema.ts'
import type { Migration } from './migration.ts'

/**
 * Adds the table. A call is counted for its organization, its workspace and its connector, so that each is read without a sum over
 * connectors. Counts are only ever added to, so nodes need no lock. Counts of a deleted connector stay until they expire.
 */
export const usage: Migration = {
  version: 17,
  statements: ({ id, text, moment, end }) => [
    `create table usage_counts (
      organization_id ${id} not null references organizations (id) on delete cascade,
      scope_id ${id} not null,
      step ${moment} not null,
      time ${moment} not null,
      code ${text} not null,
      ${usageBins.map((bin) => `${bin} ${moment} not null`).join(', ')},
      primary key (organization_id, scope_id, step, time, code)
    )${end}`,
    'create index usage_counts_by_age on usage_counts (step, time)',
  ],
}
