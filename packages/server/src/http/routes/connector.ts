import { connectorRecord, endpoints, jobReference } from 'ferrule/wire'
import { principalRoute, slot } from '../route.ts'

/** One connector. */
export const getConnector = principalRoute({
  ...endpoints.getConnector,
  auth: 'principal',
  document: {
    id: 'getConnector',
    tag: 'connectors',
    summary: 'Read a connector',
    scope: 'connectors:read',
    answer: { about: 'The connector, without credentials', schema: connectorRecord },
    problems: ['connector_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.connectors.get(exchange.who, slot(exchange, 'connector_id')) }),
})

/** Removes a connector and destroys its credentials. */
export const deleteConnector = principalRoute({
  ...endpoints.deleteConnector,
  auth: 'principal',
  document: {
    id: 'deleteConnector',
    tag: 'connectors',
    summary: 'Delete a connector and its credentials',
    scope: 'connectors:write',
    answer: { status: 202, about: 'The job that does it', schema: jobReference },
    problems: ['connector_not_found'],
  },
  answer: async (exchange, { platform }) => {
    const json = await platform.connectors.remove(exchange.who, slot(exchange, 'connector_id'))
    platform.consentRevocations.start()
    return { status: 202, json }
  },
})
