/**
 * Records and bodies of the HTTP interface, typed out by hand. A red line here asks: did you mean to change this? Then it is a
 * change for the changelog.
 */
import { expect, test } from 'vitest'
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts'
import { routes } from '../../packages/server/src/http/routes/index.ts'
import { notate } from './notation.ts'
import { accessRecords } from './wire-access.ts'
import { connectRecords } from './wire-connect.ts'
import { kindRecords } from './wire-kinds.ts'
import { overviewRecords } from './wire-overview.ts'
import { webhookRecords } from './wire-webhooks.ts'

type Json = ReturnType<typeof JSON.parse>

const print = (): Json => structuredClone(openApiDocument({ routes, kinds: [] }))
/** Left out: codes, which test/pins/http.test.ts pins with their statuses, and what the kinds decide. */
const elsewhere = /^(ErrorCode|SearchCondition|ExecuteRequest|ExecuteAnswer)$/
const pinned = (document: Json) =>
  Object.fromEntries(
    Object.entries(document.components.schemas)
      .filter(([name]) => !elsewhere.test(name))
      .map(([name, schema]) => [name, notate(schema)]),
  )

test('records and bodies', () => {
  expect(pinned(print())).toEqual({
    ...accessRecords,
    ...connectRecords,
    ...kindRecords,
    ...overviewRecords,
    ...webhookRecords,
    AggregateAnswer:
      '{ context_store: { complete: boolean, may_change_from?: string, status: loading | building_preview | preview | ready | updating | failed | disabled, synced_at: date-time | null, verified_at: date-time | null }, data: [object], meta: { changed?: boolean, cursor: string | null, groups: integer, has_more: boolean, related?: [{ complete: boolean, entity: string, may_change_from?: string, status: loading | building_preview | preview | ready | updating | failed | disabled, synced_at: date-time | null, verified_at: date-time | null }], skipped?: object, took_ms: integer, unknown_paths?: [string] }, truncated_fields?: [string] }',
    AggregateRequest: {
      action: 'string',
      'allow_partial?': 'boolean | null',
      entity: 'string',
      'exclude_fields?': '[string] | null',
      'intent?': 'string | null',
      'max_age?': 'integer | null',
      'params?':
        '{ cursor?: string | null, group_by?: [string | { as?: string | null, by?: year | quarter | month | week | day | hour | null, field: string, ranges?: [number | string] | null, time_zone?: string | null }] | null, having?: SearchCondition | null, include?: object | null, limit?: integer | null, measures?: object | null, query?: { filter?: SearchCondition | null, text?: string | null } | null, sort?: [object] | null } | null',
      'select_fields?': '[string] | null',
      'skip_truncation?': 'boolean | null',
    },
    ChangeConsumer: {
      created_at: 'date-time',
      cursor: 'string | null',
      entities: '[string] | null',
      moved_at: 'date-time | null',
      name: 'string',
      positions:
        '[{ entity: string, state: snapshot | following | expired, unread_bytes: integer | null, unread_since: date-time | null }]',
      status: 'active | expired',
      status_reason: 'string | null',
      unread_bytes: 'integer',
      unread_since: 'date-time | null',
    },
    ChangeConsumerInput: '{ cursor?: string, entities?: [string] | null, replaces?: string | null }',
    ChangeConsumerList: '{ data: [ChangeConsumer] }',
    ChangeConsumerRemoval: '{ deleted_at: date-time, name: string }',
    ChangesPage:
      '{ data: [{ cause?: sync | live | webhook, changed_at?: date-time, fields?: [string], key?: string, record?: object, type: snapshot_begin | present | snapshot_end | added | changed | removed }], has_more: boolean, next: string }',
    CheckResult: {
      entity_check_results: '[{ entity: string, error_message?: string, status: succeeded | failed | skipped, status_code?: integer }]',
      'error_message?': 'string',
      'failure_reason?':
        '{ external_message: string, failure_origin: source, failure_type: config_error | transient_error, internal_message: ErrorCode, problem: Problem, retryable: boolean, timestamp: integer }',
      id: 'uuid',
      status: 'succeeded | failed',
    },
    ConnectorChangesPage:
      '{ data: [{ cause?: sync | live | webhook, changed_at?: date-time, entity: string, fields?: [string], key?: string, record?: object, type: snapshot_begin | present | snapshot_end | added | changed | removed }], has_more: boolean, next: string }',
    Connector: {
      changes_days: 'integer | null',
      connector_type: 'string',
      created_at: 'date-time',
      credential_fields: '[string]',
      credential_scheme: 'string',
      definition_id: 'uuid',
      entities: '[EntitySelection]',
      environment: '{ sandbox: boolean }',
      id: 'uuid',
      'kind_version?': 'integer',
      name: 'string',
      notices: '[{ message: string, since: date-time, type: api_version | deprecated }]',
      organization_id: 'uuid',
      replication_config: 'object',
      source_template:
        '{ icon: string | null, id: uuid, is_experimental: boolean, mode: DIRECT, name: string, partial_default_config: object, runtime_mode: direct_only | direct_and_context_store, source_definition_id: uuid, supports_context_store: boolean, tags: [string], user_config_spec: { connectionSpecification: object } }',
      status: 'active | auth_error | disabled',
      status_reason: 'string | null',
      updated_at: 'date-time',
      workspace_id: 'uuid',
      workspace_name: 'string',
    },
    ConnectorInput: {
      'changes_days?': 'integer | null',
      'check?': 'boolean',
      'connector_type?': 'string',
      'create_workspace?': 'boolean',
      credentials: 'object',
      'customer_name?': 'string',
      'definition_id?': 'string',
      'entities?': '[{ entity: string, modes?: [read | write] }]',
      'environment?': 'object',
      'external_user_id?': 'string',
      name: 'string',
      'replication_config?': 'object',
      'source_template_id?': 'string',
      'workspace_name?': 'string',
    },
    ConnectorPage: '{ data: [ConnectorSummary], next: string | null }',
    ConnectorPatch: {
      'changes_days?': 'integer | null',
      'check?': 'boolean',
      'credentials?': 'object',
      'entities?': '[{ entity: string, modes?: [read | write] }]',
      'kind_version?': 'integer',
      'name?': 'string',
      'replication_config?': 'object',
    },
    ConnectorSummary: {
      changes_days: 'integer | null',
      connector_type: 'string',
      created_at: 'date-time',
      credential_fields: '[string]',
      credential_scheme: 'string',
      definition_id: 'uuid',
      entities: '[EntitySelection]',
      environment: '{ sandbox: boolean }',
      id: 'uuid',
      'kind_version?': 'integer',
      name: 'string',
      notices: '[{ message: string, since: date-time, type: api_version | deprecated }]',
      organization_id: 'uuid',
      replication_config: 'object',
      status: 'active | auth_error | disabled',
      status_reason: 'string | null',
      summarized_source_template:
        '{ actor_definition_id: uuid, connector_name: string, icon: string | null, id: uuid, mode: DIRECT, name: string, organization_id: uuid, runtime_mode: direct_only | direct_and_context_store, supports_context_store: boolean, tags: [string] }',
      updated_at: 'date-time',
      workspace_id: 'uuid',
      workspace_name: 'string',
    },
    ConnectorUpdate:
      '{ changes_days?: integer | null, entities?: [{ entity: string, modes?: [read | write] }], name?: string, replication_config?: object }',
    ContextStoreIndex: {
      created_at: 'date-time',
      error: 'string | null',
      field: 'string',
      size_bytes: 'integer',
      state: 'building | ready | failed',
      used_at: 'date-time | null',
    },
    ContextStoreStatus: {
      changes_days: 'integer',
      connector_id: 'uuid',
      entities:
        '[{ complete: boolean, entity: string, incremental: { entity: string, field: string | null, lookback_seconds: integer } | null, indexes: [ContextStoreIndex], interval_seconds: integer, lag_seconds: integer | null, last_attempt_at: date-time | null, last_error: SyncError | null, last_success_at: date-time | null, may_change_from?: string, next_run_at: date-time | null, paused: boolean, progress: SyncEntityProgress | null, ready_for_search: boolean, reason: string | null, records: integer, state: loading | building_preview | preview | ready | updating | failed | disabled, synced_at: date-time | null, verified_at: date-time | null }]',
      lag_seconds: 'integer | null',
      last_attempt_at: 'date-time | null',
      last_error: 'SyncError | null',
      last_success_at: 'date-time | null',
      next_run_at: 'date-time | null',
      queued: 'SyncRun | null',
      ready_for_search: 'boolean',
      records: 'integer',
      running: 'SyncRun | null',
      schedules: '[Schedule]',
      state: 'loading | building_preview | preview | ready | updating | failed | disabled',
      synced_at: 'date-time | null',
      verified_at: 'date-time | null',
    },
    CutAnswer:
      '{ context_store?: { complete: boolean, may_change_from?: string, status: loading | building_preview | preview | ready | updating | failed | disabled, synced_at: date-time | null, verified_at: date-time | null }, data: [object] | object, meta: object, truncated_fields?: [string] }',
    EntitySelection: '{ entity: string, modes?: [read | write] }',
    Health: '{ status: ok }',
    Inspection: {
      connector_id: 'uuid',
      context_store_readiness:
        '{ configured_cache_entities: [{ entity: string, entity_count: integer, ready_for_search: boolean, semantic_search_status: [string], status: loading | building_preview | preview | ready | updating | failed | disabled, supported: boolean, updated_at: date-time | null }], connector_id: uuid, source_definition_id: uuid, supported_context_store_entities: [{ entity: string, suggested: boolean }] }',
      docs_skill_id: 'string',
      name: 'string',
      organization_id: 'uuid',
      source_config_template_id: 'uuid',
      source_definition_id: 'uuid',
      source_definition_name: 'string',
      warnings: '[string]',
      workspace_id: 'uuid',
    },
    Job: {
      connector_id: 'uuid',
      created_at: 'date-time',
      finished_at: 'date-time',
      id: 'uuid',
      status: 'succeeded',
      type: 'connector_delete',
    },
    JobReference: '{ job_id: uuid }',
    Organization: '{ created_at: date-time, id: uuid, name: string, role: admin }',
    OrganizationInput: '{ name: string }',
    OrganizationList: '{ data: [Organization] }',
    OrganizationRemoval: '{ deleted_at: date-time, id: uuid }',
    Problem: {
      code: 'ErrorCode',
      detail: 'string',
      errors:
        '[{ column?: integer, error_code: string, field: string, line?: integer, message: string, window?: { days: integer, from: string, page: string, to: string } }]',
      fault: 'caller | credentials | vendor | service',
      hint: 'string',
      'instance?': 'string',
      message: 'string',
      'request_id?': 'string',
      'retry_after_seconds?': 'integer',
      retryable: 'boolean',
      status: 'integer',
      title: 'string',
      type: 'string',
      'upstream?': '{ code?: string, message?: string, request_id?: string, status?: integer }',
    },
    Schedule: {
      default: 'boolean',
      entities: '[string] | null',
      interval_seconds: 'integer',
      next_run_at: 'date-time | null',
      paused: 'boolean',
    },
    ScheduleInput: '{ entity?: string, interval_seconds?: integer | null, paused?: boolean }',
    ScheduleList: '{ data: [Schedule] }',
    ScopedToken: '{ expires_in: integer, token: string }',
    ScopedTokenInfo: '{ organization_id: uuid, workspace_id: uuid, workspace_name: string }',
    ScopedTokenRequest: '{ customer_name?: string, external_user_id?: string, region_id?: uuid, workspace_name?: string }',
    SyncEntityProgress: {
      calls: 'integer',
      entity: 'string',
      estimated_end: 'date-time | null',
      pages: 'integer',
      records: 'integer',
      removed: 'integer',
      without_key: 'integer',
      written: 'integer',
    },
    SyncError: '{ code: ErrorCode, hint: string, message: string }',
    SyncInput: '{ entities?: [string], mode?: incremental | full }',
    SyncRun: {
      attempts: 'integer',
      cause: 'demand | search | webhook | created | changed | schedule',
      connector_id: 'uuid',
      created_at: 'date-time',
      entities: '[string] | null',
      error: 'SyncError | null',
      finished_at: 'date-time | null',
      id: 'uuid',
      mode: 'incremental | full',
      not_before: 'date-time | null',
      progress:
        '{ calls: integer, entities: [SyncEntityProgress], estimated_end: date-time | null, pages: integer, records: integer, removed: integer, without_key: integer, written: integer }',
      results: '[{ entity: string, error: SyncError | null, state: complete | changes | partial | skipped | failed }]',
      started_at: 'date-time | null',
      state: 'queued | running | succeeded | partial | failed | cancelled',
      workspace_id: 'uuid',
    },
    SyncRunPage: '{ data: [SyncRun], next: string | null }',
    SortDirection: 'asc | desc',
    Token: {
      access_token: 'string',
      expires_in: 'integer',
      organization_id: 'uuid | null',
      'scope?': 'string',
      token_type: 'bearer',
    },
    TokenRequest: '{ client_id?: string, client_secret?: string, grant_type?: client_credentials, scope?: string }',
    Workspace: {
      cache_enabled: 'boolean | null',
      color: 'string | null',
      created_at: 'date-time',
      id: 'uuid',
      name: 'string',
      organization_id: 'uuid',
      status: 'active | inactive',
      tombstone: 'boolean',
      updated_at: 'date-time',
      visibility: 'shared | private',
    },
    WorkspaceChange: '{ cache_enabled?: boolean | null, name?: string, status?: active | inactive }',
    WorkspaceInput: '{ name: string }',
    WorkspacePage: '{ data: [Workspace], next: string | null }',
    WorkspaceRemoval: '{ deleted_at: date-time, id: uuid }',
    WorkspaceStats: '{ active_count: integer, inactive_count: integer, total_count: integer }',
  })
})

test.each<[string, (schemas: Json) => void]>([
  ['a status that does not exist', ({ Workspace }) => Workspace.properties.status.enum.push('asleep')],
  ['a nullable that is not', ({ Workspace }) => Object.assign(Workspace.properties.name, { type: ['string', 'null'] })],
  ['anything instead of null', ({ ContextStoreStatus }) => ContextStoreStatus.properties.queued.anyOf.splice(1, 1, {})],
  ['an undocumented member', ({ Workspace }) => Object.assign(Workspace.properties, { owner: { type: 'string' } })],
])('%s in a schema differs from what is pinned', (_what, plant) => {
  const planted = print()
  plant(planted.components.schemas)
  expect(pinned(planted)).not.toEqual(pinned(print()))
})
