import { fail } from 'ferrule/internal'
import { searchInput, searchResult } from 'ferrule/wire'
import { limited, principalRoute } from '../route.ts'

export const search = principalRoute('search', {
  tag: 'context store',
  summary: 'Search all connectors at once',
  about:
    'Finds records of all entities of all connectors that the token reaches: by words, by a filter, or both. What was not searched, because it is not ' +
    'filled, does not fit the filter or did not answer in time, is named in `left_out`. Words with typing errors count only where no record has them ' +
    'as they were written.',
  scope: 'execute:read',
  body: searchInput,
  example: { text: 'acme renewal' },
  returns: { about: 'One page', schema: searchResult },
  problems: [
    ...(['connector_not_found', 'workspace_inactive', 'validation_failed', 'missing_parameter', 'query_too_complex'] as const),
    ...(['invalid_cursor', 'context_store_unavailable', 'rate_limited', 'overloaded'] as const),
  ],
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => {
      const { everything } = services.operations
      if (everything === undefined) throw fail('context_store_unavailable', {})
      return { json: await everything.search(exchange.who, exchange.body, bounds) }
    }),
})
