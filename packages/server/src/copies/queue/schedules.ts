/** Queues the runs of schedules. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Kind } from 'ferrule/definition'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { toConnectorRef } from '../../values/access.ts'
import { firstId } from '../../values/ids.ts'
import type { CopyHolder } from '../sql/sync-copies.ts'
import {
  hasDueSchedule,
  listConnectorsWithoutSchedule,
  listSchedules,
  listUnfinishedRuns,
  lockDueConnector,
  lockScheduledConnector,
  type ScheduledConnector,
  saveSchedule,
} from '../sql/sync-runs.ts'
import { type EntityGroup, listGroups, listScheduledEntities, readWantedEntities } from '../status/groups.ts'
import { beginSyncs, isLeft, type QueueParts, queueRun } from './queue.ts'
import { computeNextRunAt } from './times.ts'

type ScheduleParts = QueueParts & Pick<Parts, 'database'>

/** Connectors per batch, and per query. */
const batch = 100

/**
 * Queues due runs. Each connector has its own transaction, which skips those that other nodes have locked. Yields between connectors,
 * because the embedded database blocks the event loop.
 */
export async function runSchedules(parts: ScheduleParts): Promise<void> {
  const { database, source } = parts
  if (!(await hasDueSchedule(database.db, source.clock()))) return
  for (let more = true, queued = 0; more && queued < batch; queued += 1) {
    more = await database.transaction(async (db) => {
      const connector = await lockDueConnector(db, source.clock())
      if (connector !== undefined) await queueDue(parts, db, connector)
      return connector !== undefined
    })
    await yieldToEventLoop()
  }
}

async function queueDue(parts: ScheduleParts, db: Db, connector: ScheduledConnector): Promise<void> {
  const ref = toConnectorRef(connector)
  const now = parts.source.clock()
  const schedules = await listSchedules(db, ref)
  const due = schedules.filter(({ next_run_at }) => next_run_at !== null && next_run_at <= now)
  for (const schedule of due) await saveSchedule(db, { ...schedule, next_run_at: computeNextRunAt(parts, schedule) })
  const groups = listUsedGroups(connector, await parts.kinds.find(connector, db))
  const entities = await filterFree(db, connector, new Set(due.flatMap((each) => listScheduledEntities(each, schedules, groups))))
  if (entities.size === 0) return
  const isAll = groups.every((group) => group.entities.every((entity) => entities.has(entity)))
  await queueRun(parts, db, { ref, wish: { mode: 'incremental', cause: 'schedule', entities: isAll ? null : [...entities] } })
}

/** Returns the groups of a connector; none where its workspace is inactive or deleted. */
function listUsedGroups(connector: ScheduledConnector, kind: Kind | undefined): readonly EntityGroup[] {
  if (kind === undefined || connector.workspace_status !== 'active' || connector.deleted_at !== null) return []
  return listGroups(kind.definition, readWantedEntities(kind, connector))
}

/** Filters the entities that no started run has left. For the others the next interval is soon enough. */
async function filterFree(db: Db, connector: ScheduledConnector, entities: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const begun = (await listUnfinishedRuns(db, toConnectorRef(connector))).filter(({ attempts }) => attempts > 0)
  return new Set([...entities].filter((entity) => !begun.some((run) => isLeft(run, entity))))
}

/**
 * Stores the missing schedule and first run of connectors of an older version, or of a kind that became searchable. Reads all connectors: the
 * start of each node is often enough, because a running version stores the schedules of all its kinds.
 */
export async function scheduleMissing(parts: Pick<Parts, 'settings' | 'database' | 'source' | 'kinds'>): Promise<void> {
  const { database } = parts
  const kinds = parts.kinds.served.listCopied()
  if (kinds.length === 0) return
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const rows: readonly CopyHolder[] = await listConnectorsWithoutSchedule(database.db, kinds, { after, limit: batch })
    for (const row of rows) {
      await database.transaction(async (db) => {
        if ((await lockScheduledConnector(db, row.id)) === undefined) return
        if ((await listSchedules(db, toConnectorRef(row))).length === 0) await beginSyncs(parts, db, row)
      })
      await yieldToEventLoop()
    }
    after = rows.length === batch ? rows.at(-1)?.id : undefined
  }
}
