/** The status of the copy of one entity. Pure. */
import type { IndexRecord } from '../../context/indexes/types.ts'
import type { ScheduleRow } from '../db/queries-sync-schedules.ts'
import { iso } from '../ids.ts'
import type { KnownSyncs } from './found.ts'
import { coveredBy, incrementalOf } from './groups.ts'
import { readProgress } from './progress.ts'
import type { SyncEntityProgress, SyncEntityStatus, SyncIndexRecord, SyncState } from './records.ts'
import { errorOf } from './run-record.ts'
import { isUnder, stateOf } from './state.ts'

const shown = (moment: number | null | undefined): string | null => (typeof moment === 'number' ? iso(moment) : null)

/** Whole seconds since a moment. */
export const lagOf = (moment: number | null, now: number): number | null =>
  moment === null ? null : Math.max(0, Math.floor((now - moment) / 1_000))

/** The schedule that holds for an entity. */
export function scheduleOf({ found, schedules }: KnownSyncs, entity: string): ScheduleRow | undefined {
  const group = found.groups.find(({ entities }) => entities.includes(entity))
  return schedules.find((schedule) => schedule.entity === group?.name) ?? schedules.find((schedule) => schedule.entity === '')
}

/** Entities that a run of the connector brings. */
const broughtBy = ({ found }: KnownSyncs, entities: string | null): readonly string[] =>
  found.kind === undefined ? [] : coveredBy(found.kind.definition, found.wanted, entities === null ? null : JSON.parse(entities))

/** When an entity is synced next at the earliest: by the run that waits for it, or by its schedule. */
export function nextRunOf(known: KnownSyncs, entity: string): number | null {
  const waiting = known.runs.filter(({ state, entities }) => state === 'queued' && broughtBy(known, entities).includes(entity))
  if (waiting.length > 0) return Math.max(known.now, Math.min(...waiting.map(({ not_before }) => not_before ?? known.now)))
  return scheduleOf(known, entity)?.next_run_at ?? null
}

/** Why an entity is not synced; null for one that is. */
export function obstacleOf({ found, copies }: KnownSyncs, entity: string): string | null {
  if (found.row.workspace_status === 'inactive') return 'the workspace is inactive'
  if (!found.wanted.includes(entity)) return 'the connector is limited to other entities'
  const copy = copies.get(entity)
  return copy?.outcome === 'skipped' ? (copy.error_message ?? 'the vendor does not offer it') : null
}

/** The state of an entity's copy. */
export const entityState = (known: KnownSyncs, entity: string): SyncState =>
  stateOf({
    entity,
    isWanted: known.found.wanted.includes(entity) && known.found.row.workspace_status !== 'inactive',
    copy: known.copies.get(entity),
    records: recordsOf(known, entity),
    runs: known.runs,
  })

/** Records of a copy: as the run that fills it counts them, else as they were counted last. */
function recordsOf({ copies, runs }: KnownSyncs, entity: string): number {
  const running = runs.find((run) => isUnder(run, entity))
  const counted = running === undefined ? undefined : readProgress(running.progress).stored?.[entity]
  return Math.max(0, counted ?? copies.get(entity)?.records ?? 0)
}

/** Whether no part was left unread. */
export const isWhole = ({ copies }: KnownSyncs, entity: string): boolean => {
  const copy = copies.get(entity)
  return typeof copy?.synced_at === 'number' && copy.whole === 1 && copy.outcome !== 'skipped'
}

/** Whether searches are answered without the wish for a part. */
export const isSearchable = (known: KnownSyncs, entity: string): boolean =>
  typeof known.copies.get(entity)?.synced_at === 'number' && obstacleOf(known, entity) === null

function progressOf({ runs }: KnownSyncs, entity: string): SyncEntityProgress | null {
  const running = runs.find(({ state }) => state === 'running')
  return running === undefined ? null : (readProgress(running.progress).entities.find((each) => each.entity === entity) ?? null)
}

const indexRecord = ({ field, state, createdAt, usedAt, bytes, error }: IndexRecord): SyncIndexRecord => ({
  field,
  state,
  created_at: iso(createdAt),
  used_at: shown(usedAt),
  size_bytes: bytes,
  error,
})

/**
 * The status of an entity.
 * @param defaultSeconds interval of schedules that have none of their own
 */
export function entityStatus(known: KnownSyncs, entity: string, defaultSeconds: number): SyncEntityStatus {
  const copy = known.copies.get(entity)
  const state = entityState(known, entity)
  const syncedAt = copy?.synced_at ?? null
  const schedule = scheduleOf(known, entity)
  const isUnder = ['updating', 'preview', 'building_preview'].includes(state)
  return {
    entity,
    state,
    ready_for_search: isSearchable(known, entity),
    complete: isWhole(known, entity),
    records: recordsOf(known, entity),
    synced_at: shown(syncedAt),
    verified_at: shown(copy?.verified_at),
    incremental: known.found.kind === undefined ? null : incrementalOf(known.found.kind.definition, entity),
    lag_seconds: lagOf(syncedAt, known.now),
    last_success_at: shown(copy?.last_success_at),
    last_attempt_at: shown(copy?.last_attempt_at),
    last_error: copy === undefined ? null : errorOf(copy),
    reason: obstacleOf(known, entity),
    next_run_at: state === 'disabled' && copy?.outcome !== 'skipped' ? null : shown(nextRunOf(known, entity)),
    interval_seconds: schedule?.interval_seconds ?? defaultSeconds,
    paused: schedule?.next_run_at === null,
    progress: isUnder ? progressOf(known, entity) : null,
    indexes: (known.indexes.get(entity) ?? []).map(indexRecord),
    words: known.renewals.has(entity) ? 'renewing' : 'current',
  }
}
