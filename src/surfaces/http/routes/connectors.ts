import { bodies } from '../../../platform/bodies.ts'
import { exampleConnector } from '../example-connector.ts'
import { nextPage } from '../next-page.ts'
import type { PrincipalRoute } from '../route.ts'

const path = '/api/v1/integrations/connectors'

/** A new connector. */
export const createConnector: PrincipalRoute = {
  method: 'POST',
  path,
  auth: 'principal',
  document: {
    id: 'createConnector',
    tag: 'connectors',
    summary: 'Create a connector',
    about: 'The shape of the credentials is checked, not whether the vendor takes them: use the check for that.',
    scope: 'connectors:write',
    body: 'ConnectorInput',
    example: exampleConnector,
    answer: { about: 'The connector, without credentials', schema: 'Connector' },
    problems: ['connector_type_not_found', 'credentials_mismatch', 'connector_name_conflict', 'workspace_inactive', 'validation_failed'],
  },
  answer: async ({ who, body }, { platform }) => ({ json: await platform.connectors.create(who, body) }),
}

/** One page of the connectors. */
export const listConnectors: PrincipalRoute = {
  method: 'GET',
  path,
  auth: 'principal',
  document: {
    id: 'listConnectors',
    tag: 'connectors',
    summary: 'List connectors',
    scope: 'connectors:read',
    query: bodies.listConnectors,
    answer: { about: 'One page', schema: 'ConnectorPage' },
    problems: ['invalid_cursor', 'connector_type_not_found', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({ json: nextPage(path, query, await platform.connectors.list(who, query)) }),
}
