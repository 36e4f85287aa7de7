import { fail } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { callerRoute, nextPage, type OpenRoute, openRoute, principalRoute } from '../route.ts'

const ok = { json: { status: 'ok' } } as const

export const live = openRoute('getLiveness', {
  tag: 'service',
  summary: 'Check liveness of the process',
  about: 'The answer comes from the process alone; no database is asked. A probe that fails means: restart the process.',
  returns: { about: 'The process answers', schema: wire.health },
  answer: () => ok,
})

/** Requests can be sent: the databases answer and take writes, and the service is not stopping. */
export const ready = openRoute('getReadiness', {
  tag: 'service',
  summary: 'Check readiness for requests',
  about: 'The databases answer and the process is not stopping. A probe that fails means: send requests elsewhere for now.',
  returns: { about: 'Requests can be sent', schema: wire.health },
  problems: ['unavailable', 'context_store_unavailable'],
  async answer(_exchange, { platform, stopping }) {
    if (stopping.isLeaving) throw fail('unavailable', { reason: 'it is stopping' })
    await platform.ready()
    return ok
  },
})

/** Numbers of the process for Prometheus. */
export const metrics: OpenRoute = {
  ...wire.endpoints.getMetrics,
  auth: 'none',
  document: {
    id: 'getMetrics',
    tag: 'service',
    summary: 'Read the metrics of the process',
    about: 'Counters, gauges and histograms of this process. No label names a tenant. /docs/operations explains each metric.',
    answer: { about: "Prometheus' text format", types: ['text/plain'] },
    problems: [],
  },
  answer: (_exchange, services) => services.metrics.text(),
}

export const listConnectorOverviews = principalRoute('listConnectorOverviews', {
  tag: 'connectors',
  summary: 'List connectors with the state of their copies at a glance',
  about:
    'Status, freshness, last error with its next step, and the running sync of each connector. A page costs five statements, whatever its size.',
  scope: 'connectors:read',
  query: wire.connectorQuery,
  returns: { about: 'One page', schema: wire.overviewPage },
  problems: ['invalid_cursor', 'connector_type_not_found', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(wire.endpoints.listConnectorOverviews.path, query, await platform.syncs.listOverviews(who, query)),
  }),
})

export const listUnfinishedSyncs = principalRoute('listUnfinishedSyncs', {
  tag: 'copies',
  summary: 'List the queued and running runs of all connectors',
  about: 'The newest first. Finished runs are in the list of their connector.',
  scope: 'connectors:read',
  query: wire.unfinishedRunQuery,
  returns: { about: 'One page', schema: wire.unfinishedRunPage },
  problems: ['invalid_cursor', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({
    json: nextPage(wire.endpoints.listUnfinishedSyncs.path, query, await platform.syncs.listUnfinished(who, query)),
  }),
})

export const getUsage = principalRoute('getUsage', {
  tag: 'connectors',
  summary: 'Read calls, errors and latency over time',
  about:
    'Of the organization, of a workspace or of a connector; a token for one workspace sees the calls of that workspace. Buckets of five minutes are kept for 14 days, of an hour for 90 days. Calls of other nodes appear within seconds; a killed process loses the calls of its last five seconds.',
  scope: 'connectors:read',
  query: wire.usageQuery,
  returns: { about: 'Calls in buckets', schema: wire.usageReport },
  problems: ['connector_not_found', 'validation_failed'],
  answer: async ({ who, query }, { platform }) => ({ json: await platform.usage.read(who, query) }),
})

export const getService = callerRoute('getService', {
  tag: 'service',
  summary: 'Read what every client may know of the service',
  about: 'The version, and what the service offers to this client.',
  returns: { about: 'The service', schema: wire.serviceRecord },
  answer: async ({ who }, { platform }) => ({ json: await platform.installation.describe(who) }),
})

export const getNode = callerRoute('getNode', {
  tag: 'service',
  summary: 'Read what the answering node runs with',
  about:
    'Versions, settings without secrets, databases with their sizes, and the nodes that run syncs. For the application of the first start, with a token that is not limited to a workspace: an organization of another application sees nothing of the installation.',
  returns: { about: 'The node', schema: wire.nodeRecord },
  problems: ['operator_required'],
  answer: async ({ who }, { platform }) => ({ json: await platform.installation.readNode(who) }),
})
