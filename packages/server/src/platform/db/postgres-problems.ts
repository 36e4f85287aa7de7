/** Translates errors of PostgreSQL to errors of the table. */

import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'

/** Temporary errors: lost or refused connections, shutdown, too many clients, timeouts. */
const passing = /^(08|53|57P|57014|EAI_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)/
/** `disk_full`. */
const diskFull = '53100'
const passingTexts = /timeout exceeded when trying to connect|Connection terminated|not queryable|Query read timeout/

/** Translates temporary errors; returns other errors unchanged. */
export function translated(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null ? String(Reflect.get(error, 'code') ?? '') : ''
  const lost = passing.test(code) || (error instanceof Error && passingTexts.test(error.message))
  if (code === diskFull) return fail('unavailable', { reason: 'the disk of the database is full' }, { cause: error, retryAfterMs: 5_000 })
  return lost ? unavailable(error) : error
}
const unavailable = (cause: unknown): FerruleError =>
  fail('unavailable', { reason: 'the database does not answer' }, { cause, retryAfterMs: 1_000 })
