import * as wire from 'ferrule/wire'
import { limited, nextPage, principalRoute, slot } from '../route.ts'

const status = { about: 'The address, what came there, and what is missing', schema: wire.connectorWebhooks } as const

export const getConnectorWebhooks = principalRoute('getConnectorWebhooks', {
  tag: 'webhooks',
  summary: 'Read what a vendor sends to a connector',
  about: 'Events of the vendor make the copy young at once. Syncs go on, so nothing is lost without them.',
  scope: 'connectors:read',
  returns: status,
  problems: ['connector_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.connectorWebhooks.get(who, slot(params, 'connector_id')) }),
})

export const setConnectorWebhooks = principalRoute('setConnectorWebhooks', {
  tag: 'webhooks',
  summary: 'Make the address that a vendor sends to',
  about:
    'A second request leaves the address as it is. Without a secret of its own, a field of the credentials verifies, where the vendor signs with one.',
  scope: 'connectors:write',
  body: wire.connectorWebhooksInput,
  example: { secret: 'shpss_5f1e3a9c', subscribe: true },
  returns: status,
  problems: ['connector_not_found', 'workspace_inactive', 'validation_failed', 'not_offered', 'rate_limited', 'overloaded'],
  answer: (exchange, services) =>
    limited(exchange, services, async () => ({
      json: await services.platform.connectorWebhooks.set(exchange.who, slot(exchange.params, 'connector_id'), exchange.body),
    })),
})

export const removeConnectorWebhooks = principalRoute('removeConnectorWebhooks', {
  tag: 'webhooks',
  summary: 'Delete the address that a vendor sends to',
  about: 'Its secret and what waits there are deleted too. Another PUT makes another address.',
  scope: 'connectors:write',
  returns: status,
  problems: ['connector_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.connectorWebhooks.remove(who, slot(params, 'connector_id')) }),
})

export const listEvents = principalRoute('listEvents', {
  tag: 'webhooks',
  summary: 'List events in their order',
  about: 'What webhooks carry, by polling: ask again after the event in `after`. Events are kept for 30 days, at most 100,000.',
  scope: 'webhooks:read',
  query: wire.eventQuery,
  returns: { about: 'Events', schema: wire.eventPage },
  problems: ['organization_forbidden', 'invalid_cursor', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({ json: await platform.webhooks.listEvents(who, query) }),
})

export const listWebhookEndpoints = principalRoute('listWebhookEndpoints', {
  tag: 'webhooks',
  summary: 'List the endpoints of webhooks',
  scope: 'webhooks:read',
  returns: { about: 'Endpoints', schema: wire.webhookEndpointList },
  problems: ['organization_forbidden'],
  answer: async ({ who }, { platform }) => ({ json: await platform.webhooks.list(who) }),
})

export const createWebhookEndpoint = principalRoute('createWebhookEndpoint', {
  tag: 'webhooks',
  summary: 'Create an endpoint of webhooks',
  about:
    'The secret is in this answer only. The service sends `webhook.test` at once; other events follow when it was answered with 2xx. Requests are signed as Standard Webhooks 1.0.0.',
  scope: 'webhooks:write',
  body: wire.webhookEndpointInput,
  example: { name: 'Sales platform', url: 'https://hooks.acme.example/ferrule', types: ['connector.auth_failed'] },
  returns: { about: 'The endpoint', schema: wire.webhookEndpointSecret },
  problems: ['organization_forbidden', 'validation_failed'],
  answer: async ({ who, body }, { platform }) => ({ json: await platform.webhooks.create(who, body) }),
})

export const getWebhookEndpoint = principalRoute('getWebhookEndpoint', {
  tag: 'webhooks',
  summary: 'Read an endpoint of webhooks',
  scope: 'webhooks:read',
  returns: { about: 'The endpoint', schema: wire.webhookEndpoint },
  problems: ['webhook_endpoint_not_found', 'organization_forbidden'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.webhooks.get(who, slot(params, 'endpoint_id')) }),
})

export const updateWebhookEndpoint = principalRoute('updateWebhookEndpoint', {
  tag: 'webhooks',
  summary: 'Change, pause or resume an endpoint of webhooks',
  about: 'Another address gets a test first. While an endpoint is paused, its events wait.',
  scope: 'webhooks:write',
  body: wire.webhookEndpointPatch,
  example: { status: 'paused' },
  returns: { about: 'The endpoint', schema: wire.webhookEndpoint },
  problems: ['webhook_endpoint_not_found', 'organization_forbidden', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({ json: await platform.webhooks.update(who, slot(params, 'endpoint_id'), body) }),
})

export const deleteWebhookEndpoint = principalRoute('deleteWebhookEndpoint', {
  tag: 'webhooks',
  summary: 'Delete an endpoint of webhooks',
  scope: 'webhooks:write',
  returns: { about: 'The deleted endpoint', schema: wire.webhookEndpointRemoval },
  problems: ['webhook_endpoint_not_found', 'organization_forbidden'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.webhooks.remove(who, slot(params, 'endpoint_id')) }),
})

export const rotateWebhookSecret = principalRoute('rotateWebhookSecret', {
  tag: 'webhooks',
  summary: 'Make a new secret for an endpoint of webhooks',
  about: 'Both secrets sign for the time of `overlap_seconds`, so receivers can change without a gap.',
  scope: 'webhooks:write',
  body: wire.webhookRotation,
  example: { overlap_seconds: 86_400 },
  returns: { about: 'The endpoint', schema: wire.webhookEndpointSecret },
  problems: ['webhook_endpoint_not_found', 'organization_forbidden', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({
    json: await platform.webhooks.rotateSecret(who, slot(params, 'endpoint_id'), body),
  }),
})

export const testWebhookEndpoint = principalRoute('testWebhookEndpoint', {
  tag: 'webhooks',
  summary: 'Send a test to an endpoint of webhooks',
  about: 'The delivery shows what became of it. Five tests in a minute at most.',
  scope: 'webhooks:write',
  returns: { about: 'The endpoint', schema: wire.webhookEndpoint },
  problems: ['webhook_endpoint_not_found', 'organization_forbidden', 'rate_limited', 'validation_failed'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.webhooks.test(who, slot(params, 'endpoint_id')) }),
})

export const listWebhookDeliveries = principalRoute('listWebhookDeliveries', {
  tag: 'webhooks',
  summary: 'List what was sent to an endpoint of webhooks',
  about: 'The newest first, for 30 days. Answers of the endpoint are shown to tokens with webhooks:write.',
  scope: 'webhooks:read',
  query: wire.webhookDeliveryQuery,
  returns: { about: 'One page', schema: wire.webhookDeliveryPage },
  problems: ['webhook_endpoint_not_found', 'organization_forbidden', 'invalid_cursor', 'validation_failed'],
  answer: async ({ who, params, query }, { platform }) => {
    const id = slot(params, 'endpoint_id')
    const page = await platform.webhooks.listDeliveries(who, id, query)
    return { json: nextPage(wire.endpoints.listWebhookDeliveries.path.replace('{endpoint_id}', id), query, page) }
  },
})

export const retryWebhookDelivery = principalRoute('retryWebhookDelivery', {
  tag: 'webhooks',
  summary: 'Send an event to an endpoint again',
  about: 'It has the same id as before, so a receiver recognizes it.',
  scope: 'webhooks:write',
  returns: { about: 'The delivery', schema: wire.webhookDelivery },
  problems: ['webhook_endpoint_not_found', 'webhook_delivery_not_found', 'organization_forbidden'],
  answer: async ({ who, params }, { platform }) => ({
    json: await platform.webhooks.retryDelivery(who, slot(params, 'endpoint_id'), slot(params, 'delivery_id')),
  }),
})

export const retryWebhookDeliveries = principalRoute('retryWebhookDeliveries', {
  tag: 'webhooks',
  summary: 'Send all failed events to an endpoint again',
  scope: 'webhooks:write',
  body: wire.webhookRedelivery,
  example: { since: '2026-11-01T00:00:00Z' },
  returns: { about: 'What is sent again', schema: wire.webhookRedeliveryResult },
  problems: ['webhook_endpoint_not_found', 'organization_forbidden', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({
    json: await platform.webhooks.retryDeliveries(who, slot(params, 'endpoint_id'), body),
  }),
})
