/** Returns the runs of dead nodes to the queue; they resume there. */

import { fail } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import { type Abandoned, type Leased, listAbandonedRuns, listLeasedRuns, takeAbandoned } from '../sql/sync-queue.ts'
import { noError, type RunRow } from '../sql/sync-runs.ts'
import { buildSyncError, toStoredError } from '../status/run-record.ts'
import { mostFailures } from './times.ts'

/** Runs per query. */
const batch = 100

/** Takes over runs with expired leases. A run that killed too many nodes in a row fails. */
export async function takeOver({ database: { db }, source }: Pick<Parts, 'database' | 'source'>): Promise<void> {
  const now = source.clock()
  for (const run of await listAbandonedRuns(db, now, batch)) await takeAbandoned(db, run, decideNext(run, now))
}

/** Takes over the runs of a dead node or an ended session at once. */
export async function takeOverFrom({ database: { db }, source }: Pick<Parts, 'database' | 'source'>, leased: Leased) {
  for (let last = batch; last === batch; ) {
    const runs = await listLeasedRuns(db, leased, batch)
    for (const run of runs) await takeAbandoned(db, run, decideNext(run, source.clock()))
    last = runs.length
  }
}

function decideNext(run: RunRow, now: number): Abandoned {
  if (run.state !== 'running') return {}
  const failures = run.failures + 1
  if (failures < mostFailures) return { state: 'queued', failures, not_before: null, finished_at: null, ...noError }
  const error = fail('unavailable', { reason: 'the nodes that walked died, or stood still, one after the other' })
  return { state: 'failed', failures, not_before: null, finished_at: now, ...toStoredError(buildSyncError(error, run.connector_id)) }
}
