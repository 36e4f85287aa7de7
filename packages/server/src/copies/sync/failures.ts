/** Decides what becomes of a sync run after an error. */
import type { FerruleError } from 'ferrule'
import { errorConsequences } from 'ferrule/internal'

/**
 * `end`: the run fails, because every other call would fail too. `cancel`: nothing is left to do. `wait`: the run resumes later, because
 * every other call would fail now. `later`: the other entities are walked first. `fail`: only these entities fail.
 */
export type Consequence = 'end' | 'cancel' | 'wait' | 'later' | 'fail'

/** Returns what follows from an error of a walk. */
export function decideConsequence({ code, retryable }: FerruleError): Consequence {
  const { syncRun } = errorConsequences[code]
  if (syncRun !== 'continue') return syncRun
  return retryable ? 'later' : 'fail'
}

/** An attempt with more calls than this made progress: a repeated step has fewer calls. */
export const callsOfProgress = 50
/** Maximum number of consecutive walks with temporary failures; then the run pauses. */
export const mostFailedWalks = 3
