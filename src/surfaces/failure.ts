import { FerruleError } from '../errors.ts'

/** Exit code of a wrong setting (sysexits.h, EX_CONFIG). */
const configurationError = 78

/** What a database said, which no sentence of ours can know: PostgreSQL's errors have a severity, SQLite's a code of their own. */
const saidIn = (thrown: unknown): string | undefined =>
  thrown instanceof Error && ('severity' in thrown || 'errcode' in thrown) ? `The database says: ${thrown.message}.` : undefined

/** One sentence and the next step for a failure that has them, with what the database said; the stack of what nobody expected. */
export function failureText(thrown: unknown): string {
  if (thrown instanceof FerruleError && thrown.code !== 'internal_error')
    return [thrown.message, thrown.hint, thrown.message.includes('says:') ? undefined : saidIn(thrown.cause)].filter(Boolean).join(' ')
  const said = saidIn(thrown)
  if (said !== undefined) return `The service cannot use its database. ${said} Mend that and start again.`
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/** The exit code that a failure deserves. */
export const exitCodeOf = (thrown: unknown): number =>
  thrown instanceof FerruleError && thrown.code === 'setting_invalid' ? configurationError : 1
