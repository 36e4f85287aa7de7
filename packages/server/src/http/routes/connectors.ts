import { connectorInput, connectorPage, connectorQuery, connectorRecord, endpoints } from 'ferrule/wire'
import { buildTrial, trialProblems } from '../build-trial.ts'
import { exampleConnector } from '../example-connector.ts'
import { nextPage } from '../next-page.ts'
import { principalRoute } from '../route.ts'

/** A new connector. */
export const createConnector = principalRoute({
  ...endpoints.createConnector,
  auth: 'principal',
  document: {
    id: 'createConnector',
    tag: 'connectors',
    summary: 'Create a connector',
    about:
      'The credentials are checked at the vendor first. Nothing is stored when the vendor refuses them or cannot be reached. `check: false` stores unchecked credentials; syncs then wait for the first successful call. All mistakes are reported at once. A repeat with the same `Idempotency-Key` within 24 hours returns the connector of the first request.',
    scope: 'connectors:write',
    body: connectorInput,
    example: exampleConnector,
    answer: { about: 'The connector, without credentials', schema: connectorRecord },
    problems: [
      ...([
        'connector_type_not_found',
        'credentials_mismatch',
        'connector_name_conflict',
        'workspace_not_found',
        'workspace_inactive',
      ] as const),
      ...(['validation_failed', 'idempotency_key_conflict', 'idempotency_key_in_flight'] as const),
      ...trialProblems,
    ],
  },
  answer: async (exchange, services) => ({
    json: await services.platform.connectors.create(exchange.who, exchange.body, buildTrial(exchange, services)),
  }),
})

/** One page of the connectors. */
export const listConnectors = principalRoute({
  ...endpoints.listConnectors,
  auth: 'principal',
  document: {
    id: 'listConnectors',
    tag: 'connectors',
    summary: 'List connectors',
    scope: 'connectors:read',
    query: connectorQuery,
    answer: { about: 'One page', schema: connectorPage },
    problems: ['invalid_cursor', 'connector_type_not_found', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listConnectors.path, query, await platform.connectors.list(who, query)),
  }),
})
