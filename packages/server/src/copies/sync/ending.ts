/** Decides and stores what becomes of a run after an attempt. */

import { asFerruleError } from 'ferrule/internal'
import type { RunState, SyncEntityResult, SyncError } from 'ferrule/wire'
import type { Parts } from '../../main/parts.ts'
import { computeNextAttemptAt, mostFailures } from '../queue/times.ts'
import { endRun, type RunEnd, releaseRun } from '../sql/sync-queue.ts'
import { buildSyncError, toStoredError } from '../status/run-record.ts'
import type { Attempt, AttemptOutcome } from './attempt.ts'
import { callsOfProgress } from './failures.ts'

/** Aborts the walks of a stopping node. */
export const stopping = new Error('the node stops')
/** Aborts a long walk while other runs wait. */
export const yielding = new Error('others wait for a turn')

/** State of a run after an attempt. */
export interface EndedAttempt {
  readonly state: RunState
  readonly error: SyncError | null
}

type Part = Pick<Parts, 'database' | 'source' | 'settings'>

const isRead = ({ state }: SyncEntityResult): boolean => state === 'complete' || state === 'changes' || state === 'partial'

/** Returns the final state of a run. An entity that the credentials lack does not fail a run with other entities. */
function summary(results: readonly SyncEntityResult[]): EndedAttempt & { readonly state: 'succeeded' | 'partial' | 'failed' } {
  const error = results.find(({ state }) => state === 'failed')?.error ?? results.find((each) => each.error !== null)?.error ?? null
  if (results.length > 0 && !results.some(isRead)) return { state: 'failed', error }
  const isWhole = results.every(({ state }) => state !== 'failed' && state !== 'partial')
  return isWhole ? { state: 'succeeded', error: null } : { state: 'partial', error }
}

/**
 * Stores how an attempt ended.
 * @param outcome outcome of the walk, or the reason of its abort
 * @returns undefined when the attempt no longer owns the run
 */
export async function endAttempt(parts: Part, attempt: Attempt, outcome: AttemptOutcome | Error): Promise<EndedAttempt | undefined> {
  const { state, error, more } = await (outcome instanceof Error ? cutOff(parts, attempt, outcome) : ended(parts, attempt, outcome))
  const { db } = parts.database
  const end: RunEnd = {
    ...toStoredError(error),
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

/** Returns an aborted run to the queue without counting a failure. */
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
  const error = buildSyncError(thrown, run.connector_id)
  if (outcome.is === 'cancelled') return finished(parts, { state: 'cancelled', error }, run.failures)
  if (outcome.is === 'later') {
    const { code, retryAfterMs } = asFerruleError(thrown)
    const { calls } = attempt.progress
    // A vendor that answers some calls and then names the time of the next call is no failure, nor is a service whose turns are taken.
    const isNamed = code === 'overloaded' || (code === 'upstream_rate_limited' && calls > 0)
    const isExact = isNamed && retryAfterMs !== undefined
    const failures = calls > callsOfProgress ? 0 : run.failures + (isExact ? 0 : 1)
    if (failures < mostFailures) {
      const not_before = computeNextAttemptAt(parts, { failures, askedMs: retryAfterMs, isExact })
      return { state: 'queued' as const, error, more: { state: 'queued', not_before, place: run.place, failures } satisfies More }
    }
  }
  await attempt.giveUp(thrown)
  const state = outcome.is === 'failed' ? 'failed' : summary(attempt.results).state
  return finished(parts, { state, error }, run.failures)
}
