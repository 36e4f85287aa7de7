import { endpoints, runEvent, syncInput, syncQuery, syncRunPage, syncRunRecord } from 'ferrule/wire'
import { nextPage } from '../next-page.ts'
import { type PrincipalRoute, principalRoute, slot } from '../route.ts'
import { eventStream } from '../streams/event-stream.ts'

/** Asks for a run. */
export const requestSync = principalRoute({
  ...endpoints.requestSync,
  auth: 'principal',
  document: {
    id: 'requestSync',
    tag: 'context store',
    summary: 'Bring the copy of a connector up to date',
    about: 'Queues a run, or joins the one that waits. Entities that are read together with the given ones are brought up to date too.',
    scope: 'connectors:write',
    body: syncInput,
    bodyOptional: true,
    answer: { status: 202, about: 'The run', schema: syncRunRecord },
    problems: ['connector_not_found', 'workspace_inactive', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    status: 202,
    json: await platform.syncs.request(exchange.who, slot(exchange, 'connector_id'), exchange.body ?? {}),
  }),
})

/** One page of the runs. */
export const listSyncs = principalRoute({
  ...endpoints.listSyncs,
  auth: 'principal',
  document: {
    id: 'listSyncs',
    tag: 'context store',
    summary: 'List the runs of a connector',
    about: 'The newest first.',
    scope: 'connectors:read',
    query: syncQuery,
    answer: { about: 'One page', schema: syncRunPage },
    problems: ['connector_not_found', 'invalid_cursor', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => {
    const id = slot(exchange, 'connector_id')
    const page = await platform.syncs.list(exchange.who, id, exchange.query)
    return { json: nextPage(endpoints.listSyncs.path.replace('{connector_id}', encodeURIComponent(id)), exchange.query, page) }
  },
})

/** One run. */
export const getSync = principalRoute({
  ...endpoints.getSync,
  auth: 'principal',
  document: {
    id: 'getSync',
    tag: 'context store',
    summary: 'Read a run',
    scope: 'connectors:read',
    answer: { about: 'The run', schema: syncRunRecord },
    problems: ['connector_not_found', 'sync_not_found'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.syncs.get(exchange.who, slot(exchange, 'connector_id'), slot(exchange, 'sync_id')),
  }),
})

/** Ends a run. */
export const cancelSync = principalRoute({
  ...endpoints.cancelSync,
  auth: 'principal',
  document: {
    id: 'cancelSync',
    tag: 'context store',
    summary: 'Cancel a run',
    about: 'Written records stay. A finished run does not change.',
    scope: 'connectors:write',
    answer: { about: 'The run', schema: syncRunRecord },
    problems: ['connector_not_found', 'sync_not_found'],
  },
  answer: async (exchange, { platform }) => ({
    json: await platform.syncs.cancel(exchange.who, slot(exchange, 'connector_id'), slot(exchange, 'sync_id')),
  }),
})

/** A run while it runs. */
export const watchSync: PrincipalRoute = {
  ...endpoints.watchSync,
  auth: 'principal',
  document: {
    id: 'watchSync',
    tag: 'context store',
    summary: 'Watch a run',
    about:
      'Server-sent events `run`, each with the run as JSON: now, and after every change. The stream ends with the run, and with the token: its last event is then `end`, with the problem.',
    scope: 'connectors:read',
    answer: { about: 'Events', types: ['text/event-stream'], event: runEvent },
    problems: ['connector_not_found', 'sync_not_found', 'overloaded'],
  },
  answer: (exchange, services) => {
    const connectorId = slot(exchange, 'connector_id')
    const run = { connectorId, runId: slot(exchange, 'sync_id') }
    const values = services.platform.syncs.watchRun(exchange.who, run, exchange.signal)
    return eventStream(exchange, services, { event: runEvent, connectorId, values })
  },
}
