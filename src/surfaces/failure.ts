import { FerruleError } from '../errors.ts'

/** Exit code of a wrong setting (sysexits.h, EX_CONFIG). */
const configurationError = 78

/** One sentence and the next step for a failure that has them; the stack of what nobody expected. */
export function failureText(thrown: unknown): string {
  if (thrown instanceof FerruleError && thrown.code !== 'internal_error') return `${thrown.message} ${thrown.hint}`
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/** The exit code that a failure deserves. */
export const exitCodeOf = (thrown: unknown): number =>
  thrown instanceof FerruleError && thrown.code === 'setting_invalid' ? configurationError : 1
