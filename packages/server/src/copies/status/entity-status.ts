/** Builds the status of the copy of one entity, and the state of all copies of a connector. Pure. */
import type { SyncEntityProgress, SyncEntityStatus, SyncIndexRecord, SyncState } from 'ferrule/wire'
import { iso, isoOrNull } from '../../values/ids.ts'
import type { CopyRow } from '../sql/sync-copies.ts'
import type { RunRow, ScheduleRow } from '../sql/sync-runs.ts'
import type { IndexRecord } from '../store/indexes/types.ts'
import { findChangingDay, toDay } from '../sync/walk/day-windows.ts'
import { describeIncremental, expandToGroups } from './groups.ts'
import { readEntities, readProgress, readResults, toSyncError } from './run-record.ts'
import type { StatusFacts } from './status-facts.ts'

/** Returns the whole seconds since a timestamp, both in milliseconds. */
export const computeLagSeconds = (moment: number | null, now: number): number | null =>
  moment === null ? null : Math.max(0, Math.floor((now - moment) / 1_000))

/** Returns the schedule of an entity. */
export function findSchedule({ connector, schedules }: StatusFacts, entity: string): ScheduleRow | undefined {
  const group = connector.groups.find(({ entities }) => entities.includes(entity))
  return schedules.find((schedule) => schedule.entity === group?.name) ?? schedules.find((schedule) => schedule.entity === '')
}

const listRunEntities = ({ connector }: StatusFacts, run: RunRow): readonly string[] => {
  if (connector.kind === undefined) return []
  const covered = expandToGroups(connector.kind.definition, connector.wanted, readEntities(run))
  const done = readResults(run.results).map((each) => each.entity)
  return covered.filter((entity) => !done.includes(entity))
}

/** Returns the earliest time of the next sync of an entity, by a waiting run or a schedule. */
export function findNextRunAt(facts: StatusFacts, entity: string): number | null {
  const waiting = facts.runs.filter((run) => run.state === 'queued' && listRunEntities(facts, run).includes(entity))
  if (waiting.length > 0) return Math.max(facts.now, Math.min(...waiting.map(({ not_before }) => not_before ?? facts.now)))
  return findSchedule(facts, entity)?.next_run_at ?? null
}

type CopiesOfConnector = Pick<StatusFacts, 'connector' | 'copies'>

/** Returns why an entity is not synced; null for a synced entity. */
function findReason({ connector, copies }: CopiesOfConnector, entity: string): string | null {
  if (connector.row.workspace_status === 'inactive') return 'the workspace is inactive'
  if (!connector.wanted.includes(entity)) return 'the connector is limited to other entities'
  const copy = copies.get(entity)
  return copy?.outcome === 'skipped' ? (copy.error_message ?? 'the vendor does not offer it') : null
}

/** Returns why searches have no copy; null where they have one. What was stored stays searchable when the vendor refuses it later. */
export function findObstacle(facts: CopiesOfConnector, entity: string): string | null {
  const copy = facts.copies.get(entity)
  const isStored = copy?.outcome === 'skipped' && typeof copy.synced_at === 'number'
  return isStored && facts.connector.row.workspace_status !== 'inactive' && facts.connector.wanted.includes(entity)
    ? null
    : findReason(facts, entity)
}

/** Returns the state of an entity's copy. */
export const computeEntityState = (facts: StatusFacts, entity: string): SyncState =>
  computeCopyState({
    entity,
    isWanted: facts.connector.wanted.includes(entity) && facts.connector.row.workspace_status !== 'inactive',
    copy: facts.copies.get(entity),
    records: countRecords(facts, entity),
    runs: facts.runs,
  })

/** Returns the records of a copy: the count of the run that fills the copy, else the last count. */
function countRecords({ copies, runs }: StatusFacts, entity: string): number {
  const running = runs.find((run) => isFilling(run, entity))
  const counted = running === undefined ? undefined : readProgress(running.progress).stored?.[entity]
  return Math.max(0, counted ?? copies.get(entity)?.records ?? 0)
}

/** Returns whether the last walk read every part of an entity. */
export const isComplete = ({ copies }: StatusFacts, entity: string): boolean => {
  const copy = copies.get(entity)
  return typeof copy?.synced_at === 'number' && copy.whole === 1 && copy.outcome !== 'skipped'
}

/** Returns whether searches work without `allow_partial`. */
export const isSearchable = (facts: CopiesOfConnector, entity: string): boolean =>
  typeof facts.copies.get(entity)?.synced_at === 'number' && findObstacle(facts, entity) === null

/** Describes which figures of an entity can still change; empty for an entity without days of figures, and before the first sync. */
export function describeChanging({ connector: { kind, row }, copies }: StatusFacts, entity: string): { may_change_from?: string } {
  const windows = kind?.definition.entities[entity]?.sync?.windows
  const syncedAt = copies.get(entity)?.synced_at
  if (kind === undefined || windows === undefined || typeof syncedAt !== 'number') return {}
  return { may_change_from: findChangingDay(windows, toDay(syncedAt), { kind, configuration: JSON.parse(row.configuration) }) }
}

