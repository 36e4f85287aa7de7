import { endpoints, inspection } from 'ferrule/wire'
import { inspectConnector } from '../../connectors/inspection.ts'
import { principalRoute, slot } from '../route.ts'

/** A connector and its copy at a glance. */
export const inspect = principalRoute({
  ...endpoints.inspectConnector,
  auth: 'principal',
  document: {
    id: 'inspectConnector',
    tag: 'context store',
    summary: 'Inspect a connector and its copy',
    scope: 'connectors:read',
    answer: { about: 'Searchable entities, their state, and problems that need attention', schema: inspection },
    problems: ['connector_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await inspectConnector(platform, exchange.who, slot(exchange, 'connector_id')) }),
})
