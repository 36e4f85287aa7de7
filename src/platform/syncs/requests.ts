/** Runs for clients: asked for, listed, cancelled, and begun anew. */

import { validationFailed } from '../../engine/credentials.ts'
import type { Problem } from '../../errors.ts'
import { fail } from '../../errors.ts'
import { bodies, readBody, readQuery } from '../bodies.ts'
import { defaultLimit, pageOf, positionOf } from '../cursor.ts'
import type { Db } from '../db/database.ts'
import { holdConnector } from '../db/queries-connectors.ts'
import { cancelRuns, findRun, listRuns, type RunRow, unfinishedRuns } from '../db/queries-sync-runs.ts'
import { deleteSchedule, keepSchedule, type ScheduleRow, schedulesOf } from '../db/queries-sync-schedules.ts'
import { asId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { requireScope } from '../scopes.ts'
import type { Principal, PrincipalView } from '../types.ts'
import { type FoundConnector, findFor, foundOf } from './found.ts'
import { coveredBy, keptEntities } from './groups.ts'
import { emptyCopies, queueRun, type RunWish } from './queue.ts'
import type { SyncRunRecord, SyncScheduleRecord } from './records.ts'
import { runRecordOf } from './run-record.ts'
import { scheduleRecords } from './status.ts'
import { nextRunAt } from './times.ts'
import type { Syncs } from './types.ts'

/** Builds the part of the service that clients ask. */
export const createRequests = (parts: Parts): Pick<Syncs, 'request' | 'list' | 'get' | 'cancel' | 'setSchedule' | 'reset'> => ({
  request: (principal, id, body) => request(parts, { principal, id }, body),
  list: async (principal, id, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(bodies.listSyncs, given)
    const { place } = await findFor(parts, principal, id)
    const scope = { list: `syncs of ${place.connectorId}`, view: principal, query }
    const limit = (query.limit ?? defaultLimit) + 1
    const rows = await listRuns(parts.database.db, place, { state: query.state, after: positionOf(parts, scope), limit })
    return pageOf(parts, { ...scope, rows }, runRecordOf)
  },
  get: async (principal, id, runId) => {
    requireScope(principal, 'connectors:read')
    return runRecordOf(await foundRun(parts, await findFor(parts, principal, id), runId))
  },
  cancel: async (principal, id, runId) => {
    requireScope(principal, 'connectors:write')
    const found = await findFor(parts, principal, id)
    const run = await foundRun(parts, found, runId)
    await cancelRuns(parts.database.db, { ...found.place, runId: run.id }, parts.source.clock())
    parts.events.emit('ended')
    return runRecordOf(await foundRun(parts, found, runId))
  },
  setSchedule: (principal, id, body) => setSchedule(parts, { principal, id }, body),
  reset: (principal, id, body) => reset(parts, { principal, id }, body),
})

interface Target {
  readonly principal: Principal
  readonly id: string
}

/** @throws FerruleError `sync_not_found` */
export async function foundRun({ database }: Parts, { place }: Pick<FoundConnector, 'place'>, given: string): Promise<RunRow> {
  const id = asId(given)
  const row = id === undefined ? undefined : await findRun(database.db, place, id)
  if (row === undefined) throw fail('sync_not_found', {})
  return row
}

/** Does something in a transaction that keeps the connector. @throws FerruleError `connector_not_found` */
export const withConnector = <T>(
  parts: Parts,
  { view, id: given }: { readonly view: PrincipalView; readonly id: string },
  work: (db: Db, found: FoundConnector) => Promise<T>,
): Promise<T> =>
  parts.database.transaction(async (db) => {
    const id = asId(given)
    const row = id === undefined ? undefined : await holdConnector(db, view, id)
    if (row === undefined) throw fail('connector_not_found', {})
    return work(db, foundOf(parts, row))
  })

const problem = (field: string, message: string, error_code: string): Problem => ({ field, message, error_code })

/** @throws FerruleError `workspace_inactive`, `validation_failed` */
export function assertSynced({ row, wanted }: FoundConnector, entities: readonly string[] | undefined, pointer = '/entities'): void {
  if (row.workspace_status === 'inactive') throw fail('workspace_inactive', { name: row.workspace_name })
  if (wanted.length === 0) throw validationFailed([problem('', 'this connector has no entity that is synced', 'unsupported')])
  const problems = (entities ?? []).flatMap((entity, index) =>
    wanted.includes(entity) ? [] : [problem(`${pointer}/${index}`, `must be one of: ${wanted.join(', ')}`, 'enum')],
  )
  if (problems.length > 0) throw validationFailed(problems)
}

/** Queues a run and tells the worker of this node. */
export async function queued(parts: Parts, target: { readonly view: PrincipalView; readonly id: string }, wish: RunWish): Promise<RunRow> {
  const run = await withConnector(parts, target, (db, found) => {
    assertSynced(found, wish.entities ?? undefined)
    return queueRun(parts, db, { place: found.place, wish: { ...wish, entities: wholeGroups(found, wish.entities) } })
  })
  parts.events.emit('queued')
  return run
}

/** Entities with those that are read together with them. */
const wholeGroups = ({ kind, wanted }: FoundConnector, entities: readonly string[] | null): readonly string[] | null =>
  kind === undefined || entities === null ? entities : coveredBy(kind.definition, wanted, entities)

async function request(parts: Parts, { principal, id }: Target, given: unknown): Promise<SyncRunRecord> {
  requireScope(principal, 'connectors:write')
  const { mode = 'incremental', entities } = readBody(bodies.requestSync, given ?? {})
  return runRecordOf(await queued(parts, { view: principal, id }, { mode, cause: 'demand', entities: entities ?? null }))
}

async function reset(parts: Parts, { principal, id }: Target, given: unknown): Promise<SyncRunRecord> {
  requireScope(principal, 'connectors:write')
  const { entities } = readBody(bodies.resetCopy, given ?? {})
  const run = await withConnector(parts, { view: principal, id }, async (db, found) => {
    assertSynced(found, entities)
    const whole = wholeGroups(found, entities ?? null)
    const kept = found.kind === undefined ? [] : keptEntities(found.kind.definition)
    const pending = await unfinishedRuns(db, found.place)
    await emptyCopies(parts, db, { row: found.row, entities: whole ?? kept })
    return queueRun(parts, db, { place: found.place, wish: withPending({ mode: 'full', cause: 'demand', entities: whole }, pending) })
  })
  parts.events.emit('queued')
  return runRecordOf(run)
}

/** What was to be done besides is done by the same run. An emptied entity is read as a whole in any mode. */
function withPending(wish: RunWish, pending: readonly RunRow[]): RunWish {
  if (wish.entities === null || pending.length === 0) return wish
  const others: (readonly string[] | null)[] = pending.map(({ entities }) => (entities === null ? null : JSON.parse(entities)))
  const all = others.includes(null) ? null : [...new Set([...wish.entities, ...others.flatMap((each) => each ?? [])])]
  return { ...wish, mode: pending.some(({ mode }) => mode === 'full') ? 'full' : 'incremental', entities: all }
}

async function setSchedule(parts: Parts, { principal, id }: Target, given: unknown): Promise<readonly SyncScheduleRecord[]> {
  requireScope(principal, 'connectors:write')
  const body = readBody(bodies.setSchedule, given)
  return withConnector(parts, { view: principal, id }, async (db, found) => {
    assertKnown(found, body.entity)
    const name = found.groups.find(({ entities }) => entities.includes(body.entity ?? ''))?.name ?? ''
    const schedules = await schedulesOf(db, found.place)
    const kept = schedules.find(({ entity }) => entity === name)
    if (name !== '' && body.interval_seconds === null) await deleteSchedule(db, found.place, name)
    else await keepSchedule(db, scheduleWith(parts, { found, name, kept }, body))
    return scheduleRecords(await schedulesOf(db, found.place), found.groups, parts.settings.syncIntervalSeconds)
  })
}

/** Schedules can be set while a workspace is inactive. @throws FerruleError `validation_failed` */
function assertKnown({ wanted }: FoundConnector, entity: string | undefined): void {
  if (wanted.length === 0) throw validationFailed([problem('', 'this connector has no entity that is synced', 'unsupported')])
  if (entity !== undefined && !wanted.includes(entity))
    throw validationFailed([problem('/entity', `must be one of: ${wanted.join(', ')}`, 'enum')])
}

/** What is left out stays as it is. A schedule that is set anew begins its interval now. */
function scheduleWith(
  parts: Parts,
  { found, name, kept }: { found: FoundConnector; name: string; kept: ScheduleRow | undefined },
  { interval_seconds: given, paused }: { readonly interval_seconds?: number | null; readonly paused?: boolean },
): ScheduleRow {
  const interval = given === undefined ? (kept?.interval_seconds ?? null) : given
  const isPaused = paused ?? kept?.next_run_at === null
  const isSame = kept !== undefined && kept.next_run_at !== null && interval === kept.interval_seconds
  return {
    organization_id: found.place.organizationId,
    connector_id: found.place.connectorId,
    entity: name,
    interval_seconds: interval,
    next_run_at: isPaused ? null : isSame ? kept.next_run_at : nextRunAt(parts, interval),
  }
}
