/** Translates errors of PostgreSQL to errors of the table. */

import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { isTimeout, isTransient, readErrorCode } from '../../context/database/problems.ts'

/** `disk_full`. */
const diskFull = '53100'

/** Translates temporary errors; returns other errors unchanged. */
export function translated(error: unknown): unknown {
  if (readErrorCode(error) === diskFull)
    return fail('unavailable', { reason: 'the disk of the database is full' }, { cause: error, retryAfterMs: 5_000 })
  return isTransient(error) || isTimeout(error) ? unavailable(error) : error
}
const unavailable = (cause: unknown): FerruleError =>
  fail('unavailable', { reason: 'the database does not answer' }, { cause, retryAfterMs: 1_000 })
