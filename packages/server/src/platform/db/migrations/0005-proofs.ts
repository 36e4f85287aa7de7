/** Adds the proof of accepted credentials. */
import type { Migration } from './migration.ts'

/** Adds the column: a keyed digest of the credentials, or null. */
export const proofs: Migration = {
  version: 5,
  statements: ({ text }) => [`alter table connectors add column proof ${text}`],
}
