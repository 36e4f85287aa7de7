/** Lets a node hold a creation while it runs, so that a repeat on another node waits. */
import type { Migration } from './migration.ts'

/** Adds the node's attempt and the end of its lease. */
export const creationLeases: Migration = {
  version: 23,
  statements: ({ text, moment }) => [
    `alter table connector_creations add column owner ${text} not null default ''`,
    `alter table connector_creations add column busy_until ${moment} not null default 0`,
  ],
}
