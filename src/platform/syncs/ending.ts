/** What becomes of a run when an attempt has ended. */
import { asFerruleError } from '../../errors.ts'
import { endRun, type RunEnd, releaseRun } from '../db/queries-sync-queue.ts'
import type { Parts } from '../parts.ts'
import type { Attempt, AttemptOutcome } from './attempt.ts'
import { callsOfProgress, mostFailures } from './failures.ts'
import type { SyncEntityResult, SyncError } from './records.ts'
import { keptOf, syncErrorOf } from './run-record.ts'
import type { RunState } from './states.ts'
import { nextAttemptAt } from './times.ts'

/** Thrown into a walk whose node stops. */
export const stopping = new Error('the node stops')
/** Thrown into a walk that has run for long while others wait for a turn. */
export const yielding = new Error('others wait for a turn')

/** How a run is after an attempt. */
export interface EndedAttempt {
  readonly state: RunState
  readonly error: SyncError | null
}

type Part = Pick<Parts, 'database' | 'source' | 'settings'>

const isRead = ({ state }: SyncEntityResult): boolean => state === 'complete' || state === 'changes' || state === 'partial'

/** The state of a run whose entities were all tried. An entity that the credentials do not offer is no failure of a run that has others. */
function summary(results: readonly SyncEntityResult[]): EndedAttempt & { readonly state: 'succeeded' | 'partial' | 'failed' } {
  const error = results.find(({ state }) => state === 'failed')?.error ?? results.find((each) => each.error !== null)?.error ?? null
  if (results.length > 0 && !results.some(isRead)) return { state: 'failed', error }
  const isWhole = results.every(({ state }) => state !== 'failed' && state !== 'partial')
  return isWhole ? { state: 'succeeded', error: null } : { state: 'partial', error }
}

/**
 * Stores how an attempt ended.
 * @param outcome how the walk came out, or why it was cut off
 * @returns undefined when the run is not this attempt's any more
 */
export async function endAttempt(parts: Part, attempt: Attempt, outcome: AttemptOutcome | Error): Promise<EndedAttempt | undefined> {
  const { state, error, more } = await (outcome instanceof Error ? cutOff(parts, attempt, outcome) : ended(parts, attempt, outcome))
  const { db } = parts.database
  const end: RunEnd = {
    ...keptOf(error),
    ...more,
    progress: attempt.progress.text(parts.source.clock()),
    results: JSON.stringify(attempt.results),
  }
  if (await endRun(db, attempt.lease, end)) return { state, error }
  await releaseRun(db, attempt.lease)
  return undefined
}

type More =
  | { readonly state: 'succeeded' | 'partial' | 'failed' | 'cancelled'; readonly finished_at: number; readonly failures: number }
  | { readonly state: 'queued'; readonly not_before: number | null; readonly place: number; readonly failures: number }

const finished = (
  parts: Part,
  { state, error }: EndedAttempt & { readonly state: Exclude<RunState, 'queued' | 'running'> },
  failures: number,
) => ({
  state,
  error,
  more: { state, finished_at: parts.source.clock(), failures } satisfies More,
})

/** A walk that was ended goes on elsewhere, or later; it did nothing wrong. */
function cutOff({ source }: Part, { run }: Attempt, reason: Error) {
  const now = source.clock()
  const place = reason === yielding ? now : run.place
  return {
    state: 'queued' as const,
    error: null,
    more: { state: 'queued', not_before: null, place, failures: run.failures } satisfies More,
  }
}

async function ended(parts: Part, attempt: Attempt, outcome: AttemptOutcome) {
  const { run } = attempt
  if (outcome.is === 'walked') return finished(parts, summary(attempt.results), 0)
  const { thrown } = outcome
  const error = syncErrorOf(thrown, run.connector_id)
  if (outcome.is === 'cancelled') return finished(parts, { state: 'cancelled', error }, run.failures)
  if (outcome.is === 'later') {
    const { code, retryAfterMs } = asFerruleError(thrown)
    const { calls } = attempt.progress
    // A vendor that lets some calls pass and then tells when the next one is welcome is no failure.
    const isExact = code === 'upstream_rate_limited' && retryAfterMs !== undefined && calls > 0
    const failures = calls > callsOfProgress ? 0 : run.failures + (isExact ? 0 : 1)
    if (failures < mostFailures) {
      const not_before = nextAttemptAt(parts, { failures, askedMs: retryAfterMs, isExact })
      return { state: 'queued' as const, error, more: { state: 'queued', not_before, place: run.place, failures } satisfies More }
    }
  }
  await attempt.giveUp(thrown)
  const state = outcome.is === 'failed' ? 'failed' : summary(attempt.results).state
  return finished(parts, { state, error }, run.failures)
}
