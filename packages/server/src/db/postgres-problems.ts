/** Translates errors of PostgreSQL to errors of the table. */

import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { isConflict, isServerFault, isTimeout, readErrorCode, ServerFault } from './connections/problems.ts'

/** `disk_full`. */
const diskFull = '53100'
/** `too_many_connections`. */
const noConnection = '53300'

function describeFault(thrown: unknown): string {
  if (readErrorCode(thrown) === diskFull) return 'the disk of the database is full'
  if (readErrorCode(thrown) === noConnection) return 'the database has no connection left'
  if (isConflict(thrown)) return 'transactions of the database conflict'
  if (!(thrown instanceof ServerFault)) return 'the database does not answer'
  if (thrown.isReadOnly) return 'the database takes no writes'
  return thrown.isRefusedUser ? 'the database refuses the user or the password' : 'the database does not answer'
}

/** Translates temporary errors; returns other errors unchanged. */
export function translated(error: unknown): unknown {
  return isServerFault(error) || isTimeout(error) || isConflict(error) ? unavailable(error) : error
}
const unavailable = (cause: unknown): FerruleError =>
  fail('unavailable', { reason: describeFault(cause) }, { cause, retryAfterMs: readErrorCode(cause) === diskFull ? 5_000 : 1_000 })
