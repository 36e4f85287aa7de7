/** The status of a connector's copy, with all its entities. */
import { lastFinishedRun, type RunRow } from '../db/queries-sync-runs.ts'
import type { ScheduleRow } from '../db/queries-sync-schedules.ts'
import { iso } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { PrincipalView } from '../types.ts'
import { entityStatus, lagOf } from './entity-status.ts'
import { findFor, type KnownSyncs, knownOf } from './found.ts'
import { type EntityGroup, keptEntities } from './groups.ts'
import type { SyncEntityStatus, SyncScheduleRecord, SyncStatusRecord } from './records.ts'
import { errorOf, runRecordOf } from './run-record.ts'
import { entitiesUnder } from './schedules.ts'
import { connectorState } from './state.ts'

/** The schedules of a connector in wire form; its own is the first. */
export const scheduleRecords = (
  schedules: readonly ScheduleRow[],
  groups: readonly EntityGroup[],
  defaultSeconds: number,
): SyncScheduleRecord[] =>
  schedules
    .filter(({ entity }) => entity === '' || groups.some(({ name }) => name === entity))
    .map((schedule) => ({
      entities: schedule.entity === '' ? null : entitiesUnder(schedule, schedules, groups),
      interval_seconds: schedule.interval_seconds ?? defaultSeconds,
      default: schedule.interval_seconds === null,
      paused: schedule.next_run_at === null,
      next_run_at: schedule.next_run_at === null ? null : iso(schedule.next_run_at),
    }))

/** The earliest or the latest of some moments in ISO 8601. */
const outermost = (moments: readonly (string | null)[], which: 'earliest' | 'latest'): string | null =>
  moments
    .filter((moment) => moment !== null)
    .toSorted()
    .at(which === 'earliest' ? 0 : -1) ?? null

/** @throws FerruleError `connector_not_found` */
export async function statusOf(parts: Parts, view: PrincipalView, id: string): Promise<SyncStatusRecord> {
  const found = await findFor(parts, view, id)
  const [known, last] = await Promise.all([knownOf(parts, found), lastFinishedRun(parts.database.db, found.place)])
  return recordOf(known, last, parts.settings.syncIntervalSeconds)
}

function recordOf(known: KnownSyncs, last: RunRow | undefined, defaultSeconds: number): SyncStatusRecord {
  const { found, runs, schedules } = known
  const kept = found.kind === undefined ? [] : keptEntities(found.kind.definition)
  const entities = kept.map((entity) => entityStatus(known, entity, defaultSeconds))
  const running = runs.find(({ state }) => state === 'running')
  const queued = runs.find(({ state }) => state === 'queued')
  return {
    connector_id: found.row.id,
    state: connectorState(entities.map(({ state }) => state)),
    ...summaryOf(entities, known.now),
    last_error: errorOf(
      queued !== undefined && queued.error_code !== null ? queued : (last ?? { error_code: null, error_message: null, error_hint: null }),
    ),
    schedules: scheduleRecords(schedules, found.groups, defaultSeconds),
    running: running === undefined ? null : runRecordOf(running),
    queued: queued === undefined ? null : runRecordOf(queued),
    entities,
  }
}

function summaryOf(entities: readonly SyncEntityStatus[], now: number) {
  const enabled = entities.filter(({ state }) => state !== 'disabled')
  const isSynced = enabled.length > 0 && enabled.every(({ synced_at }) => synced_at !== null)
  const syncedAt = isSynced
    ? outermost(
        enabled.map(({ synced_at }) => synced_at),
        'earliest',
      )
    : null
  const verified = enabled.map(({ verified_at }) => verified_at)
  return {
    ready_for_search: entities.some(({ ready_for_search }) => ready_for_search),
    records: entities.reduce((total, { records }) => total + records, 0),
    synced_at: syncedAt,
    verified_at: isSynced && !verified.includes(null) ? outermost(verified, 'earliest') : null,
    lag_seconds: lagOf(syncedAt === null ? null : Date.parse(syncedAt), now),
    last_success_at: outermost(
      entities.map(({ last_success_at }) => last_success_at),
      'latest',
    ),
    last_attempt_at: outermost(
      entities.map(({ last_attempt_at }) => last_attempt_at),
      'latest',
    ),
    next_run_at: outermost(
      entities.map(({ next_run_at }) => next_run_at),
      'earliest',
    ),
  }
}
