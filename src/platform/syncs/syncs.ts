/** Filling the context store, as a service. */
import { setImmediate as turn } from 'node:timers/promises'
import { fail } from '../../errors.ts'
import { addToCopy, forgetCopies, holdersOfKinds } from '../db/queries-sync-copies.ts'
import { deleteRunsBefore, findRun } from '../db/queries-sync-runs.ts'
import type { Parts } from '../parts.ts'
import { requireScope } from '../scopes.ts'
import type { ConnectorPlace, Principal } from '../types.ts'
import { findFor } from './found.ts'
import { keptEntities } from './groups.ts'
import { placeOf, queueRun, wantedOf } from './queue.ts'
import type { SyncRunRecord } from './records.ts'
import { createRefreshing } from './refreshing.ts'
import { createRequests, foundRun, withConnector } from './requests.ts'
import { runRecordOf } from './run-record.ts'
import { isFinished } from './states.ts'
import { statusOf } from './status.ts'
import type { RunIds, Syncs } from './types.ts'
import type { Watching } from './watching.ts'

/** How long runs that have ended are kept: 7 days. */
const retentionMs = 7 * 24 * 60 * 60 * 1_000
/** Rows in one statement, and connectors between two looks. */
const batch = 100
const firstId = '00000000-0000-0000-0000-000000000000'

/** Builds the service. */
export function createSyncs(parts: Parts, watching: Watching): Syncs {
  const watchRun: Syncs['watchRun'] = (principal, run, signal) => watchedRun({ parts, watching }, { principal, ...run }, signal)
  return {
    ...createRequests(parts),
    ...createRefreshing({ parts, watching }),
    status: async (principal, id) => {
      requireScope(principal, 'connectors:read')
      return statusOf(parts, principal, id)
    },
    watchRun,
    watchStatus: (principal, id, signal) => watchedStatus({ parts, watching }, { principal, connectorId: id }, signal),
    waitFor: async (principal, run, signal) => {
      let last: SyncRunRecord | undefined
      for await (const record of watchRun(principal, run, signal)) last = record
      if (last === undefined) throw fail('sync_not_found', {})
      return last
    },
    addRecords: (place, change) => addRecords(parts, place, change),
    refill: (kind) => refill(parts, kind),
    purgeExpired: (now) => purgeExpired(parts, now),
  }
}

interface WatchParts {
  readonly parts: Parts
  readonly watching: Watching
}
interface Target {
  readonly principal: Principal
  readonly connectorId: string
}

/** A run that its connector was removed from meanwhile is still told of until its end. */
async function* watchedRun(
  { parts, watching }: WatchParts,
  { principal, connectorId, runId }: Target & RunIds,
  signal: AbortSignal,
): AsyncGenerator<SyncRunRecord, void, undefined> {
  requireScope(principal, 'connectors:read')
  const { place, row } = await findFor(parts, principal, connectorId)
  const { id: known } = await foundRun(parts, { place }, runId)
  using watcher = watching.watch(row.id)
  for (let version = -1; ; ) {
    await watcher.next({ signal })
    const run = await findRun(parts.database.db, place, known)
    if (run === undefined) return
    if (run.version !== version) yield runRecordOf(run)
    if (isFinished(run.state)) return
    version = run.version
  }
}

async function* watchedStatus({ parts, watching }: WatchParts, { principal, connectorId }: Target, signal: AbortSignal) {
  requireScope(principal, 'connectors:read')
  const { row } = await findFor(parts, principal, connectorId)
  using watcher = watching.watch(row.id)
  for (;;) {
    await watcher.next({ signal })
    yield await statusOf(parts, principal, row.id)
  }
}

async function addRecords({ database: { db }, onBackgroundError }: Parts, place: ConnectorPlace, change: ReadonlyMap<string, number>) {
  for (const [entity, by] of change) await addToCopy(db, { ...place, entity }, by).catch(onBackgroundError)
}

/** What was known of the copies is forgotten with them. Nothing has to be removed: the store is empty. */
async function refill(parts: Parts, only: string | undefined): Promise<number> {
  const kinds = parts.catalogue
    .list()
    .map(({ connector_type }) => connector_type)
    .filter((slug) => (only === undefined || slug === only) && keptEntities(parts.catalogue.kindOf(slug).definition).length > 0)
  let filled = 0
  for (let after: string | undefined = kinds.length === 0 ? undefined : firstId; after !== undefined; ) {
    const rows = await holdersOfKinds(parts.database.db, kinds, { after, limit: batch })
    for (const row of rows.filter((each) => wantedOf(parts, each).length > 0)) {
      await withConnector(parts, { view: { organizationId: row.organization_id, workspaceId: null }, id: row.id }, async (db) => {
        await forgetCopies(db, placeOf(row), null)
        await queueRun(parts, db, { place: placeOf(row), wish: { mode: 'full', cause: 'changed', entities: null } })
      }).catch(parts.onBackgroundError) // it was removed meanwhile
      filled += 1
      await turn()
    }
    after = rows.length === batch ? rows.at(-1)?.id : undefined
  }
  parts.events.emit('queued')
  return filled
}

/** Removes until there is nothing left. The embedded database works on the event loop, so others get their turn in between. */
async function purgeExpired({ database: { db } }: Parts, now: number): Promise<number> {
  let removed = 0
  for (let last = batch; last === batch; removed += last) {
    last = await deleteRunsBefore(db, now - retentionMs, batch)
    await turn()
  }
  return removed
}
