import { endpoints, usageQuery, usageReport } from 'ferrule/wire'
import { principalRoute } from '../../route.ts'

/** Calls over time. */
export const getUsage = principalRoute({
  ...endpoints.getUsage,
  auth: 'principal',
  document: {
    id: 'getUsage',
    tag: 'connectors',
    summary: 'Read calls, errors and latency over time',
    about:
      'Of the organization, of a workspace or of a connector; a token for one workspace sees the calls of that workspace. Buckets of five minutes are kept for 14 days, of an hour for 90 days. Calls of other nodes appear within seconds; a killed process loses the calls of its last five seconds.',
    scope: 'connectors:read',
    query: usageQuery,
    answer: { about: 'Calls in buckets', schema: usageReport },
    problems: ['connector_not_found', 'validation_failed'],
  },
  answer: async ({ who, query }, { platform }) => ({ json: await platform.usage.read(who, query) }),
})
