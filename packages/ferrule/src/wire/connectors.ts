/** Connectors and the jobs on them, on the wire. */
import { bool, int, list, obj, oneOf, open, opt, orNull, str, time } from '../definition/index.ts'
import { copySummary } from './context-store.ts'
import { page } from './paging.ts'
import { jsonSchema, part, record, recordOrNull, uuid, type Wire } from './schemas.ts'
import { syncError, syncRunRecord } from './syncs.ts'

export const storedConnectorStatuses = ['active', 'auth_error'] as const
/** Status of a connector that is stored. */
export type StoredConnectorStatus = (typeof storedConnectorStatuses)[number]
export const connectorStatuses = [...storedConnectorStatuses, 'disabled'] as const
/** Status of a connector: that of its workspace included. */
export type ConnectorStatus = (typeof connectorStatuses)[number]

/** Modes of an entity. */
export const entityModes = ['read', 'write'] as const

/** Types of notices. */
export const noticeTypes = ['api_version', 'deprecated'] as const

export const entitySelection = record(
  'EntitySelection',
  { entity: str('Entity'), modes: opt(list(oneOf('Mode', ...entityModes), 'Modes; left out: all')) },
  'An entity that the connector is limited to',
)
/** An entity that a connector is limited to. */
export type EntitySelection = Wire<typeof entitySelection>

export const connectorNotice = obj(
  {
    type: oneOf('Subject of the notice', ...noticeTypes),
    message: str("The vendor's message"),
    since: time('Time of the first such message'),
  },
  'Notice',
)
/** Something that a vendor says beside an answer. */
export type ConnectorNotice = Wire<typeof connectorNotice>

const template = {
  id: uuid('Definition id'),
  name: str('Title of the kind'),
  icon: orNull(str('Address of the icon')),
  tags: list(str('Tag'), 'Tags'),
  mode: oneOf('How records are reached', 'DIRECT'),
  runtime_mode: oneOf('What the kind offers', 'direct_only', 'direct_and_context_store'),
  supports_context_store: bool('true: records can be searched'),
}

const connector = {
  id: uuid('Connector id'),
  name: str('Display name, unique in the workspace'),
  connector_type: str('Slug of the kind'),
  kind_version: opt(int('Version of the kind, if it is one of the organization')),
  definition_id: uuid('Definition id of the kind'),
  workspace_id: uuid('Workspace id'),
  workspace_name: str('Workspace name'),
  organization_id: uuid('Organization id'),
  status: oneOf('active; auth_error: the vendor refused the credentials; disabled: the workspace is inactive', ...connectorStatuses),
  status_reason: orNull(str('Why the connector is not active, or why its syncs wait, and what to do')),
  notices: list(connectorNotice, 'Messages of the vendor beside its answers'),
  credential_scheme: str('Authentication scheme'),
  credential_fields: list(str('Name'), 'Names of the stored credential fields; values are never returned'),
  replication_config: open('Configuration values'),
  entities: list(entitySelection, 'Entities that are copied; empty: all'),
  changes_days: orNull(int('Days for which changes of the copy are kept; null: as long as the service keeps them by default')),
  environment: part({ sandbox: bool('true: the connector calls the stand-in of the vendor') }, 'Where the connector runs'),
  created_at: time('Time of creation'),
  updated_at: time('Time of the last change'),
}

const connectorCommon = part(connector, 'A connector without its kind')
/** What records and summaries of connectors share. */
export type ConnectorCommon = Wire<typeof connectorCommon>

export const connectorRecord = record(
  'Connector',
  {
    ...connector,
    source_template: part(
      {
        ...template,
        source_definition_id: uuid('Definition id'),
        user_config_spec: part({ connectionSpecification: jsonSchema('Configuration') }, 'What can be configured'),
        partial_default_config: open('Preset configuration'),
        is_experimental: bool('true: the kind is experimental'),
      },
      'The kind',
    ),
  },
  'A connector',
)
/** A connector. */
export type ConnectorRecord = Wire<typeof connectorRecord>

export const connectorSummary = record(
  'ConnectorSummary',
  {
    ...connector,
    summarized_source_template: part(
      { ...template, actor_definition_id: uuid('Definition id'), connector_name: str('Slug'), organization_id: uuid('Organization id') },
      'The kind',
    ),
  },
  'A connector in lists',
)
/** A connector in lists. */
export type ConnectorSummary = Wire<typeof connectorSummary>

/** One page of connectors. */
export const connectorPage = page('ConnectorPage', connectorSummary, 'connectors')

export const jobTypes = ['connector_delete'] as const
/** Type of a job. */
export type JobType = (typeof jobTypes)[number]
export const jobStatuses = ['succeeded'] as const
/** Status of a job. */
export type JobStatus = (typeof jobStatuses)[number]

export const jobReference = record('JobReference', { job_id: uuid('Job id') }, 'A job that was started')
/** The id of a job that was started. */
export type JobReference = Wire<typeof jobReference>

export const jobRecord = record(
  'Job',
  {
    id: uuid('Job id'),
    type: oneOf('Type of the job', ...jobTypes),
    status: oneOf('Status', ...jobStatuses),
    connector_id: uuid('Connector id'),
    created_at: time('Time of the request'),
    finished_at: time('Time of the end'),
  },
  'A job',
)
/** A job. */
export type JobRecord = Wire<typeof jobRecord>

export const connectorOverview = record(
  'ConnectorOverview',
  {
    id: uuid('Connector id'),
    name: str('Display name, unique in the workspace'),
    connector_type: str('Slug of the kind'),
    kind_title: str('Title of the kind'),
    workspace_id: uuid('Workspace id'),
    workspace_name: str('Workspace name'),
    status: oneOf('active; auth_error: the vendor refused the credentials; disabled: the workspace is inactive', ...connectorStatuses),
    status_reason: orNull(str('Why the connector is not active, or why its syncs wait, and what to do')),
    sandbox: bool('true: the connector calls the stand-in of the vendor'),
    notices: list(connectorNotice, 'Messages of the vendor beside its answers'),
    created_at: time('Time of creation'),
    context_store: recordOrNull(copySummary),
    failing_entities: list(
      part({ entity: str('Entity'), error: syncError }, 'An entity whose last sync failed'),
      'Entities whose last sync failed',
    ),
    running: recordOrNull(syncRunRecord),
    queued: recordOrNull(syncRunRecord),
  },
  'A connector with the state of its copy at a glance; context_store is null for kinds that cannot be searched',
)
/** A connector with the state of its copy at a glance. */
export type ConnectorOverview = Wire<typeof connectorOverview>

/** One page of connectors at a glance. */
export const overviewPage = page('ConnectorOverviewPage', connectorOverview, 'connectors')
