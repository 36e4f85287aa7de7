import { endpoints, unfinishedRunPage, unfinishedRunQuery } from 'ferrule/wire'
import { nextPage } from '../../next-page.ts'
import { principalRoute } from '../../route.ts'

/** One page of the unfinished runs. */
export const listUnfinishedSyncs = principalRoute({
  ...endpoints.listUnfinishedSyncs,
  auth: 'principal',
  document: {
    id: 'listUnfinishedSyncs',
    tag: 'context store',
    summary: 'List the queued and running runs of all connectors',
    about: 'The newest first. Finished runs are in the list of their connector.',
    scope: 'connectors:read',
    query: unfinishedRunQuery,
    answer: { about: 'One page', schema: unfinishedRunPage },
    problems: ['invalid_cursor', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(endpoints.listUnfinishedSyncs.path, query, await platform.syncs.listUnfinished(who, query)),
  }),
})
