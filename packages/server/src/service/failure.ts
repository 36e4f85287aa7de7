import { FerruleError } from 'ferrule'

/** Exit code of a wrong setting (sysexits.h, EX_CONFIG). */
const configurationError = 78

/** Returns the message of a database error: PostgreSQL's errors have `severity`, SQLite's have `errcode`. */
const findDatabaseMessage = (thrown: unknown): string | undefined =>
  thrown instanceof Error && ('severity' in thrown || 'errcode' in thrown) ? `The database says: ${thrown.message}.` : undefined

/** Formats a failure: its sentence, the next step and the database's message. An unexpected failure is its stack. */
export function formatFailure(thrown: unknown): string {
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
