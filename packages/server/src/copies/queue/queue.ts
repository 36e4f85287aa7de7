/**
 * The queue of runs: for clients, who request, list, cancel and restart them; and inside the transactions of other services, so that a change
 * and its run are stored together (docs/decisions/syncs.md).
 */

import type { Kind } from 'ferrule/definition'
import { compareKinds, fail, failValidation } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { type ConnectorRow, holdConnector, requireConnector } from '../../connectors/sql/connectors.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorRef, type OwnKind, type PrincipalView, type RequestedId, requireScope, toConnectorRef } from '../../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../../values/cursor.ts'
import { asId, newId } from '../../values/ids.ts'
import { failField, failInactive, problem, readBody, readQuery } from '../../values/read.ts'
import * as sql from '../sql/sync-copies.ts'
import {
  cancelRuns,
  changeWaiting,
  deleteSchedule,
  deleteSurplusRuns,
  extendRun,
  findRun,
  headStarts,
  insertRuns,
  insertSchedules,
  listRuns,
  listSchedules,
  listUnfinishedRuns,
  noError,
  type RunRow,
  type ScheduleRow,
  saveSchedule,
  unparkRuns,
} from '../sql/sync-runs.ts'
import { toScheduleRecords } from '../status/connector-status.ts'
import { expandToGroups, findSyncedConnector, readWantedEntities, type SyncedConnector, toSyncedConnector } from '../status/groups.ts'
import { noProgress, readEntities, readResults, storeRunEvent, toRunRecord, toSyncError } from '../status/run-record.ts'
import { findOwnMoves } from '../store/types.ts'
import { listCopiedEntities } from '../sync/walk/plan.ts'
import type { Syncs } from '../sync-types.ts'
import { computeFirstRunAt } from './times.ts'

/** Services that queueing needs. */
export type QueueParts = Pick<Parts, 'source' | 'kinds' | 'settings'>

/** Rows per statement. */
const batch = 100
/** Finished runs that a connector keeps: four days of the default interval. */
const mostRuns = 100

interface RunWish {
  readonly mode: wire.RunMode
  readonly cause: wire.RunCause
  /** null: all entities. */
  readonly entities: readonly string[] | null
}

/** Builds the row of a run that waits for its first attempt. */
export function buildRun({ source }: Pick<Parts, 'source'>, ref: ConnectorRef, { mode, cause, entities }: RunWish): RunRow {
  const now = source.clock()
  return {
    id: newId(source),
    organization_id: ref.organizationId,
    workspace_id: ref.workspaceId,
    connector_id: ref.connectorId,
    mode,
    entities: entities === null ? null : JSON.stringify(entities),
    state: 'queued',
    cause,
    attempts: 0,
    failures: 0,
    queue_order: now - headStarts[cause],
    not_before: null,
    parked_until: null,
    lease_owner: null,
    lease_until: null,
    lease_node: null,
    lease_session: null,
    progress: noProgress,
    results: '[]',
    asked: null,
    ...noError,
    version: 0,
    created_at: now,
    started_at: null,
    finished_at: null,
  }
}

const joinEntities = (one: readonly string[] | null, other: readonly string[] | null): string | null =>
  one === null || other === null ? null : JSON.stringify([...new Set([...one, ...other])])

/**
 * Queues a run, or widens the waiting run that has done nothing yet. Call it in a transaction that locks the connector's row. What a
 * delayed run has left of the same entities is taken over, so an entity waits in one run only, and a request never waits for that delay.
 * @param options `wanted`: the entities of the connector, where the caller knows them
 * @returns the queued run
 */
export async function queueRun(
  parts: Pick<Parts, 'source'>,
  db: Db,
  { ref, wish, wanted }: { readonly ref: ConnectorRef; readonly wish: RunWish; readonly wanted?: readonly string[] },
): Promise<RunRow> {
  const asked = { entities: wish.entities, wanted }
  const unfinished = await listUnfinishedRuns(db, ref)
  const waiting = unfinished.filter(
    (run) => run.state === 'queued' && run.results === '[]' && (!isDelayed(run) || findTaken(run, asked).length > 0),
  )
  const run = waiting.find(({ attempts }) => attempts === 0) ?? waiting[0]
  const next = buildRun(parts, ref, wish)
  let mode = wish.mode
  for (const other of unfinished.filter((each) => each !== run && isDelayed(each)))
    if ((await takeOver(parts, db, { run: other, asked })) && other.mode === 'full') mode = 'full'
  if (run !== undefined) {
    const change = {
      mode: mode === 'full' ? mode : run.mode,
      entities: joinEntities(readEntities(run), wish.entities),
      queue_order: Math.min(run.queue_order, next.queue_order),
    }
    if (await extendRun(db, run, change)) return { ...run, ...change, not_before: null, version: run.version + 1 }
  }
  await insertRuns(db, [{ ...next, mode }])
  await deleteSurplusRuns(db, ref, mostRuns)
  return { ...next, mode }
}

