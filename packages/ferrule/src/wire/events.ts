/** Events of an organization on the wire: what webhooks carry, and what `listEvents` reads. */
import { bool, type Field, type Fields, int, list, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { errorCode } from './problem.ts'
import { named, part, query, record, recordOrNull, uuid, type Wire } from './schemas.ts'
import { runCauses, runModes } from './syncs.ts'

/** Version of the bodies of events. Receivers ignore types and members that they do not know. */
export const eventVersion = 'v1'
/** Days for which events and their deliveries are kept. */
export const eventDays = 30

const connector = {
  organization_id: uuid('Organization'),
  workspace_id: uuid('Workspace'),
  connector_id: uuid('Connector'),
  connector_type: str('Slug of the kind'),
  name: str('Name of the connector'),
}
const run = {
  organization_id: uuid('Organization'),
  workspace_id: uuid('Workspace'),
  connector_id: uuid('Connector'),
  sync_id: uuid('Run'),
  mode: oneOf('Mode of the run', ...runModes),
  cause: oneOf('Cause of the run', ...runCauses),
}
const endedRun = {
  ...run,
  written: int('Rows that were added to the copy or replaced'),
  removed: int('Rows that were deleted'),
  error_code: recordOrNull(errorCode),
}
const endpoint = { organization_id: uuid('Organization'), endpoint_id: uuid('Endpoint') }

/** Name of a schema in the API's document: `connector.auth_failed` is `ConnectorAuthFailedEvent`. */
const nameSchema = (type: string): string => `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

const event = <const T extends string, F extends Fields>(type: T, about: string, data: F) =>
  record(
    nameSchema(type),
    {
      id: uuid('Id of the event: the same at each attempt to deliver it, and the header webhook-id'),
      type: oneOf(about, type),
      timestamp: time('Time of the event'),
      api_version: oneOf('Version of this body', eventVersion),
      data: part(data, 'What happened'),
    },
    about,
  )

/** The types of events. None has records of a vendor, and none a secret. */
export const eventSchemas = {
  'connector.created': event('connector.created', 'A connector was created', connector),
  'connector.updated': event('connector.updated', 'A connector was changed', connector),
  'connector.deleted': event('connector.deleted', 'A connector was deleted', connector),
  'connector.auth_failed': event('connector.auth_failed', 'The vendor refused the credentials of a connector', connector),
  'connector.auth_recovered': event('connector.auth_recovered', 'The credentials of a connector work again, or were replaced', connector),
  'context_store.entity.ready': event('context_store.entity.ready', 'The copy of an entity can be searched for the first time', {
    organization_id: uuid('Organization'),
    workspace_id: uuid('Workspace'),
    connector_id: uuid('Connector'),
    sync_id: uuid('Run that read it'),
    entity: str('Entity'),
    records: orNull(int('Records of the copy; null: not counted')),
  }),
  'context_store.sync.started': event('context_store.sync.started', 'A sync began', run),
  'context_store.sync.completed': event('context_store.sync.completed', 'A sync ended', {
    ...endedRun,
    state: oneOf('succeeded: everything is up to date; partial: some entities are not, or only in part', 'succeeded', 'partial'),
  }),
  'context_store.sync.failed': event('context_store.sync.failed', 'A sync failed', endedRun),
  'records.changed': event('records.changed', 'Records of a copy were added, changed or removed; only for endpoints that name this type', {
    organization_id: uuid('Organization'),
    workspace_id: uuid('Workspace'),
    connector_id: uuid('Connector'),
    entity: str('Entity'),
    snapshot: bool('true: read all records again, because it is not known what has changed; false: read the changes after the cursor'),
    added: int('Records that were added since; 0 with snapshot'),
    changed: int('Records with other values since; 0 with snapshot'),
    removed: int('Records that were removed since; 0 with snapshot'),
    cursor: opt(str('`after` of listChanges, to read these changes; left out with snapshot')),
  }),
  'webhook.test': event('webhook.test', 'Somebody tests an endpoint', endpoint),
  'webhook.endpoint.disabled': event('webhook.endpoint.disabled', 'An endpoint gets nothing any more', {
    ...endpoint,
    reason: str('Why'),
  }),
} as const

/** Type of an event. */
export type EventType = keyof typeof eventSchemas
/** An event of one type. */
export type EventOf<T extends EventType> = Wire<(typeof eventSchemas)[T]>
/** An event of any type; `type` says which `data` it has. */
export type PlatformEvent = { readonly [T in EventType]: EventOf<T> }[EventType]

/** All types of events. */
export const eventTypes = Object.keys(eventSchemas) as readonly EventType[] // the keys of the table are the types

/** Types of the events that lists have. `records.changed` belongs to one endpoint, and is kept until the next one only. */
export const listedEventTypes = eventTypes.filter((type) => type !== 'records.changed')

/** An event of any type. */
export const platformEvent: Field<PlatformEvent> = named('PlatformEvent', { anyOf: Object.values(eventSchemas) })

export const eventPage = record(
  'EventPage',
  {
    data: list(platformEvent, 'Events, the oldest first'),
    after: orNull(uuid('Where to go on: the last of these events, or the one that was asked after; null: there is no event yet')),
    has_more: bool('true: more events are there already'),
  },
  'Events after another one',
)
/** Events after another one. */
export type EventPage = Wire<typeof eventPage>

export const eventQuery = query({
  after: opt(uuid('Only events after this one; left out: from the oldest that is kept.')),
  type: opt(oneOf('Only events of this type.', ...listedEventTypes)),
  limit: opt(int('Events of an answer.', { minimum: 1, maximum: 100, default: 20 })),
})
/** Which events are read. */
export type EventQuery = Wire<typeof eventQuery>
