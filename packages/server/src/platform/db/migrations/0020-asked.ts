/** Adds to runs what searches wait for. */
import type { Migration } from './migration.ts'

/** Adds the column. The node that walks a connector reads it with each renewal of its lease. */
export const asked: Migration = {
  version: 20,
  statements: ({ text }) => [`alter table sync_runs add column asked ${text}`],
}
