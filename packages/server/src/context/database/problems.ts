/** Classifies errors of a database: lost connections, timeouts, damage; all others are faults of a statement. */

import { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'

/** Error classes and codes of PostgreSQL (appendix A) and of Node's sockets after which a retry can succeed. */
const passing = /^(08|53|57P|58030|EAI_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)/
const passingTexts =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|Cannot use a pool after calling end|Query read timeout/
/** `query_canceled`: statement_timeout, or a cancellation by this service. */
const cancelled = '57014'
/** Corrupted data or indexes, and missing files. */
const damage = /^(XX001|XX002|58P01)$/
const retryAfterMs = 1_000

/** Reads the code of an error of PostgreSQL or of Node; empty without one. */
export const readErrorCode = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null ? String(Reflect.get(thrown, 'code') ?? '') : ''

/** Returns whether a connection was lost or the server accepts no more work. */
export const isTransient = (thrown: unknown): boolean =>
  !(thrown instanceof FerruleError) &&
  (passing.test(readErrorCode(thrown)) || (thrown instanceof Error && passingTexts.test(thrown.message)))

/** Returns whether a timeout stopped a statement. */
export const isTimeout = (thrown: unknown): boolean => readErrorCode(thrown) === cancelled

/** Returns whether stored data is damaged. */
export const isDamage = (thrown: unknown): boolean => damage.test(readErrorCode(thrown))

/** Translates transient errors and damage to an error of the table. All others are bugs and stay as they are. */
export const translateError = (thrown: unknown): unknown => (isTransient(thrown) || isDamage(thrown) ? unavailable(thrown) : thrown)

/** Creates the error for a context store that does not answer. */
export const unavailable = (cause?: unknown): FerruleError =>
  fail('context_store_unavailable', {}, { retryAfterMs, ...(cause === undefined ? {} : { cause }) })
