/** Translates errors of the context database: faults of the server, and damage. All others are faults of a statement. */
import { type ErrorCode, FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import { isClusterFault, isServerFault, readErrorCode } from '../../../db/connections/problems.ts'

/** Corrupted data or indexes, and missing files. */
const damage = /^(XX001|XX002|58P01)$/
const retryAfterMs = 1_000

/** Returns whether an error is one of the table with this code. */
export const hasCode = (thrown: unknown, code: ErrorCode): boolean => thrown instanceof FerruleError && thrown.code === code

/** Returns whether stored data is damaged. */
export const isDamage = (thrown: unknown): boolean => damage.test(readErrorCode(thrown))

/**
 * Translates faults of the server and damage to an error of the table. All others are bugs and stay as they are: also a write in a session
 * for searches, which is no fault of the server.
 */
export const translateError = (thrown: unknown): unknown =>
  !(thrown instanceof FerruleError) && (isServerFault(thrown, false) || isClusterFault(thrown) || isDamage(thrown))
    ? unavailable(thrown)
    : thrown

/** Creates the error for a context store that does not answer. */
export const unavailable = (cause?: unknown): FerruleError => fail('context_store_unavailable', {}, { retryAfterMs, cause })