/** Takes entities over from a delayed run: there they count as failed. @returns whether something was taken over */
async function takeOver(
  { source }: Pick<Parts, 'source'>,
  db: Db,
  { run, asked }: { readonly run: RunRow; readonly asked: Parameters<typeof findTaken>[1] },
): Promise<boolean> {
  const taken = findTaken(run, asked)
  if (taken.length === 0) return false
  const error = toSyncError(run)
  const failed = taken === 'all' ? [] : taken.map((entity) => ({ entity, state: 'failed' as const, error }))
  const results = [...readResults(run.results), ...failed]
  const isPartly = results.some(({ state }) => state !== 'failed' && state !== 'skipped')
  const end = taken === 'all' ? { state: isPartly ? ('partial' as const) : ('failed' as const), finished_at: source.clock() } : {}
  const change = { results: JSON.stringify(results), ...end }
  const isTaken = await changeWaiting(db, run, change)
  if (isTaken && taken === 'all') await storeRunEvent(db, source, { ...run, ...change })
  return isTaken
}

/** Stores the schedule of a connector. */
const beginSchedule = (parts: QueueParts, db: Db, row: Pick<sql.CopyHolder, 'id' | 'organization_id'>): Promise<void> =>
  insertSchedules(db, [
    {
      organization_id: row.organization_id,
      connector_id: row.id,
      entity: '',
      interval_seconds: null,
      next_run_at: computeFirstRunAt(parts, null),
    },
  ])

/** Stores the schedule and the first run of a new connector. */
export async function beginSyncs(parts: QueueParts, db: Db, row: sql.CopyHolder): Promise<void> {
  const kind = await parts.kinds.find(row, db)
  if (kind === undefined || listCopiedEntities(kind.definition).length === 0) return
  await beginSchedule(parts, db, row)
  if (readWantedEntities(kind, row).length === 0) return
  await queueRun(parts, db, { ref: toConnectorRef(row), wish: { mode: 'full', cause: 'created', entities: null } })
}

/**
 * Builds the row of a removal.
 * @param entities null removes the copies of all entities
 */
export function buildRemoval({ source }: Pick<Parts, 'source'>, row: sql.CopyHolder, entities: readonly string[] | null): sql.RemovalRow {
  const now = source.clock()
  return {
    id: newId(source),
    organization_id: row.organization_id,
    connector_id: row.id,
    kind: row.kind,
    entities: entities === null ? null : JSON.stringify(entities),
    next_kind: null,
    failures: 0,
    not_before: now,
    lease_owner: null,
    lease_node: null,
    created_at: now,
  }
}

/** Cancels the runs of a connector before its deletion, and queues the removal of its copies. */
export async function endSyncs(parts: QueueParts, db: Db, row: sql.CopyHolder): Promise<void> {
  await cancelRuns(db, toConnectorRef(row), parts.source.clock())
  await sql.insertRemovals(db, [buildRemoval(parts, row, null)])
}

interface Emptying {
  /** The connector, with its kind before the change. */
  readonly row: sql.CopyHolder
  readonly entities: readonly string[]
  /** Those whose records are deleted first; default: all of them. */
  readonly emptied?: readonly string[]
  /** Version of its kind that the records move to; null for none. */
  readonly nextKind?: string | null
}

/** Cancels the runs of a connector and empties some of its copies. Queue a run afterwards, in the same transaction. */
export async function emptyCopies(
  parts: QueueParts,
  db: Db,
  { row, entities, emptied = entities, nextKind = null }: Emptying,
): Promise<void> {
  if (entities.length === 0 && nextKind === null) return
  await cancelRuns(db, toConnectorRef(row), parts.source.clock())
  await sql.deleteCopies(db, toConnectorRef(row), entities)
  await sql.insertRemovals(db, [{ ...buildRemoval(parts, row, emptied), next_kind: nextKind }])
}

async function inBatches<T>(rows: readonly T[], store: (rows: readonly T[]) => Promise<void>): Promise<void> {
  for (let index = 0; index < rows.length; index += batch) await store(rows.slice(index, index + batch))
}

