/** Returns the runs of dead nodes to the queue; they resume there. */

import { fail } from 'ferrule/internal'
import type { Parts, Stored } from '../../main/parts.ts'
import { type Abandoned, type Leased, listAbandonedRuns, listEndedSessions, listLeasedRuns, takeAbandoned } from '../sql/sync-queue.ts'
import { noError, type RunRow } from '../sql/sync-runs.ts'
import { buildSyncError, toStoredError } from '../status/run-record.ts'
import { endedSessionMs, mostFailures } from './times.ts'

/** Runs per query. */
const batch = 100

/** Takes over runs with expired leases. A run that killed too many nodes in a row fails. */
export async function takeOver({ database: { db }, source }: Stored): Promise<void> {
  const now = source.clock()
  for (const run of await listAbandonedRuns(db, now, batch)) await takeAbandoned(db, run, decideNext(run, now))
}

/** Takes over the runs of a dead node or an ended session at once. */
export async function takeOverFrom({ database: { db }, source }: Stored, leased: Leased) {
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

/** Finds leases whose process died: the database session of the lease has ended, and its lock is free. */
export class EndedSessions {
  /** Steady-clock time at which a session's lock was first seen free. Each session has its own key, so no later session takes the lock. */
  readonly #seen = new Map<number, number>()

  /** Checks the sessions of all leases. @returns sessions whose process has certainly stopped its walks */
  async find({ database, steady }: Pick<Parts, 'database' | 'steady'>): Promise<readonly number[]> {
    if (database.dialect === 'sqlite') return [] // SQLite has one process
    const free = await listEndedSessions(database.db)
    const now = steady()
    for (const session of this.#seen.keys()) if (!free.includes(session)) this.#seen.delete(session)
    for (const session of free) if (!this.#seen.has(session)) this.#seen.set(session, now)
    return free.filter((session) => now - (this.#seen.get(session) ?? now) >= endedSessionMs)
  }
}
