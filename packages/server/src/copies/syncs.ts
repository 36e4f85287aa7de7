/** Builds the service that fills the context store. */

import { setImmediate as turn } from 'node:timers/promises'
import { fail } from 'ferrule/internal'
import type { SyncRunRecord } from 'ferrule/wire'
import type { Parts } from '../main/parts.ts'
import { type ConnectorPlace, type Principal, viewOrganization } from '../values/access.ts'
import { firstId } from '../values/ids.ts'
import { requireScope } from '../values/scopes.ts'
import { createOverviews } from './overview.ts'
import { queueRun } from './queue/queue.ts'
import { createRefreshing } from './queue/refreshing.ts'
import { createRequests, requireRun, withConnector } from './queue/requests.ts'
import { isFinished } from './sql/run-states.ts'
import { addCopyRecords, deleteCopies, listHolders } from './sql/sync-copies.ts'
import { deleteRunsBefore, findRun } from './sql/sync-runs.ts'
import { readWantedEntities, toConnectorPlace } from './status/connector-rows.ts'
import { readConnectorStatus } from './status/connector-status.ts'
import { listCopiedEntities } from './status/groups.ts'
import { toRunRecord } from './status/run-record.ts'
import { findSyncedConnector, type StatusParts } from './status/status-facts.ts'
import type { Watching } from './status/watching.ts'
import type { RunIds, Syncs } from './sync-types.ts'

/** Retention of finished runs, in milliseconds: 7 days. */
const retentionMs = 7 * 24 * 60 * 60 * 1_000
/** Rows per statement, and connectors per query. */
const batch = 100

/** Builds the service. */
export function createSyncs(parts: StatusParts, watching: Watching): Syncs {
  const watchRun: Syncs['watchRun'] = (principal, run, signal) => watchRunRecords({ parts, watching }, { principal, ...run }, signal)
  return {
    ...createRequests(parts),
    ...createOverviews(parts),
    ...createRefreshing({ parts, watching }),
    status: async (principal, id) => {
      requireScope(principal, 'connectors:read')
      return readConnectorStatus(parts, principal, id)
    },
    watchRun,
    watchStatus: (principal, id, signal) => watchStatusRecords({ parts, watching }, { principal, connectorId: id }, signal),
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
  readonly parts: StatusParts
  readonly watching: Watching
}
interface Target {
  readonly principal: Principal
  readonly connectorId: string
}

/** Keeps reporting a run after its connector is deleted, until the run ends. */
async function* watchRunRecords(
  { parts, watching }: WatchParts,
  { principal, connectorId, runId }: Target & RunIds,
  signal: AbortSignal,
): AsyncGenerator<SyncRunRecord, void, undefined> {
  requireScope(principal, 'connectors:read')
  const { place, row } = await findSyncedConnector(parts, principal, connectorId)
  const { id: known } = await requireRun(parts, { place }, runId)
  using watcher = watching.watch(row.id)
  for (let version = -1; ; ) {
    await watcher.next({ signal })
    const run = await findRun(parts.database.db, place, known)
    if (run === undefined) return
    if (run.version !== version) yield toRunRecord(run)
    if (isFinished(run.state)) return
    version = run.version
  }
}

async function* watchStatusRecords({ parts, watching }: WatchParts, { principal, connectorId }: Target, signal: AbortSignal) {
  requireScope(principal, 'connectors:read')
  const { row } = await findSyncedConnector(parts, principal, connectorId)
  using watcher = watching.watch(row.id)
  for (;;) {
    await watcher.next({ signal })
    yield await readConnectorStatus(parts, principal, row.id)
  }
}

async function addRecords({ database: { db }, onBackgroundError }: Parts, place: ConnectorPlace, change: ReadonlyMap<string, number>) {
  for (const [entity, by] of change) await addCopyRecords(db, { ...place, entity }, by).catch(onBackgroundError)
}

/** Deletes the rows of the copies and queues full runs. The store is empty, so no removals are needed. */
async function refill(parts: Parts, only: string | undefined): Promise<number> {
  const kinds = parts.catalogue
    .list()
    .map(({ connector_type }) => connector_type)
    .filter((slug) => (only === undefined || slug === only) && listCopiedEntities(parts.catalogue.getKind(slug).definition).length > 0)
  let filled = 0
  for (let after: string | undefined = kinds.length === 0 ? undefined : firstId; after !== undefined; ) {
    const rows = await listHolders(parts.database.db, kinds, { after, limit: batch })
    for (const row of rows.filter((each) => readWantedEntities(parts, each).length > 0)) {
      await withConnector(parts, { view: viewOrganization(row.organization_id), id: row.id }, async (db) => {
        await deleteCopies(db, toConnectorPlace(row), null)
        await queueRun(parts, db, { place: toConnectorPlace(row), wish: { mode: 'full', cause: 'changed', entities: null } })
      }).catch(parts.onBackgroundError) // deleted in the meantime
      filled += 1
      await turn()
    }
    after = rows.length === batch ? rows.at(-1)?.id : undefined
  }
  parts.events.emit('queued')
  return filled
}

/** Deletes in batches until nothing is left. Yields between batches, because the embedded database blocks the event loop. */
async function purgeExpired({ database: { db } }: Pick<Parts, 'database'>, now: number): Promise<number> {
  let removed = 0
  for (let last = batch; last === batch; removed += last) {
    last = await deleteRunsBefore(db, now - retentionMs, batch)
    await turn()
  }
  return removed
}
