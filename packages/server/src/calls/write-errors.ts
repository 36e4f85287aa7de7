/** Decides what an error says about a write: nothing was written, or the outcome must be stored. */

import { FerruleError } from 'ferrule'
import { errorConsequences, isNeverSent } from 'ferrule/internal'

/** Returns whether nothing was written. The Idempotency-Key is then released, and the same call runs again. */
export const meansNothingHappened = (error: FerruleError): boolean =>
  errorConsequences[error.code].idempotencyKey === 'freed' || isNeverSent(error)

const keptHint =
  'It is not known whether the write happened. Look at the vendor before you write again: this Idempotency-Key gives this answer for 24 hours, a new one writes again.'

/** Returns the error to store. The same key always gets the same answer, so the error is not retryable. */
export function keptError(error: FerruleError): FerruleError {
  if (!error.retryable) return error
  const { code, message, errors, upstream, headers, cause } = error
  const details = { errors, headers, cause, retryable: false, ...(upstream === undefined ? {} : { upstream }) }
  return new FerruleError(code, { message, hint: keptHint }, details)
}
