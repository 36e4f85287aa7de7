/** Explains what a user may not do in a database, with the statement that lets it. */
import { readErrorCode } from './problems.ts'

/** `insufficient_privilege`, and `invalid_schema_name` where no schema of the search path can be used. */
const missing: readonly string[] = ['42501', '3F000']

/** Explains an error of creating tables, functions or extensions; undefined for other errors. */
export function explainRights(thrown: unknown): string | undefined {
  if (!missing.includes(readErrorCode(thrown)) || !(thrown instanceof Error)) return undefined
  return `the server says: ${thrown.message}; let the owner of the database run \`grant usage, create on schema public to\` the user of the URL, or name the user that owns the tables`
}
