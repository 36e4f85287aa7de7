import { connectorWebhooks, connectorWebhooksInput } from 'ferrule/wire'
import { limited, principalRoute, slot } from '../route.ts'

const status = { about: 'The address, what came there, and what is missing', schema: connectorWebhooks } as const

export const getConnectorWebhooks = principalRoute('getConnectorWebhooks', {
  tag: 'webhooks',
  summary: 'Read what a vendor sends to a connector',
  about: 'Events of the vendor make the copy young at once. Syncs go on, so nothing is lost without them.',
  scope: 'connectors:read',
  returns: status,
  problems: ['connector_not_found'],
  answer: async (exchange, { platform }) => ({ json: await platform.connectorWebhooks.get(exchange.who, slot(exchange, 'connector_id')) }),
})

export const setConnectorWebhooks = principalRoute('setConnectorWebhooks', {
  tag: 'webhooks',
  summary: 'Make the address that a vendor sends to',
  about:
    'A second request leaves the address as it is. Without a secret of its own, a field of the credentials verifies, where the vendor signs with one.',
  scope: 'connectors:write',
  body: connectorWebhooksInput,
  example: { secret: 'shpss_5f1e3a9c', subscribe: true },
  returns: status,
  problems: ['connector_not_found', 'workspace_inactive', 'validation_failed', 'not_offered', 'rate_limited', 'overloaded'],
  answer: (exchange, services) =>
    limited(exchange, services, async () => ({
      json: await services.platform.connectorWebhooks.set(exchange.who, slot(exchange, 'connector_id'), exchange.body),
    })),
})

export const removeConnectorWebhooks = principalRoute('removeConnectorWebhooks', {
  tag: 'webhooks',
  summary: 'Delete the address that a vendor sends to',
  about: 'Its secret and what waits there are deleted too. Another PUT makes another address.',
  scope: 'connectors:write',
  returns: status,
  problems: ['connector_not_found'],
  answer: async (exchange, { platform }) => ({
    json: await platform.connectorWebhooks.remove(exchange.who, slot(exchange, 'connector_id')),
  }),
})
