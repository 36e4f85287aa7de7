/** Runs whose node died: they go back to the queue, and on from where they stood. */
import { fail } from '../../errors.ts'
import { type Abandoned, abandonedRuns, type Leased, leasedRuns, takeAbandoned } from '../db/queries-sync-queue.ts'
import { noError, type RunRow } from '../db/queries-sync-runs.ts'
import type { Parts } from '../parts.ts'
import { mostFailures } from './failures.ts'
import { keptOf, syncErrorOf } from './run-record.ts'

/** Runs that one look takes. */
const batch = 100

/** Takes runs whose lease is over. One that has killed its nodes too often in a row fails. */
export async function takeOver({ database: { db }, source }: Pick<Parts, 'database' | 'source'>): Promise<void> {
  const now = source.clock()
  for (const run of await abandonedRuns(db, now, batch)) await takeAbandoned(db, run, nextOf(run, now))
}

/**
 * Takes runs at once whose node is known to be dead.
 */
export async function takeOverFrom({ database: { db }, source }: Pick<Parts, 'database' | 'source'>, leased: Leased) {
  for (let last = batch; last === batch; ) {
    const runs = await leasedRuns(db, leased, batch)
    for (const run of runs) await takeAbandoned(db, run, nextOf(run, source.clock()))
    last = runs.length
  }
}

function nextOf(run: RunRow, now: number): Abandoned {
  if (run.state !== 'running') return {}
  const failures = run.failures + 1
  if (failures < mostFailures) return { state: 'queued', failures, not_before: null, finished_at: null, ...noError }
  const error = fail('unavailable', { reason: 'the nodes that walked died, or stood still, one after the other' })
  return { state: 'failed', failures, not_before: null, finished_at: now, ...keptOf(syncErrorOf(error, run.connector_id)) }
}
