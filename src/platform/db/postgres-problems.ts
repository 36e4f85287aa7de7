/** What went wrong with PostgreSQL, as errors of the table. */
import { type FerruleError, fail } from '../../errors.ts'

/** Errors after which the same statement can succeed later: lost or refused connections, shutdown, too many clients, time-outs. */
const passing = /^(08|53|57P|57014|EAI_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)/
/** `disk_full`. */
const diskFull = '53100'
const passingTexts = /timeout exceeded when trying to connect|Connection terminated|not queryable|Query read timeout/

/** An error of the table for what can pass; anything else stays as it is. */
export function translated(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null ? String(Reflect.get(error, 'code') ?? '') : ''
  const lost = passing.test(code) || (error instanceof Error && passingTexts.test(error.message))
  if (code === diskFull) return fail('unavailable', { reason: 'the disk of the database is full' }, { cause: error, retryAfterMs: 5_000 })
  return lost ? unavailable(error) : error
}
const unavailable = (cause: unknown): FerruleError =>
  fail('unavailable', { reason: 'the database does not answer' }, { cause, retryAfterMs: 1_000 })
