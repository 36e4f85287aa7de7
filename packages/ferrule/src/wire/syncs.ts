/** Runs and schedules of syncs on the wire. */
import { bool, int, list, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { page, pageQuery } from './paging.ts'
import { errorCode } from './problem.ts'
import { body, part, query, record, recordOrNull, uuid, type Wire } from './schemas.ts'

export const runStates = ['queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled'] as const
/** State of a run; `partial` when some entities were not updated, or not completely. */
export type RunState = (typeof runStates)[number]
export const runModes = ['incremental', 'full'] as const
/** Scope of a run: changes since the last run, or everything. */
export type RunMode = (typeof runModes)[number]
export const runCauses = ['demand', 'search', 'webhook', 'created', 'changed', 'schedule'] as const
/** Cause of a run: a client, a search, a webhook of the vendor, a new connector, a changed connector, or a schedule. */
export type RunCause = (typeof runCauses)[number]

export const entityOutcomes = ['complete', 'changes', 'partial', 'skipped', 'failed'] as const
/** Outcome of a run for one entity. */
export type EntityOutcome = (typeof entityOutcomes)[number]

export const syncError = record(
  'SyncError',
  { code: errorCode, message: str('What is wrong'), hint: str('What to do next') },
  'Why a sync failed',
)
/** Why a sync failed, and what to do. */
export type SyncError = Wire<typeof syncError>

const counts = {
  records: int('Records that the vendor returned'),
  pages: int('Pages of lists'),
  calls: int("Calls of the vendor's API"),
  written: int('Rows that were added to the copy or replaced'),
  removed: int('Rows that were deleted, because the vendor no longer has the records'),
  without_key: int('Records without their key; they cannot be stored, so searches do not find them'),
}
const syncCounts = part(counts, 'What a run has read and written')
/** What a run has read and written. */
export type SyncCounts = Wire<typeof syncCounts>

export const syncEntityProgress = record(
  'SyncEntityProgress',
  { entity: str('Entity'), ...counts, estimated_end: orNull(time('Estimated time of the end; null: unknown')) },
  'Progress of a run with one entity',
)
/** How far a run has come with one entity. */
export type SyncEntityProgress = Wire<typeof syncEntityProgress>

const syncProgress = part(
  {
    ...counts,
    estimated_end: orNull(time('Estimated time of the end; null: unknown')),
    entities: list(syncEntityProgress, 'Entities that the run has begun, including entities that are only read to reach others'),
  },
  'Progress of the run',
)
/** How far a run has come. */
export type SyncProgress = Wire<typeof syncProgress>

const syncEntityResult = part(
  {
    entity: str('Entity'),
    state: oneOf(
      'complete: everything was read; changes: all changes were read (an error is a notice then); partial: a part could not be read; skipped: the credentials or ' +
        'the vendor do not offer the entity; failed: the entity could not be read',
      ...entityOutcomes,
    ),
    error: recordOrNull(syncError),
  },
  'Result for one entity',
)
/** How a run ended for one entity. */
export type SyncEntityResult = Wire<typeof syncEntityResult>

const syncRun = {
  id: uuid('Id of the run'),
  connector_id: uuid('Connector id'),
  workspace_id: uuid('Workspace id'),
  state: oneOf('partial: some entities are up to date, others are not or only in part', ...runStates),
  mode: oneOf('incremental: changes, where the vendor reports them; full: everything, and deleted records are removed', ...runModes),
  entities: orNull(list(str('Entity'), 'Requested entities; null: all')),
  cause: oneOf('Cause of the run', ...runCauses),
  attempts: int('Number of starts and resumptions'),
  not_before: orNull(time('Of a queued run: earliest time of its start; null: as soon as possible')),
  progress: syncProgress,
  results: list(syncEntityResult, 'Finished entities'),
  error: recordOrNull(syncError),
  created_at: time('Time of the request'),
  started_at: orNull(time('Time of the first start')),
  finished_at: orNull(time('Time of the end; null until then')),
}

export const syncRunRecord = record('SyncRun', syncRun, 'A run that brings the copy of a connector up to date')
/** A run that brings the copy of a connector up to date. */
export type SyncRunRecord = Wire<typeof syncRunRecord>

/** States of a run that has not ended. */
export const unfinishedStates = ['queued', 'running'] as const

export const unfinishedRunRecord = record(
  'UnfinishedSyncRun',
  { ...syncRun, connector_name: str('Display name of the connector'), connector_type: str('Slug of the kind') },
  'An unfinished run with the name of its connector',
)
/** An unfinished run with the name of its connector. */
export type UnfinishedRunRecord = Wire<typeof unfinishedRunRecord>

/** One page of unfinished runs. */
export const unfinishedRunPage = page('UnfinishedSyncRunPage', unfinishedRunRecord, 'unfinished runs')

export const unfinishedRunQuery = query({
  state: opt(oneOf('Only runs in this state.', ...unfinishedStates)),
  workspace_id: opt(uuid('Only runs of this workspace.')),
  ...pageQuery,
})
/** What the list of unfinished runs is limited to. */
export type UnfinishedRunQuery = Wire<typeof unfinishedRunQuery>

/** One page of runs. */
export const syncRunPage = page('SyncRunPage', syncRunRecord, 'runs')

const entities = list(str('Name of a searchable entity.', { maxLength: 200 }), 'Entities; left out: all.', { minItems: 1, maxItems: 200 })

export const syncInput = body(
  'SyncInput',
  {
    mode: opt(
      oneOf('incremental: changes, where the vendor reports them; full: everything, and deleted records are removed.', ...runModes),
    ),
    entities: opt(entities),
  },
  'What to bring up to date',
)
/** What to bring up to date. */
export type SyncInput = Wire<typeof syncInput>

export const resetInput = body('ResetInput', { entities: opt(entities) }, 'Entities whose copy is emptied')
/** Entities whose copy is emptied; the HTTP surface reads them from the query. */
export type ResetInput = Wire<typeof resetInput>

export const syncQuery = query({ state: opt(oneOf('Only runs in this state.', ...runStates)), ...pageQuery })
/** What the list of runs is limited to. */
export type SyncQuery = Wire<typeof syncQuery>

export const scheduleRecord = record(
  'Schedule',
  {
    entities: orNull(list(str('Entity'), 'Entities with their own interval, which are read together; null: all others')),
    interval_seconds: int('Seconds between two runs'),
    default: bool("true: the interval is the service's default"),
    paused: bool('true: the schedule starts no runs'),
    next_run_at: orNull(time('Time of the next run')),
  },
  'When copies are brought up to date',
)
/** When copies are brought up to date. */
export type SyncScheduleRecord = Wire<typeof scheduleRecord>

export const scheduleList = record('ScheduleList', { data: list(scheduleRecord, 'Schedules') }, 'All schedules of a connector')
/** All schedules of a connector. */
export type ScheduleList = Wire<typeof scheduleList>

export const scheduleInput = body(
  'ScheduleInput',
  {
    interval_seconds: opt(
      orNull(
        int('Seconds between two runs; null: the default, or with `entity` no interval of its own.', { minimum: 60, maximum: 2_592_000 }),
      ),
    ),
    paused: opt(bool('true: the schedule starts no runs.')),
    entity: opt(str('Entity; entities that are read with it have the same schedule. Left out: all others.', { maxLength: 200 })),
  },
  'When to bring copies up to date',
)
/** When to bring copies up to date. */
export type ScheduleInput = Wire<typeof scheduleInput>
