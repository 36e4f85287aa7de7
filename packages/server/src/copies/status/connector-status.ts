/** Builds the status of a connector's copy with all its entities. */
import type { SyncEntityStatus, SyncScheduleRecord, SyncStatusRecord } from 'ferrule/wire'
import type { PrincipalView } from '../../values/access.ts'
import { isoOrNull } from '../../values/ids.ts'
import { findLastFinishedRun, noError, type ScheduleRow, type StoredError } from '../sql/sync-runs.ts'
import { listCopiedEntities } from '../sync/walk/plan.ts'
import { buildEntityStatus, computeConnectorState, computeLagSeconds } from './entity-status.ts'
import { type EntityGroup, findSyncedConnector, listScheduledEntities } from './groups.ts'
import { toRunRecord, toSyncError } from './run-record.ts'
import { readStatusFacts, type StatusFacts, type StatusParts } from './status-facts.ts'

/** Converts the schedules of a connector to wire form; the default schedule comes first. */
export const toScheduleRecords = (
  schedules: readonly ScheduleRow[],
  groups: readonly EntityGroup[],
  defaultSeconds: number,
): SyncScheduleRecord[] =>
  schedules
    .filter(({ entity }) => entity === '' || groups.some(({ name }) => name === entity))
    .map((schedule) => ({
      entities: schedule.entity === '' ? null : listScheduledEntities(schedule, schedules, groups),
      interval_seconds: schedule.interval_seconds ?? defaultSeconds,
      default: schedule.interval_seconds === null,
      paused: schedule.next_run_at === null,
      next_run_at: isoOrNull(schedule.next_run_at),
    }))

type TimeOfEntity = 'synced_at' | 'verified_at' | 'last_success_at' | 'last_attempt_at' | 'next_run_at'

/** Returns the earliest or latest of the ISO 8601 timestamps of some entities. */
const pickTimestamp = (entities: readonly SyncEntityStatus[], time: TimeOfEntity, which: 'earliest' | 'latest'): string | null =>
  entities
    .flatMap((entity) => entity[time] ?? [])
    .toSorted()
    .at(which === 'earliest' ? 0 : -1) ?? null

/** Reads the status of a connector's copy. @throws FerruleError `connector_not_found` */
export async function readConnectorStatus(parts: StatusParts, view: PrincipalView, id: string): Promise<SyncStatusRecord> {
  const connector = await findSyncedConnector(parts, view, id)
  const [facts, last] = await Promise.all([readStatusFacts(parts, connector), findLastFinishedRun(parts.database.db, connector.ref)])
  return buildStatusRecord(facts, last, parts.settings)
}

/**
 * Builds the status of a connector's copy.
 * @param last error of the last finished run; undefined without a finished run
 * @param settings what connectors without a value of their own have
 */
export function buildStatusRecord(
  facts: StatusFacts,
  last: StoredError | undefined,
  { syncIntervalSeconds: defaultSeconds, changesDays }: StatusParts['settings'],
): SyncStatusRecord {
  const { connector, runs, schedules } = facts
  const kept = connector.kind === undefined ? [] : listCopiedEntities(connector.kind.definition)
  const entities = kept.map((entity) => buildEntityStatus(facts, entity, defaultSeconds))
  const running = runs.find(({ state }) => state === 'running')
  const waiting = runs.filter(({ state }) => state === 'queued')
  const queued = waiting.find((run) => run.error_code !== null) ?? waiting[0]
  return {
    connector_id: connector.row.id,
    state: computeConnectorState(entities.map(({ state }) => state)),
    ...summarizeEntities(entities, facts.now),
    last_error: toSyncError(queued !== undefined && queued.error_code !== null ? queued : (last ?? noError)),
    schedules: toScheduleRecords(schedules, connector.groups, defaultSeconds),
    changes_days: connector.row.changes_days ?? changesDays,
    running: running === undefined ? null : toRunRecord(running),
    queued: queued === undefined ? null : toRunRecord(queued),
    entities,
  }
}

function summarizeEntities(entities: readonly SyncEntityStatus[], now: number) {
  const enabled = entities.filter(({ state }) => state !== 'disabled')
  const isSynced = enabled.length > 0 && enabled.every(({ synced_at }) => synced_at !== null)
  const isVerified = isSynced && enabled.every(({ verified_at }) => verified_at !== null)
  const syncedAt = isSynced ? pickTimestamp(enabled, 'synced_at', 'earliest') : null
  return {
    ready_for_search: entities.some(({ ready_for_search }) => ready_for_search),
    records: entities.reduce((total, { records }) => total + records, 0),
    synced_at: syncedAt,
    verified_at: isVerified ? pickTimestamp(enabled, 'verified_at', 'earliest') : null,
    lag_seconds: computeLagSeconds(syncedAt === null ? null : Date.parse(syncedAt), now),
    last_success_at: pickTimestamp(entities, 'last_success_at', 'latest'),
    last_attempt_at: pickTimestamp(entities, 'last_attempt_at', 'latest'),
    next_run_at: pickTimestamp(entities, 'next_run_at', 'earliest'),
  }
}
