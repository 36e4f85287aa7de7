/** Shared schemas of the context store: runs, status, schedules. */
import { bool, type Field, type Fields, int, list, obj, oneOf, opt, orNull, str } from '../../definition/fields.ts'
import { bodies } from '../../platform/bodies.ts'
import { headStarts, runModes, runMoves } from '../../platform/syncs/states.ts'
import { answer, moment, page, ref, uuid } from './shared.ts'

const moments = <const N extends string>(fields: Readonly<Record<N, string>>): Fields =>
  Object.fromEntries(Object.entries<string>(fields).map(([name, about]) => [name, orNull(moment(about))]))

/** A schema of its own, or null. */
const orNothing = (schema: Field): Field => ({ anyOf: [schema, { type: 'null' }] }) as Field // composed schemas have no builder

const counts = {
  records: int('Records that the vendor gave'),
  pages: int('Pages of lists'),
  calls: int("Calls of the vendor's API"),
  written: int('Rows of the copy that are new or were replaced'),
  removed: int('Rows that were removed, because the vendor has them no more'),
  without_key: int('Records without their key: they cannot be stored, so searches do not find them'),
}

const state = oneOf(
  'loading: nothing was read yet; building_preview and preview: it is filled for the first time (preview: some records are there, for ' +
    'searches with allow_partial); ready; updating: it is brought up to date; failed: the last attempt did not work, and what was there ' +
    'before is still found; disabled: it is not synced',
  ...['loading', 'building_preview', 'preview', 'ready', 'updating', 'failed', 'disabled'],
)

const status = {
  state,
  ready_for_search: bool('Whether searches are answered'),
  records: int('Records of the copy'),
  ...moments({
    synced_at: 'What was new or had changed until this moment, as far as the vendor tells, is in the copy; null before it was filled once',
    verified_at:
      'The copy was compared with everything that the vendor had at this moment: records that were edited without a trace, added late or ' +
      'deleted since then can be out of step. Of a connector: the earliest of its entities',
  }),
  lag_seconds: orNull(int('Seconds since synced_at')),
  ...moments({ last_success_at: 'When a walk brought it up to date last', last_attempt_at: 'When a walk ended last, however' }),
  last_error: orNothing(ref('SyncError')),
  ...moments({ next_run_at: 'When the next run is due; null while the schedule is paused and nothing waits' }),
}

