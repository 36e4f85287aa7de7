import { connectorQuery, endpoints, overviewPage } from 'ferrule/wire'
import { nextPage } from '../../next-page.ts'
import { principalRoute } from '../../route.ts'

/** One page of connectors with the state of their copies. */
export const listConnectorOverviews = principalRoute({
  ...endpoints.listConnectorOverviews,
  auth: 'principal',
  document: {
    id: 'listConnectorOverviews',
    tag: 'connectors',
    summary: 'List connectors with the state of their copies at a glance',
    about:
      'Status, freshness, last error with its next step, and the running sync of each connector. A page costs five statements, whatever its size.',
    scope: 'connectors:read',
    query: connectorQuery,
    answer: { about: 'One page', schema: overviewPage },
    problems: ['invalid_cursor', 'connector_type_not_found', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listConnectorOverviews.path, query, await platform.syncs.listOverviews(who, query)),
  }),
})
