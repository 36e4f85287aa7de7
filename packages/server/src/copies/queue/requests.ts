/** Requests, lists, cancels and restarts runs for clients. */
import type { Problem } from 'ferrule'
import { fail, failValidation } from 'ferrule/internal'
import { resetInput, type SyncRunRecord, type SyncScheduleRecord, scheduleInput, syncInput, syncQuery } from 'ferrule/wire'
import { holdConnector, requireConnector } from '../../connectors/sql/connectors.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import type { PrincipalView, RequestedId } from '../../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../../values/cursor.ts'
import { asId } from '../../values/ids.ts'
import { readBody, readQuery } from '../../values/read.ts'
import { requireScope } from '../../values/scopes.ts'
import { failInactive } from '../../values/workspace-names.ts'
import { cancelRuns, findRun, listRuns, listUnfinishedRuns, type RunRow } from '../sql/sync-runs.ts'
import { deleteSchedule, listSchedules, type ScheduleRow, saveSchedule } from '../sql/sync-schedules.ts'
import { toScheduleRecords } from '../status/connector-status.ts'
import { expandToGroups, listCopiedEntities } from '../status/groups.ts'
import { readEntities, toRunRecord } from '../status/run-record.ts'
import { findSyncedConnector, type SyncedConnector, toSyncedConnector } from '../status/status-facts.ts'
import type { Syncs } from '../sync-types.ts'
import { emptyCopies, queueRun, type RunWish } from './queue.ts'
import { computeFirstRunAt } from './times.ts'

/** Builds the methods that clients use. */
export const createRequests = (parts: Parts): Pick<Syncs, 'request' | 'list' | 'get' | 'cancel' | 'setSchedule' | 'reset'> => ({
  request: (principal, id, body) => request(parts, { principal, id }, body),
  list: async (principal, id, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(syncQuery, given)
    const { ref } = await findSyncedConnector(parts, principal, id)
    const scope = { list: `syncs of ${ref.connectorId}`, view: principal, query }
    const limit = (query.limit ?? defaultLimit) + 1
    const rows = await listRuns(parts.database.db, ref, { state: query.state, after: readPosition(parts, scope), limit })
    return buildPage(parts, { ...scope, rows }, toRunRecord)
  },
  get: async (principal, id, runId) => {
    requireScope(principal, 'connectors:read')
    return toRunRecord(await requireRun(parts, await findSyncedConnector(parts, principal, id), runId))
  },
  cancel: async (principal, id, runId) => {
    requireScope(principal, 'connectors:write')
    const connector = await findSyncedConnector(parts, principal, id)
    const run = await requireRun(parts, connector, runId)
    await cancelRuns(parts.database.db, { ...connector.ref, runId: run.id }, parts.source.clock())
    parts.events.emit('ended')
    return toRunRecord(await requireRun(parts, connector, runId))
  },
  setSchedule: (principal, id, body) => setSchedule(parts, { principal, id }, body),
  reset: (principal, id, body) => reset(parts, { principal, id }, body),
})

/** Finds a run of a connector. @throws FerruleError `sync_not_found` */
export async function requireRun({ database }: Parts, { ref }: Pick<SyncedConnector, 'ref'>, given: string): Promise<RunRow> {
  const id = asId(given)
  const row = id === undefined ? undefined : await findRun(database.db, ref, id)
  if (row === undefined) throw fail('sync_not_found', {})
  return row
}

/** Runs work in a transaction that locks the connector. @throws FerruleError `connector_not_found` */
export const withConnector = <T>(
  parts: Pick<Parts, 'database' | 'catalogue'>,
  { view, id }: { readonly view: PrincipalView; readonly id: string },
  work: (db: Db, connector: SyncedConnector) => Promise<T>,
): Promise<T> =>
  parts.database.transaction(async (db) => work(db, toSyncedConnector(parts, await requireConnector(db, view, id, holdConnector))))

const problem = (field: string, message: string, error_code: string): Problem => ({ field, message, error_code })

/** Checks that a connector syncs the given entities. @throws FerruleError `workspace_inactive`, `validation_failed` */
export function assertSynced({ row, wanted }: SyncedConnector, entities: readonly string[] | undefined, pointer = '/entities'): void {
  if (row.workspace_status === 'inactive') throw failInactive({ id: row.workspace_id, name: row.workspace_name })
  if (wanted.length === 0) throw failValidation([problem('', 'cannot be done: this connector has no entity that is synced', 'unsupported')])
  const problems = (entities ?? []).flatMap((entity, index) =>
    wanted.includes(entity) ? [] : [problem(`${pointer}/${index}`, `must be one of: ${wanted.join(', ')}`, 'enum')],
  )
  if (problems.length > 0) throw failValidation(problems)
}

