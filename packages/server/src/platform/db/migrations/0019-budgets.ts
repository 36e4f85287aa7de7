/** Adds the budgets of vendors, which nodes share. */
import type { Migration } from './migration.ts'

/** Adds the table. It has no second index, so that PostgreSQL can change a row in place: rows change about twice a second. */
export const budgets: Migration = {
  version: 19,
  statements: ({ text, moment, end }) => [
    `create table vendor_budgets (
      key ${text} primary key,
      version ${moment} not null,
      state ${text} not null,
      used_at ${moment} not null
    )${end}`,
  ],
}