/** Cancels the runs of a workspace that becomes inactive; its copies stay. */
export const stopSyncs = ({ source }: Pick<Parts, 'source'>, db: Db, view: sql.SyncView): Promise<number> =>
  cancelRuns(db, view, source.clock())

/** Cancels the runs of a deleted workspace or organization and empties its copies. It can be restored. */
export async function emptyView(parts: QueueParts, db: Db, view: sql.SyncView): Promise<void> {
  await stopSyncs(parts, db, view)
  await sql.deleteViewCopies(db, view)
  const rows = await sql.listViewHolders(db, view)
  const kindOf = await parts.kinds.findAll(rows, db)
  const removals = rows.flatMap((row) => {
    const kind = kindOf(row)
    const kept = kind === undefined ? [] : listCopiedEntities(kind.definition)
    return kept.length === 0 ? [] : [buildRemoval(parts, row, kept)]
  })
  await storeRemovals(db, removals)
}

/** Queues a run for every connector in active workspaces of a view that was restored (`full`) or reactivated (`incremental`). */
export async function resumeSyncs(parts: QueueParts, db: Db, { view, mode }: { view: sql.SyncView; mode: wire.RunMode }): Promise<void> {
  const rows = await sql.listActiveHolders(db, view)
  const kindOf = await parts.kinds.findAll(rows, db)
  const holders = rows.filter((row) => readWantedEntities(kindOf(row), row).length > 0)
  const runs = holders.map((row) => buildRun(parts, toConnectorRef(row), { mode, cause: 'changed', entities: null }))
  await inBatches(runs, (rows) => insertRuns(db, rows))
}

/** Builds the removals of all copies of a workspace. Call it before its connectors are deleted. */
export const buildRemovals = async (parts: QueueParts, db: Db, view: sql.SyncView): Promise<readonly sql.RemovalRow[]> =>
  (await sql.listViewHolders(db, view)).map((row) => buildRemoval(parts, row, null))

/** Stores removals in batches. */
export const storeRemovals = (db: Db, removals: readonly sql.RemovalRow[]): Promise<void> =>
  inBatches(removals, (rows) => sql.insertRemovals(db, rows))

/** A kind; a version of an organization's kind has `own`. */
type VersionedKind = Kind & { readonly own?: OwnKind | undefined }

/** Finds what the move of a connector to another version of its kind means for its copies; undefined where its records are the same. */
function findMoves(before: VersionedKind, after: VersionedKind) {
  if (before === after || before.own === undefined || after.own === undefined) return undefined
  const moves = findOwnMoves(before.own, after.own)
  const isRead = compareKinds(before.definition, after.definition).some(({ class: each }) => each !== 'text')
  return isRead || [...moves.values()].some((move) => move !== 'same') ? moves : undefined
}

interface ConnectorChanged {
  readonly before: ConnectorRow
  readonly after: ConnectorRow
  readonly hasNewCredentials: boolean
}

/**
 * Queues a run in the transaction of the change. Another configuration can mean other records (another shop, hidden calls), so the copy
 * starts over. Entities no longer wanted are emptied, and new credentials are tried at once.
 */
export async function followChange(parts: QueueParts, db: Db, { before, after, hasNewCredentials }: ConnectorChanged): Promise<void> {
  const [earlier, kind] = [await parts.kinds.find(before, db), await parts.kinds.find(after, db)]
  if (earlier === undefined || kind === undefined) return
  const moves = findMoves(earlier, kind)
  const isReconfigured = before.configuration !== after.configuration
  const isOther = isReconfigured || moves !== undefined
  const [was, wanted] = [readWantedEntities(earlier, before), readWantedEntities(kind, after)]
  const isStale = (entity: string): boolean => !wanted.includes(entity) || (moves?.get(entity) ?? 'same') !== 'same'
  const dropped = isReconfigured ? listCopiedEntities(earlier.definition) : was.filter(isStale)
  // Rows that another version can read stay until they are read again.
  const emptied = isReconfigured ? dropped : dropped.filter((entity) => moves?.get(entity) !== 'extended')
  await emptyCopies(parts, db, { row: before, entities: dropped, emptied, nextKind: moves === undefined ? null : after.kind })
  if (was.length === 0 && wanted.length > 0) await beginSchedule(parts, db, after)
  const isNews = isOther || hasNewCredentials || dropped.length > 0 || wanted.some((entity) => !was.includes(entity))
  if (!isNews || wanted.length === 0 || after.workspace_status === 'inactive') return
  if (hasNewCredentials) await unparkRuns(db, toConnectorRef(after))
  const mode: wire.RunMode = isOther ? 'full' : 'incremental'
  await queueRun(parts, db, { ref: toConnectorRef(after), wish: { mode, cause: 'changed', entities: null } })
}

