/** Builds the requests that ask a vendor for events. Pure. */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import type { SentMethod } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { findWebhookRules } from '../../definition/webhooks.ts'
import type { VendorRequest } from '../call/vendor-request.ts'

/** A request that asks for the events of a topic. */
export interface SubscriptionRequest {
  readonly topic: string
  readonly request: VendorRequest
}

/** Fills the slots of all texts of a body. */
function fill(value: unknown, slots: { readonly topic: string; readonly address: string }): unknown {
  if (typeof value === 'string') return value.replaceAll('{topic}', slots.topic).replaceAll('{address}', slots.address)
  if (Array.isArray(value)) return value.map((each) => fill(each, slots))
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, slots)])) : value
}

/**
 * Builds the requests for the topics that concern a connector.
 * @param entities that the connector copies
 * @returns undefined if the kind does not say how to ask
 */
export function buildSubscriptions(
  { webhooks }: Pick<ConnectorDefinition, 'webhooks'>,
  { address, entities }: { readonly address: string; readonly entities: readonly string[] },
): readonly SubscriptionRequest[] | undefined {
  const subscribe = webhooks?.subscribe
  if (webhooks === undefined || subscribe === undefined) return undefined
  const path = subscribe.call.slice(subscribe.call.indexOf('/'))
  const method: SentMethod = subscribe.call.startsWith('PUT ') ? 'PUT' : 'POST'
  const isWanted = (topic: string) =>
    findWebhookRules(webhooks, topic).some(({ entity }) => entity === undefined || entities.includes(entity))
  return subscribe.topics
    .filter(isWanted)
    .map((topic) => ({ topic, request: { method, path, body: fill(subscribe.body, { topic, address }) } }))
}