function findProgress({ runs }: StatusFacts, entity: string): SyncEntityProgress | null {
  const running = runs.find(({ state }) => state === 'running')
  return running === undefined ? null : (readProgress(running.progress).entities.find((each) => each.entity === entity) ?? null)
}

const toIndexRecord = ({ field, state, createdAt, usedAt, bytes, error }: IndexRecord): SyncIndexRecord => ({
  field,
  state,
  created_at: iso(createdAt),
  used_at: isoOrNull(usedAt),
  size_bytes: bytes,
  error,
})

/**
 * Builds the status of an entity.
 * @param defaultSeconds interval of schedules without an own interval
 */
export function buildEntityStatus(facts: StatusFacts, entity: string, defaultSeconds: number): SyncEntityStatus {
  const copy = facts.copies.get(entity)
  const { kind, row, wanted } = facts.connector
  const state = computeEntityState(facts, entity)
  const syncedAt = copy?.synced_at ?? null
  const schedule = findSchedule(facts, entity)
  const isUnder = ['updating', 'preview', 'building_preview'].includes(state)
  return {
    entity,
    state,
    ready_for_search: isSearchable(facts, entity),
    complete: isComplete(facts, entity),
    records: countRecords(facts, entity),
    synced_at: isoOrNull(syncedAt),
    verified_at: isoOrNull(copy?.verified_at),
    ...describeChanging(facts, entity),
    incremental:
      kind === undefined
        ? null
        : describeIncremental({ definition: kind.definition, configuration: JSON.parse(row.configuration), wanted }, entity),
    lag_seconds: computeLagSeconds(syncedAt, facts.now),
    last_success_at: isoOrNull(copy?.last_success_at),
    last_attempt_at: isoOrNull(copy?.last_attempt_at),
    last_error: copy === undefined ? null : toSyncError(copy),
    reason: findReason(facts, entity),
    next_run_at: state === 'disabled' && copy?.outcome !== 'skipped' ? null : isoOrNull(findNextRunAt(facts, entity)),
    interval_seconds: schedule?.interval_seconds ?? defaultSeconds,
    paused: schedule?.next_run_at === null,
    progress: isUnder ? findProgress(facts, entity) : null,
    indexes: (facts.indexes.get(entity) ?? []).map(toIndexRecord),
  }
}

/** Facts that decide the state of an entity's copy. */
interface CopyFacts {
  readonly entity: string
  /** True when the connector keeps a copy and its workspace is active. */
  readonly isWanted: boolean
  /** Undefined before the first walk. */
  readonly copy: CopyRow | undefined
  readonly records: number
  /** Unfinished runs of the connector. */
  readonly runs: readonly RunRow[]
}

function isFilling(run: RunRow, entity: string): boolean {
  const isBegun = readProgress(run.progress).entities.some((each) => each.entity === entity)
  return isBegun && !readResults(run.results).some((each) => each.entity === entity)
}

/** The first matching rule gives the state. */
const rules: readonly (readonly [SyncState, (facts: CopyFacts & { readonly isFilled: boolean; readonly isWalked: boolean }) => boolean])[] =
  [
    ['disabled', ({ isWanted, copy, isFilled }) => !isWanted || (copy?.outcome === 'skipped' && !isFilled)],
    ['updating', ({ isFilled, runs, entity }) => isFilled && runs.some((run) => run.state === 'running' && isFilling(run, entity))],
    ['preview', ({ isFilled, isWalked, records }) => !isFilled && isWalked && records > 0],
    ['building_preview', ({ isFilled, isWalked }) => !isFilled && isWalked],
    ['failed', ({ copy }) => copy?.outcome === 'failed' || copy?.outcome === 'skipped'],
    ['ready', ({ isFilled }) => isFilled],
    ['loading', () => true],
  ]

function computeCopyState(facts: CopyFacts): SyncState {
  const { entity, copy, runs } = facts
  const isFilled = typeof copy?.synced_at === 'number'
  const known = { ...facts, isFilled, isWalked: runs.some((run) => isFilling(run, entity)) }
  return rules.find(([, fits]) => fits(known))?.[0] ?? 'loading'
}

/** Returns the state of a connector from the states of its enabled entities. */
export function computeConnectorState(states: readonly SyncState[]): SyncState {
  const among = states.filter((state) => state !== 'disabled')
  const has = (...some: readonly SyncState[]): boolean => among.some((state) => some.includes(state))
  if (among.length === 0) return 'disabled'
  if (has('loading', 'building_preview', 'preview')) {
    if (has('preview', 'ready', 'updating')) return 'preview'
    return has('building_preview') ? 'building_preview' : 'loading'
  }
  if (has('updating')) return 'updating'
  return has('ready') ? 'ready' : 'failed'
}
