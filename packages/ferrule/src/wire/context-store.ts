/** Status of copies on the wire, and the server-sent events of it and of runs. */
import { bool, type Field, int, list, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { problemDetails } from './problem.ts'
import { part, query, record, recordOrNull, uuid, type Wire } from './schemas.ts'
import { scheduleRecord, syncEntityProgress, syncError, syncRunRecord } from './syncs.ts'

export const copyStates = ['loading', 'building_preview', 'preview', 'ready', 'updating', 'failed', 'disabled'] as const
/** State of a copy. */
export type SyncState = (typeof copyStates)[number]

/** States of an index that was created on demand. */
export const indexStates = ['building', 'ready', 'failed'] as const
/** State of a copy. */
export const copyState = oneOf(
  'loading: nothing was read yet; building_preview and preview: the first sync runs (preview: searches with allow_partial find some ' +
    'records); ready; updating: a sync runs; failed: the last attempt failed, searches find the records from before; disabled: not synced',
  ...copyStates,
)

const common = {
  state: copyState,
  ready_for_search: bool('true: searches are answered'),
  records: int('Records of the copy'),
  synced_at: orNull(
    time('The copy holds what was new or changed until this time, as far as the vendor reports changes; null: no sync has finished'),
  ),
  verified_at: orNull(
    time(
      'Time of the last comparison with all records of the vendor. Later edits without a trace, late additions and deletions can be ' +
        'missing. Of a connector: the earliest time of its entities',
    ),
  ),
  lag_seconds: orNull(int('Seconds since synced_at')),
  last_success_at: orNull(time('Time of the last successful sync')),
  last_attempt_at: orNull(time('Time when a sync last ended, successful or not')),
  last_error: recordOrNull(syncError),
  next_run_at: orNull(time('Time of the next run; null: the schedule is paused and no run is queued')),
}

export const copySummary = record('ContextStoreSummary', common, 'State and freshness of a copy')
/** State and freshness of a copy. */
export type CopySummary = Wire<typeof copySummary>

export const indexRecord = record(
  'ContextStoreIndex',
  {
    field: str('Indexed searchable field'),
    state: oneOf('failed: the creation failed; it is retried a few times, after a pause', ...indexStates),
    created_at: time('Time when the index was ready; until then: start of its creation'),
    used_at: orNull(time('Time of the last search that used the index, to about ten minutes; null: never')),
    size_bytes: int('Size in bytes'),
    error: orNull(str("Why the creation failed: an error code, or PostgreSQL's SQLSTATE")),
  },
  'An index over a field of a copy, created because searches were slow without it',
)
/** An index over a field of a copy, created because searches were slow without it. */
export type SyncIndexRecord = Wire<typeof indexRecord>

const incremental = part(
  {
    entity: str('Entity whose records carry the time of change'),
    field: orNull(str('Field with the time of change; null: days of figures')),
    lookback_seconds: int('Seconds before the latest known time of change from which records are read again'),
  },
  'What runs read between two comparisons; null: every run compares all records',
)
/** What an incremental run reads. */
export type SyncIncremental = Wire<typeof incremental>

/** First day whose figures can still change. */
export const mayChangeFrom = str(
  'Days of figures only: figures of this day (YYYY-MM-DD) and later can still change, also where complete is true. Each sync reads them again',
)

const entityStatus = part(
  {
    entity: str('Entity'),
    ...common,
    complete: bool(
      'true: every part was read. false before the first sync has finished, and while a part cannot be read. Age does not matter',
    ),
    may_change_from: opt(mayChangeFrom),
    incremental: recordOrNull(incremental),
    reason: orNull(str('Why the entity is disabled')),
    interval_seconds: int('Seconds between two runs'),
    paused: bool('true: the schedule of the entity is paused'),
    progress: recordOrNull(syncEntityProgress),
    indexes: list(indexRecord, 'Indexes that were created on demand'),
  },
  'The copy of one entity',
)
/** Status of the copy of one entity. */
export type SyncEntityStatus = Wire<typeof entityStatus>

export const contextStoreStatus = record(
  'ContextStoreStatus',
  {
    connector_id: uuid('Connector id'),
    ...common,
    schedules: list(scheduleRecord, 'Schedules'),
    changes_days: int('Days for which changes are kept for those who read them; unread ones of a consumer are kept for longer'),
    running: recordOrNull(syncRunRecord),
    queued: recordOrNull(syncRunRecord),
    entities: list(entityStatus, 'Searchable entities'),
  },
  'Status of the copy of a connector',
)
/** Status of the copy of a connector. */
export type SyncStatusRecord = Wire<typeof contextStoreStatus>

/** How fresh the copy of one entity is. */
export type SyncFreshness = Pick<SyncEntityStatus, 'state' | 'synced_at' | 'verified_at' | 'complete' | 'may_change_from'> & {
  /** Records at the last count; null when nothing was ever stored. */
  readonly records: number | null
}

export const watchQuery = query({ until: opt(oneOf('filled: the stream ends when the first sync of every entity has ended', 'filled')) })
/** When a stream of statuses ends. */
export type WatchQuery = Wire<typeof watchQuery>

/** Query of a reset of the copy. */
export const resetQuery = query({ entities: opt(str('Names of entities, separated by commas; left out: all')) })

const inspectedEntity = part(
  {
    entity: str('Entity'),
    status: copyState,
    ready_for_search: bool('true: searches are answered'),
    supported: bool('true: the kind offers the entity'),
    entity_count: int('Records of the copy'),
    updated_at: orNull(time('synced_at of the copy')),
    semantic_search_status: list(str('None'), 'Always empty: there is no semantic search', { maxItems: 0 }),
  },
  'An entity',
)
/** A synced entity. */
export type InspectedEntity = Wire<typeof inspectedEntity>

export const inspection = record(
  'Inspection',
  {
    connector_id: uuid('Connector id'),
    name: str('Display name'),
    workspace_id: uuid('Workspace id'),
    organization_id: uuid('Organization id'),
    source_definition_id: uuid('Definition id of the kind'),
    source_definition_name: str('Title of the kind'),
    source_config_template_id: uuid('The same as source_definition_id'),
    docs_skill_id: str('Slug of the kind: its reference is /docs/reference/<slug>'),
    context_store_readiness: part(
      {
        connector_id: uuid('Connector id'),
        source_definition_id: uuid('Definition id of the kind'),
        supported_context_store_entities: list(
          part({ entity: str('Entity'), suggested: bool('true: synced unless the connector is limited to other entities') }, 'An entity'),
          'Searchable entities',
        ),
        configured_cache_entities: list(inspectedEntity, 'Synced entities'),
      },
      'Searchable entities and their state',
    ),
    warnings: list(str('Sentence'), 'Problems that need attention'),
  },
  'A connector and its copy at a glance',
)
/** A connector and its copy at a glance. */
export type Inspection = Wire<typeof inspection>

/** One kind of server-sent event. */
export interface EventSchema<S extends Field = Field> {
  /** The member `event`. */
  readonly name: string
  /** Schema of the member `data`, which is JSON. */
  readonly data: S
}

const event = <S extends Field>(name: string, data: S): EventSchema<S> => ({ name, data })

/** A run, now and after every change. */
export const runEvent = event('run', syncRunRecord)
/** The status of a copy, now and after every change. */
export const statusEvent = event('status', contextStoreStatus)
/** Why a stream ends before its values do. */
export const endEvent = event('end', problemDetails)
