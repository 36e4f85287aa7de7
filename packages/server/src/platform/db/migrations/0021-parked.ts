/** Keeps runs that cannot start out of the queue's index. */
import type { Migration } from './migration.ts'

/** Adds the column, and takes parked runs out of the index: a claim would read over them each time. */
export const parked: Migration = {
  version: 21,
  statements: ({ moment }) => [
    `alter table sync_runs add column parked_until ${moment}`,
    'drop index sync_runs_queue',
    "create index sync_runs_queue on sync_runs (place, id) where state = 'queued' and not_before is null and parked_until is null",
    'create index sync_runs_parked on sync_runs (parked_until) where parked_until is not null',
  ],
}
