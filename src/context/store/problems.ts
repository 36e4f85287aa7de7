/** What a database's errors mean: lost connections, time limits, damage, and what is nobody's fault but a statement's. */
import { FerruleError, fail } from '../../errors.ts'

/** Classes and codes of PostgreSQL (appendix A), and of Node's sockets: the same statement can succeed later. */
const passing = /^(08|53|57P|58030|EAI_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)/
const passingTexts = /timeout exceeded when trying to connect|Connection terminated|not queryable|Cannot use a pool after calling end/
/** `query_canceled`: statement_timeout, or our own request to stop. */
const cancelled = '57014'
/** Data and index corruption, and files that cannot be read where they must be. */
const damage = /^(XX001|XX002|58P01)$/
const retryAfterMs = 1_000

const codeOf = (thrown: unknown): string => (typeof thrown === 'object' && thrown !== null ? String(Reflect.get(thrown, 'code') ?? '') : '')

/** Whether a connection is lost or the server takes no more work. */
export const isPassing = (thrown: unknown): boolean =>
  !(thrown instanceof FerruleError) && (passing.test(codeOf(thrown)) || (thrown instanceof Error && passingTexts.test(thrown.message)))

/** Whether a statement was stopped by a time limit. */
export const isTimeout = (thrown: unknown): boolean => codeOf(thrown) === cancelled

/** Whether the stored data is damaged. */
export const isDamage = (thrown: unknown): boolean => damage.test(codeOf(thrown))

/** An error of the table for what can pass; anything else stays as it is, because it is a fault of ours. */
export const translated = (thrown: unknown): unknown => (isPassing(thrown) || isDamage(thrown) ? unavailable(thrown) : thrown)

/** The context store does not answer. */
export const unavailable = (cause?: unknown): FerruleError =>
  fail('context_store_unavailable', {}, { retryAfterMs, ...(cause === undefined ? {} : { cause }) })
