import {
  contextStoreStatus,
  endpoints,
  resetQuery,
  type SyncState,
  type SyncStatusRecord,
  scheduleInput,
  scheduleList,
  statusEvent,
  syncRunRecord,
  watchQuery,
} from 'ferrule/wire'
import { readQuery } from '../../values/read.ts'
import { type PrincipalRoute, principalRoute, slot } from '../route.ts'
import { eventStream } from '../streams/event-stream.ts'

/** Status of the copy of a connector. */
export const getContextStore = principalRoute({
  ...endpoints.getContextStore,
  auth: 'principal',
  document: {
    id: 'getContextStore',
    tag: 'context store',
    summary: 'Read the status of the copy of a connector',
    about: 'State, records, freshness, last error and next run, of the connector and of each entity.',
    scope: 'connectors:read',
    answer: { about: 'The status', schema: contextStoreStatus },
    problems: ['connector_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.syncs.status(exchange.who, slot(exchange, 'connector_id')) }),
})

/** The status, whenever it changes. */
export const watchContextStore: PrincipalRoute = {
  ...endpoints.watchContextStore,
  auth: 'principal',
  document: {
    id: 'watchContextStore',
    tag: 'context store',
    summary: 'Watch the status of the copy of a connector',
    about:
      'Server-sent events `status`, each with the status as JSON: now, and after every change. The stream ends with the client, and with the token: its last event is then `end`, with the problem.',
    scope: 'connectors:read',
    query: watchQuery,
    answer: { about: 'Events', types: ['text/event-stream'], event: statusEvent },
    problems: ['connector_not_found', 'validation_failed', 'overloaded'],
  },
  answer: (exchange, services) => {
    const { until } = readQuery(watchQuery, exchange.query)
    const connectorId = slot(exchange, 'connector_id')
    const statuses = services.platform.syncs.watchStatus(exchange.who, connectorId, exchange.signal)
    const values = until === undefined ? statuses : untilFilled(statuses)
    return eventStream(exchange, services, { event: statusEvent, connectorId, values })
  },
}

/** States of a copy that is being filled for the first time, or will be. */
const filling: ReadonlySet<SyncState> = new Set(['loading', 'building_preview', 'preview'])

async function* untilFilled(
  statuses: AsyncGenerator<SyncStatusRecord, void, undefined>,
): AsyncGenerator<SyncStatusRecord, void, undefined> {
  for await (const status of statuses) {
    yield status
    if (!filling.has(status.state)) return
  }
}

/** When copies are brought up to date. */
export const setSchedule = principalRoute({
  ...endpoints.setSchedule,
  auth: 'principal',
  document: {
    id: 'setSchedule',
    tag: 'context store',
    summary: 'Set the schedule of the copy',
    about: 'For the connector, or with `entity` for the entities that are read with that one.',
    scope: 'connectors:write',
    body: scheduleInput,
    answer: { about: 'All schedules of the connector', schema: scheduleList },
    problems: ['connector_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: { data: await platform.syncs.setSchedule(exchange.who, slot(exchange, 'connector_id'), exchange.body) },
  }),
})

/** Empties the copy. */
export const resetContextStore = principalRoute({
  ...endpoints.resetContextStore,
  auth: 'principal',
  document: {
    id: 'resetContextStore',
    tag: 'context store',
    summary: 'Empty the copy of a connector and fill it again',
    about: 'Cancels the running sync. Nothing changes at the vendor.',
    scope: 'connectors:write',
    query: resetQuery,
    answer: { status: 202, about: 'The run that fills it', schema: syncRunRecord },
    problems: ['connector_not_found', 'workspace_inactive', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => {
    const { entities } = readQuery(resetQuery, exchange.query)
    const body = entities === undefined ? {} : { entities: entities.split(',') }
    return { status: 202, json: await platform.syncs.reset(exchange.who, slot(exchange, 'connector_id'), body) }
  },
})