/** Bodies and answers by their names. */
export const contextSchemas: Readonly<Record<string, Field>> = {
  SyncInput: obj(bodies.requestSync, 'What to bring up to date'),
  ScheduleInput: obj(bodies.setSchedule, 'When to bring it up to date'),
  SyncError: answer(
    { code: str('Code of the table of errors'), message: str('What is wrong'), hint: str('What to do next') },
    'Why it did not work',
  ),
  SyncEntityProgress: answer(
    { entity: str('Entity'), ...counts, ...moments({ estimated_end: 'When it will be done, by its pace; null where nothing is known' }) },
    'How far a run has come with one entity',
  ),
  SyncRun: answer(
    {
      id: uuid('Id of the run'),
      connector_id: uuid('Connector id'),
      workspace_id: uuid('Workspace id'),
      state: oneOf('partial: some entities were brought up to date and others were not, or not wholly', ...Object.keys(runMoves)),
      mode: oneOf('incremental: what changed, where the vendor tells; full: everything, and what is gone is removed', ...runModes),
      entities: orNull(list(str('Entity'), 'Entities that were asked for; null: all')),
      cause: oneOf('Why it came into being', ...Object.keys(headStarts)),
      attempts: int('How often it was begun or gone on with'),
      ...moments({ not_before: 'While it waits: when it goes on at the earliest' }),
      progress: answer(
        {
          ...counts,
          ...moments({ estimated_end: 'When it will be done, by its pace' }),
          entities: list(ref('SyncEntityProgress'), 'Entities that were begun'),
        },
        'How far it has come',
      ),
      results: list(
        answer(
          {
            entity: str('Entity'),
            state: oneOf(
              'complete: everything was met; changes: what changed was met; partial: a part could not be read; skipped: the credentials or the vendor do not offer it; failed: it could not be read',
              ...['complete', 'changes', 'partial', 'skipped', 'failed'],
            ),
            error: orNothing(ref('SyncError')),
          },
          'How it ended for one entity',
        ),
        'Entities that are done',
      ),
      error: orNothing(ref('SyncError')),
      created_at: moment('When it was asked for'),
      ...moments({ started_at: 'When it was begun first', finished_at: 'When it ended; null until then' }),
    },
    'A run that brings the copy of a connector up to date',
  ),
  SyncRunPage: page('SyncRun', 'runs'),
  Schedule: answer(
    {
      entities: orNull(list(str('Entity'), 'Entities with an interval of their own, which are read together; null: all others')),
      interval_seconds: int('Seconds between two runs'),
      default: bool("Whether the interval is the service's default"),
      paused: bool('Whether nothing is run by it'),
      ...moments({ next_run_at: 'When it is due next' }),
    },
    'When copies are brought up to date',
  ),
  ScheduleList: answer({ data: list(ref('Schedule'), 'Schedules') }, 'All schedules of a connector'),
  ContextStoreIndex: answer(
    {
      field: str('Searchable field that it is over'),
      state: oneOf('failed: it could not be made; it is tried again after a pause, a few times', ...['building', 'ready', 'failed']),
      created_at: moment('When it was ready; until then: when its making began'),
      ...moments({ used_at: 'When searches were seen to use it last, to about ten minutes; null: never' }),
      size_bytes: int('Its size in bytes'),
      error: orNull(str("Why it could not be made: a code of the table of errors, or PostgreSQL's SQLSTATE")),
    },
    'An index over a field of a copy, made because searches were slow without it',
  ),
  ContextStoreStatus: answer(
    {
      connector_id: uuid('Connector id'),
      ...status,
      schedules: list(ref('Schedule'), 'Schedules'),
      running: orNothing(ref('SyncRun')),
      queued: orNothing(ref('SyncRun')),
      entities: list(
        answer(
          {
            entity: str('Entity'),
            ...status,
            complete: bool(
              'Whether no part was left unread: false before it was filled once, and while a part cannot be read. It tells nothing of age',
            ),
            incremental: orNothing(
              answer(
                {
                  entity: str('The entity whose records tell the moment'),
                  field: orNull(str('Field of the moment; null: days of figures')),
                  lookback_seconds: int('So far before the latest known moment everything is asked for again'),
                },
                'What runs between two comparisons ask for; null: every run compares everything',
              ),
            ),
            reason: orNull(str('Why it is disabled')),
            interval_seconds: int('Seconds between two runs'),
            paused: bool('Whether its schedule is paused'),
            progress: orNothing(ref('SyncEntityProgress')),
            indexes: list(ref('ContextStoreIndex'), 'Indexes that were made on demand'),
            words: oneOf(
              'renewing: after an upgrade its words are made anew; until then it is searched by the rules of before',
              'current',
              'renewing',
            ),
          },
          'The copy of one entity',
        ),
        'Entities that can be searched',
      ),
    },
    'How far the copy of a connector is',
  ),
  Inspection: answer(
    {
      connector_id: uuid('Connector id'),
      name: str('Display name'),
      workspace_id: uuid('Workspace id'),
      organization_id: uuid('Organization id'),
      source_definition_id: uuid('Definition id of the kind'),
      source_definition_name: str('Title of the kind'),
      source_config_template_id: uuid('The same as source_definition_id'),
      docs_skill_id: str('Slug of the kind: its reference is docs/reference/<slug>.md'),
      context_store_readiness: answer(
        {
          connector_id: uuid('Connector id'),
          source_definition_id: uuid('Definition id of the kind'),
          supported_context_store_entities: list(
            answer({ entity: str('Entity'), suggested: bool('Whether it is synced unless the connector is limited') }, 'An entity'),
            'Entities that can be searched',
          ),
          configured_cache_entities: list(
            answer(
              {
                entity: str('Entity'),
                status: state,
                ready_for_search: bool('Whether searches are answered'),
                supported: bool('Whether the kind offers it'),
                entity_count: opt(int('Records of the copy')),
                ...moments({ updated_at: 'synced_at of the copy' }),
                semantic_search_status: list(str('None'), 'Always empty: there is no semantic search', { maxItems: 0 }),
              },
              'An entity',
            ),
            'Entities that are synced',
          ),
        },
        'What can be searched, and whether it can be yet',
      ),
      warnings: list(str('Sentence'), 'What needs somebody'),
    },
    'A connector and its copy at a glance',
  ),
}
