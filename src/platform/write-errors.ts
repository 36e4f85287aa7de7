/** What the error of a write says about the write: that nothing happened, or that its outcome has to be kept. */
import { isNeverSent } from '../engine/unsent.ts'
import { type ErrorCode, FerruleError } from '../errors.ts'

/**
 * Errors that mean that the vendor did nothing: the key is freed, so that the same call runs anew. All others are kept: a refusal by
 * the vendor is final, and where the outcome is not known the write must not be sent a second time.
 */
const nothingHappened: ReadonlySet<string> = new Set<ErrorCode>([
  // Refused before anything was sent.
  'entity_not_found',
  'action_not_supported',
  'missing_parameter',
  'invalid_parameter',
  'validation_failed',
  'statement_not_allowed',
  'request_id_conflict',
  'idempotency_key_in_flight',
  'unsupported_in_local_mode',
  'credentials_mismatch',
  'credentials_unreadable',
  'connector_not_found',
  'workspace_inactive',
  'context_store_unavailable',
  'overloaded',
  'unavailable',
  'definition_invalid',
  'setting_invalid',
  // Refused by the vendor before it looked at the write.
  'upstream_auth_failed',
  'upstream_permission_denied',
  'upstream_account_unavailable',
  'upstream_rate_limited',
])

/** Whether an error means that nothing was written. */
export const meansNothingHappened = (error: FerruleError): boolean => nothingHappened.has(error.code) || isNeverSent(error)

const keptHint =
  'It is not known whether the write happened. Look at the vendor before you write again: this Idempotency-Key gives this answer for 24 hours, a new one writes again.'

/** An error as it is kept: with the same key the same answer comes, so it is not retryable and names no time to wait. */
export function keptError(error: FerruleError): FerruleError {
  if (!error.retryable) return error
  const { code, message, errors, upstream, headers, cause } = error
  const details = { errors, headers, cause, retryable: false, ...(upstream === undefined ? {} : { upstream }) }
  return new FerruleError(code, { message, hint: keptHint }, details)
}