/** Queues a run and wakes the worker of this node. */
export async function queueAndNotify(
  parts: Pick<Parts, 'database' | 'source' | 'catalogue' | 'events'>,
  target: { readonly view: PrincipalView; readonly id: string },
  wish: RunWish,
): Promise<RunRow> {
  const run = await withConnector(parts, target, (db, connector) => {
    assertSynced(connector, wish.entities ?? undefined)
    const entities = expandGroups(connector, wish.entities)
    return queueRun(parts, db, { ref: connector.ref, wish: { ...wish, entities }, wanted: connector.wanted })
  })
  parts.events.emit('queued')
  return run
}

/** Adds the entities that are read together with the given ones. */
const expandGroups = ({ kind, wanted }: SyncedConnector, entities: readonly string[] | null): readonly string[] | null =>
  kind === undefined || entities === null ? entities : expandToGroups(kind.definition, wanted, entities)

async function request(parts: Parts, { principal, id }: RequestedId, given: unknown): Promise<SyncRunRecord> {
  requireScope(principal, 'connectors:write')
  const { mode = 'incremental', entities } = readBody(syncInput, given ?? {})
  return toRunRecord(await queueAndNotify(parts, { view: principal, id }, { mode, cause: 'demand', entities: entities ?? null }))
}

async function reset(parts: Parts, { principal, id }: RequestedId, given: unknown): Promise<SyncRunRecord> {
  requireScope(principal, 'connectors:write')
  const { entities } = readBody(resetInput, given ?? {})
  const run = await withConnector(parts, { view: principal, id }, async (db, connector) => {
    assertSynced(connector, entities)
    const whole = expandGroups(connector, entities ?? null)
    const kept = connector.kind === undefined ? [] : listCopiedEntities(connector.kind.definition)
    const pending = await listUnfinishedRuns(db, connector.ref)
    await emptyCopies(parts, db, { row: connector.row, entities: whole ?? kept })
    return queueRun(parts, db, { ref: connector.ref, wish: addPending({ mode: 'full', cause: 'demand', entities: whole }, pending) })
  })
  parts.events.emit('queued')
  return toRunRecord(run)
}

/** Adds the work of the cancelled runs to a run. An emptied entity is read in full in any mode. */
function addPending(wish: RunWish, pending: readonly RunRow[]): RunWish {
  if (wish.entities === null || pending.length === 0) return wish
  const others = pending.map(readEntities)
  const all = others.includes(null) ? null : [...new Set([...wish.entities, ...others.flatMap((each) => each ?? [])])]
  return { ...wish, mode: pending.some(({ mode }) => mode === 'full') ? 'full' : 'incremental', entities: all }
}

async function setSchedule(parts: Parts, { principal, id }: RequestedId, given: unknown): Promise<readonly SyncScheduleRecord[]> {
  requireScope(principal, 'connectors:write')
  const body = readBody(scheduleInput, given)
  return withConnector(parts, { view: principal, id }, async (db, connector) => {
    assertKnown(connector, body.entity)
    const name = connector.groups.find(({ entities }) => entities.includes(body.entity ?? ''))?.name ?? ''
    const schedules = await listSchedules(db, connector.ref)
    const kept = schedules.find(({ entity }) => entity === name)
    if (name !== '' && body.interval_seconds === null) await deleteSchedule(db, connector.ref, name)
    else await saveSchedule(db, buildSchedule(parts, { connector, name, kept }, body))
    return toScheduleRecords(await listSchedules(db, connector.ref), connector.groups, parts.settings.syncIntervalSeconds)
  })
}

/** Checks an entity; the workspace may be inactive. @throws FerruleError `validation_failed` */
function assertKnown({ wanted }: SyncedConnector, entity: string | undefined): void {
  if (wanted.length === 0) throw failValidation([problem('', 'cannot be done: this connector has no entity that is synced', 'unsupported')])
  if (entity !== undefined && !wanted.includes(entity))
    throw failValidation([problem('/entity', `must be one of: ${wanted.join(', ')}`, 'enum')])
}

/** Builds a schedule; absent members keep their values. A changed interval starts now. */
function buildSchedule(
  parts: Pick<Parts, 'settings' | 'source'>,
  { connector, name, kept }: { connector: SyncedConnector; name: string; kept: ScheduleRow | undefined },
  { interval_seconds: given, paused }: { readonly interval_seconds?: number | null; readonly paused?: boolean },
): ScheduleRow {
  const interval = given === undefined ? (kept?.interval_seconds ?? null) : given
  const isPaused = paused ?? kept?.next_run_at === null
  const isSame = kept !== undefined && kept.next_run_at !== null && interval === kept.interval_seconds
  return {
    organization_id: connector.ref.organizationId,
    connector_id: connector.ref.connectorId,
    entity: name,
    interval_seconds: interval,
    next_run_at: isPaused ? null : isSame ? kept.next_run_at : computeFirstRunAt(parts, interval),
  }
}