type Rest = Pick<RunRow, 'entities' | 'results'>

/** Returns whether a run was asked for an entity. */
export const isFor = (run: Pick<RunRow, 'entities'>, entity: string): boolean => readEntities(run)?.includes(entity) ?? true

/** Returns whether a run has a result of an entity. */
export const isDone = ({ results }: Pick<RunRow, 'results'>, entity: string): boolean =>
  readResults(results).some((each) => each.entity === entity)

/** Returns whether a run still has to sync an entity. */
export const isLeft = (run: Rest, entity: string): boolean => isFor(run, entity) && !isDone(run, entity)

/** Returns whether a run waits for its next attempt, after a failure. */
const isDelayed = ({ state, attempts, not_before }: Pick<RunRow, 'state' | 'attempts' | 'not_before'>): boolean =>
  state === 'queued' && attempts > 0 && not_before !== null

/**
 * Finds what a new request takes over from a delayed run.
 * @param asked `entities` of the request, null for all; and the `wanted` ones of the connector, where the caller knows them
 * @returns `all` when nothing stays with the run
 */
function findTaken(
  run: Rest,
  { entities, wanted }: { readonly entities: readonly string[] | null; readonly wanted?: readonly string[] | undefined },
): 'all' | readonly string[] {
  if (entities === null) return 'all'
  const taken = entities.filter((entity) => isLeft(run, entity))
  const listed = readEntities(run) ?? wanted
  const isAll = listed?.every((entity) => !isLeft(run, entity) || taken.includes(entity)) === true
  return isAll && taken.length > 0 ? 'all' : taken
}

/** Builds the methods that clients use. */
export const createRequests = (parts: Parts): Pick<Syncs, 'request' | 'list' | 'get' | 'cancel' | 'setSchedule' | 'reset'> => ({
  request: (principal, id, body) => request(parts, { principal, id }, body),
  list: async (principal, id, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(wire.syncQuery, given)
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
  parts: Pick<Parts, 'database' | 'kinds'>,
  { view, id }: { readonly view: PrincipalView; readonly id: string },
  work: (db: Db, connector: SyncedConnector) => Promise<T>,
): Promise<T> =>
  parts.database.transaction(async (db) => {
    const row = await requireConnector(db, view, id, holdConnector)
    return work(db, toSyncedConnector(row, await parts.kinds.find(row, db)))
  })

/** Checks that a connector syncs the given entities. @throws FerruleError `workspace_inactive`, `validation_failed` */
function assertSynced({ row, wanted }: SyncedConnector, entities: readonly string[] | undefined, pointer = '/entities'): void {
  if (row.workspace_status === 'inactive') throw failInactive({ id: row.workspace_id, name: row.workspace_name })
  if (wanted.length === 0) throw failField('', 'cannot be done: this connector has no entity that is synced', 'unsupported')
  const problems = (entities ?? []).flatMap((entity, index) =>
    wanted.includes(entity) ? [] : [problem(`${pointer}/${index}`, `must be one of: ${wanted.join(', ')}`, 'enum')],
  )
  if (problems.length > 0) throw failValidation(problems)
}

/** Queues a run and wakes the worker of this node. */
export async function queueAndNotify(
  parts: Pick<Parts, 'database' | 'source' | 'kinds' | 'events'>,
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

async function request(parts: Parts, { principal, id }: RequestedId, given: unknown): Promise<wire.SyncRunRecord> {
  requireScope(principal, 'connectors:write')
  const { mode = 'incremental', entities } = readBody(wire.syncInput, given ?? {})
  return toRunRecord(await queueAndNotify(parts, { view: principal, id }, { mode, cause: 'demand', entities: entities ?? null }))
}

async function reset(parts: Parts, { principal, id }: RequestedId, given: unknown): Promise<wire.SyncRunRecord> {
  requireScope(principal, 'connectors:write')
  const { entities } = readBody(wire.resetInput, given ?? {})
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

async function setSchedule(parts: Parts, { principal, id }: RequestedId, given: unknown): Promise<readonly wire.SyncScheduleRecord[]> {
  requireScope(principal, 'connectors:write')
  const body = readBody(wire.scheduleInput, given)
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
  if (wanted.length === 0) throw failField('', 'cannot be done: this connector has no entity that is synced', 'unsupported')
  if (entity !== undefined && !wanted.includes(entity)) throw failField('/entity', `must be one of: ${wanted.join(', ')}`, 'enum')
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
