/** What becomes of a run after an error: one table. */
import type { ErrorCode, FerruleError } from '../../errors.ts'

/**
 * `end`: the run fails, because nothing else would work either; `cancel`: there is nothing to do any more; `wait`: it goes on later,
 * because nothing else would work now; `later`: the rest is walked first; `fail`: the entities fail, the rest is walked.
 */
export type Consequence = 'end' | 'cancel' | 'wait' | 'later' | 'fail'

const consequences: Partial<Readonly<Record<ErrorCode, Consequence>>> = {
  upstream_auth_failed: 'end',
  upstream_account_unavailable: 'end',
  credentials_unreadable: 'end',
  setting_invalid: 'end',
  connector_not_found: 'cancel',
  connector_type_not_found: 'cancel',
  workspace_inactive: 'cancel',
  upstream_rate_limited: 'wait',
  upstream_unreachable: 'wait',
  overloaded: 'wait',
  unavailable: 'wait',
  context_store_unavailable: 'wait',
}

/** What follows from an error of a walk. */
export const consequenceOf = ({ code, retryable }: FerruleError): Consequence => consequences[code] ?? (retryable ? 'later' : 'fail')

/** Attempts in a row that may come to nothing; then what is left fails, and the next run of the schedule begins anew. */
export const mostFailures = 8
/** An attempt that made more calls than this came to something: a repeated step is shorter. */
export const callsOfProgress = 50
/** Walks in a row that may fail for now; then the vendor is left alone for a while. */
export const mostFailedWalks = 3
