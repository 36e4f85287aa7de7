import { inspectConnector } from '../../../platform/inspection.ts'
import { connectorPath, type PrincipalRoute, slot } from '../route.ts'

/** A connector and its copy at a glance. */
export const inspect: PrincipalRoute = {
  method: 'GET',
  path: `${connectorPath}/inspect`,
  auth: 'principal',
  document: {
    id: 'inspectConnector',
    tag: 'context store',
    summary: 'Look at a connector and its copy',
    scope: 'connectors:read',
    answer: { about: 'What can be searched, whether it can be yet, and what needs somebody', schema: 'Inspection' },
    problems: ['connector_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await inspectConnector(platform, exchange.who, slot(exchange, 'connector_id')) }),
}
