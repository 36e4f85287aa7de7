import { FerruleError } from 'ferrule'
import { isServerFault, readErrorCode, ServerFault } from '../db/connections/problems.ts'

/** Exit code of a wrong setting (sysexits.h, EX_CONFIG). */
const configurationError = 78

/** Returns the message of a database error: PostgreSQL's errors have `severity`, SQLite's have `errcode`. */
const findDatabaseMessage = (thrown: unknown): string | undefined =>
  thrown instanceof Error && ('severity' in thrown || 'errcode' in thrown) ? `The database says: ${thrown.message}.` : undefined

/** Settings that name databases, by the code of the error when one does not answer. */
const databaseSettings: Readonly<Record<string, string>> = {
  unavailable: 'DATABASE_URL',
  context_store_unavailable: 'CONTEXT_DATABASE_URL',
}

/** Describes a database that does not answer, or the pooler before it; undefined for other failures. */
function describeAbsence({ code, cause }: FerruleError): string | undefined {
  const name = databaseSettings[code]
  if (name === undefined || !isServerFault(cause)) return undefined
  // Node gives no message when it tried several addresses of a name.
  const said = (cause instanceof Error ? cause.message : '') || readErrorCode(cause)
  if (cause instanceof ServerFault && cause.isReadOnly)
    return `The database that ${name} names takes no writes: it is a standby, or set to read-only. Name the primary, or let it take writes. Then start again.`
  return `The database that ${name} names does not answer: ${said}. Check that the database runs, and the pooler before it if there is one. Then start again.`
}

/** Formats a failure: its sentence, the next step and the database's message. An unexpected failure is its stack. */
export function formatFailure(thrown: unknown): string {
  const absence = thrown instanceof FerruleError ? describeAbsence(thrown) : undefined
  if (absence !== undefined) return absence
  if (thrown instanceof FerruleError && thrown.code !== 'internal_error')
    return [thrown.message, thrown.hint, thrown.message.includes('says:') ? undefined : findDatabaseMessage(thrown.cause)]
      .filter(Boolean)
      .join(' ')
  const said = findDatabaseMessage(thrown)
  if (said !== undefined) return `The service cannot use its database. ${said} Correct the cause and start again.`
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/** Returns the exit code for a failure. */
export const findExitCode = (thrown: unknown): number =>
  thrown instanceof FerruleError && thrown.code === 'setting_invalid' ? configurationError : 1
