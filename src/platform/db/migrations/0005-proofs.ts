/** Credentials that have proven themselves to their vendor. */
import type { Migration } from '../migrate.ts'

/** Adds the column for it: a keyed digest of the credentials, or null. */
export const proofs: Migration = {
  version: 5,
  statements: ({ text }) => [`alter table connectors add column proof ${text}`],
}
