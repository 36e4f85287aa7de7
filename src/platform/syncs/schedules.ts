/** Schedules: what is due is queued, and comes again after its interval. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../db/database.ts'
import { unfinishedRuns } from '../db/queries-sync-runs.ts'
import {
  claimConnector,
  connectorsWithoutSchedule,
  dueConnectors,
  keepSchedule,
  type ScheduledConnector,
  type ScheduleRow,
  schedulesOf,
} from '../db/queries-sync-schedules.ts'
import type { Parts } from '../parts.ts'
import { type EntityGroup, groupsOf, keptEntities } from './groups.ts'
import { beginSyncs, kindOfRow, placeOf, queueRun, wantedOf } from './queue.ts'
import { nextRunAt } from './times.ts'

/** Connectors that one look takes. */
const batch = 100

/**
 * Queues what is due. Each connector has a transaction of its own; one that another node looks at is passed over. The embedded database
 * works on the event loop, so others get their turn in between.
 */
export async function runSchedules(parts: Parts): Promise<void> {
  const { database, source } = parts
  const due = await dueConnectors(database.db, source.clock(), batch)
  for (const id of new Set(due.map(({ connector_id }) => connector_id))) {
    await database.transaction(async (db) => {
      const connector = await claimConnector(db, id)
      if (connector !== undefined) await queueDue(parts, db, connector)
    })
    await turn()
  }
}

async function queueDue(parts: Parts, db: Db, connector: ScheduledConnector): Promise<void> {
  const place = placeOf(connector)
  const now = parts.source.clock()
  const schedules = await schedulesOf(db, place)
  const due = schedules.filter(({ next_run_at }) => next_run_at !== null && next_run_at <= now)
  for (const schedule of due) await keepSchedule(db, { ...schedule, next_run_at: nextRunAt(parts, schedule.interval_seconds) })
  const groups = usedGroups(parts, connector)
  const entities = new Set(due.flatMap((schedule) => entitiesUnder(schedule, schedules, groups)))
  if (entities.size === 0 || (await isUnderWay(db, connector, entities))) return
  const isAll = groups.every((group) => group.entities.every((entity) => entities.has(entity)))
  await queueRun(parts, db, { place, wish: { mode: 'incremental', cause: 'schedule', entities: isAll ? null : [...entities] } })
}

/** The groups of a connector that executes; none where its workspace is inactive or removed. */
function usedGroups(parts: Parts, connector: ScheduledConnector): readonly EntityGroup[] {
  const kind = kindOfRow(parts, connector.kind)
  if (kind === undefined || connector.workspace_status !== 'active' || connector.deleted_at !== null) return []
  return groupsOf(kind.definition, wantedOf(parts, connector))
}

/** The entities that a schedule is for: those of its group, or of all groups that have none of their own. */
export function entitiesUnder(
  { entity }: Pick<ScheduleRow, 'entity'>,
  schedules: readonly Pick<ScheduleRow, 'entity'>[],
  groups: readonly EntityGroup[],
): readonly string[] {
  const own = new Set(schedules.map((schedule) => schedule.entity))
  return groups.filter(({ name }) => (entity === '' ? !own.has(name) : name === entity)).flatMap(({ entities }) => entities)
}

/** Whether a run that has begun brings all of these: the next one of the schedule is soon enough then. */
async function isUnderWay(db: Db, connector: ScheduledConnector, entities: ReadonlySet<string>): Promise<boolean> {
  const begun = (await unfinishedRuns(db, placeOf(connector))).filter(({ attempts }) => attempts > 0)
  return begun.some((run) => {
    const brought: readonly string[] | null = run.entities === null ? null : JSON.parse(run.entities)
    return brought === null || [...entities].every((entity) => brought.includes(entity))
  })
}

/** Gives connectors their schedule and their first run that have none: those of an older version, or of a kind that had no search. */
export async function scheduleMissing(parts: Parts): Promise<void> {
  const { catalogue, database } = parts
  const kinds = catalogue
    .list()
    .map(({ connector_type }) => connector_type)
    .filter((slug) => keptEntities(catalogue.kindOf(slug).definition).length > 0)
  if (kinds.length === 0) return
  for (let more = true; more; ) {
    const rows = await connectorsWithoutSchedule(database.db, kinds, batch)
    for (const row of rows) {
      await database.transaction(async (db) => {
        if ((await claimConnector(db, row.id)) === undefined) return
        if ((await schedulesOf(db, placeOf(row))).length === 0) await beginSyncs(parts, db, row)
      })
      await turn()
    }
    more = rows.length === batch
  }
}
