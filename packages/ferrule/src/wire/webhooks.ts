/** Webhooks on the wire: endpoints of an organization, and the deliveries of events to them (Standard Webhooks 1.0.0). */
import { bool, int, list, oneOf, opt, orNull, str, time } from '../definition/index.ts'
import { eventTypes } from './events.ts'
import { displayName } from './names.ts'
import { page, pageQuery } from './paging.ts'
import { body, query, record, uuid, type Wire } from './schemas.ts'

export const endpointStatuses = ['unverified', 'active', 'paused', 'disabled'] as const
/** Status of an endpoint: only an active one gets events. */
export type EndpointStatus = (typeof endpointStatuses)[number]
export const deliveryStatuses = ['waiting', 'delivered', 'failed'] as const
/** Status of a delivery. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Longest time for which the secret before a rotation signs too, in seconds, and its default. */
export const secretOverlap = { usual: 86_400, most: 604_800 } as const
/** Endpoints of an organization at most. */
export const mostEndpoints = 20
/** Copies of entities whose changes an endpoint gets at most, by `records.changed`. */
export const mostFollowed = 1_000

const eventType = oneOf('Type of an event', ...eventTypes)
const url = (about: string) =>
  str(about, { maxLength: 2_000, pattern: '^https?://\\S+$', says: 'must be an address that begins with https://' })

const endpoint = {
  id: uuid('Endpoint id'),
  name: str('Name'),
  url: str('Address that events are sent to'),
  types: list(eventType, 'Types of events that the endpoint gets; none listed: all but records.changed'),
  workspace_ids: orNull(list(uuid('Workspace id'), 'Only events of these workspaces; null: all')),
  connector_ids: orNull(list(uuid('Connector id'), 'Only events of these connectors; null: all')),
  ordered: bool('true: one event at a time, in their order; one that fails holds back the later ones'),
  status: oneOf(
    'unverified: it has not answered a test with 2xx yet; active: it gets events; paused: events wait; disabled: it failed for too long',
    ...endpointStatuses,
  ),
  status_reason: orNull(str('Why it is disabled, was paused by the service, or gets a part only')),
  failing_since: orNull(time('Time of the first failed attempt since the last success')),
  created_at: time('Time of creation'),
  updated_at: time('Time of the last change'),
}

export const webhookEndpoint = record('WebhookEndpoint', endpoint, 'An address that events are sent to')
/** An address that events are sent to. */
export type WebhookEndpoint = Wire<typeof webhookEndpoint>

export const webhookEndpointList = record(
  'WebhookEndpointList',
  { data: list(webhookEndpoint, 'Endpoints') },
  'Endpoints of the organization',
)
/** All endpoints of an organization. */
export type WebhookEndpointList = Wire<typeof webhookEndpointList>

export const webhookEndpointSecret = record(
  'WebhookEndpointSecret',
  { ...endpoint, secret: str('Secret that signs the events, as Standard Webhooks write it: whsec_ and base64; it cannot be read again') },
  'An endpoint with its new secret',
)
/** An endpoint with its new secret. */
export type WebhookEndpointSecret = Wire<typeof webhookEndpointSecret>

export const webhookEndpointRemoval = record(
  'WebhookEndpointRemoval',
  { id: uuid('Endpoint id'), deleted_at: time('Time of deletion') },
  'A deleted endpoint',
)
/** A deleted endpoint. */
export type WebhookEndpointRemoval = Wire<typeof webhookEndpointRemoval>

const filters = {
  types: opt(list(eventType, 'Types of events; left out or empty: all but records.changed.', { maxItems: eventTypes.length })),
  workspace_ids: opt(orNull(list(uuid('Workspace id'), 'Only events of these workspaces; null: all.', { minItems: 1, maxItems: 100 }))),
  connector_ids: opt(orNull(list(uuid('Connector id'), 'Only events of these connectors; null: all.', { minItems: 1, maxItems: 100 }))),
  ordered: opt(bool('true: one event at a time, in their order; one that fails holds back the later ones.')),
}

export const webhookEndpointInput = body(
  'WebhookEndpointInput',
  { name: displayName('Name, to recognize the endpoint in lists.'), url: url('Public https address that takes POST.'), ...filters },
  'A new endpoint',
)
/** A new endpoint. */
export type WebhookEndpointInput = Wire<typeof webhookEndpointInput>

export const webhookEndpointPatch = body(
  'WebhookEndpointPatch',
  {
    name: opt(displayName('Name.')),
    url: opt(url('Public https address that takes POST. Another one is tested before it gets events.')),
    ...filters,
    status: opt(oneOf('paused: events wait; active: they are sent again.', 'active', 'paused')),
  },
  'What to change of an endpoint',
)
/** What to change of an endpoint. */
export type WebhookEndpointPatch = Wire<typeof webhookEndpointPatch>

export const webhookRotation = body(
  'WebhookRotation',
  {
    overlap_seconds: opt(
      int('Seconds for which the old secret signs too.', { minimum: 0, maximum: secretOverlap.most, default: secretOverlap.usual }),
    ),
  },
  'A new secret',
)
/** A new secret of an endpoint. */
export type WebhookRotation = Wire<typeof webhookRotation>

const delivery = {
  id: uuid('Delivery id'),
  endpoint_id: uuid('Endpoint'),
  event_id: uuid('Event'),
  type: eventType,
  status: oneOf('waiting: it will be sent, or sent again; failed: it was given up', ...deliveryStatuses),
  attempts: int('Attempts so far'),
  next_attempt_at: orNull(time('Time of the next attempt; null: there is none')),
  last_attempt_at: orNull(time('Time of the last attempt')),
  last_status: orNull(int('HTTP status of the last answer; null: there was none')),
  last_error: orNull(str('Why the last attempt failed')),
  last_answer: orNull(str('First kilobyte of the last answer; null for tokens without webhooks:write')),
  last_duration_ms: orNull(int('Duration of the last attempt in milliseconds')),
  created_at: time('Time at which the event was queued for the endpoint'),
}

export const webhookDelivery = record('WebhookDelivery', delivery, 'An event on its way to an endpoint')
/** An event on its way to an endpoint, or one that arrived or failed. */
export type WebhookDelivery = Wire<typeof webhookDelivery>

/** One page of deliveries. */
export const webhookDeliveryPage = page('WebhookDeliveryPage', webhookDelivery, 'deliveries, the newest first')

export const webhookDeliveryQuery = query({ status: opt(oneOf('Only deliveries with this status.', ...deliveryStatuses)), ...pageQuery })
/** Which deliveries are read. */
export type WebhookDeliveryQuery = Wire<typeof webhookDeliveryQuery>

export const webhookRedelivery = body(
  'WebhookRedelivery',
  { since: opt(time('Failed deliveries since this time are sent again; left out: all that are kept.')) },
  'What to send again',
)
/** Which failed deliveries are sent again. */
export type WebhookRedelivery = Wire<typeof webhookRedelivery>

export const webhookRedeliveryResult = record(
  'WebhookRedeliveryResult',
  { deliveries: int('Deliveries that are sent again') },
  'What is sent again',
)
/** How many deliveries are sent again. */
export type WebhookRedeliveryResult = Wire<typeof webhookRedeliveryResult>
