import { type Fields, oneOf, opt, str } from '../../../definition/fields.ts'
import { readQuery } from '../../../platform/bodies.ts'
import type { SyncState, SyncStatusRecord } from '../../../platform/syncs/records.ts'
import { eventStream } from '../event-stream.ts'
import { connectorPath, type PrincipalRoute, slot } from '../route.ts'

const path = `${connectorPath}/context_store`

const watchFields = {
  until: opt(oneOf('The stream ends when every entity was filled once, or cannot be', 'filled')),
} as const satisfies Fields
const resetFields = { entities: opt(str('Names of entities, separated by commas; left out: all')) } as const satisfies Fields

/** How far the copy of a connector is. */
export const getContextStore: PrincipalRoute = {
  method: 'GET',
  path,
  auth: 'principal',
  document: {
    id: 'getContextStore',
    tag: 'context store',
    summary: 'Tell how far the copy of a connector is',
    about: 'State, records, freshness, last error and next run, of the connector and of each entity.',
    scope: 'connectors:read',
    answer: { about: 'The status', schema: 'ContextStoreStatus' },
    problems: ['connector_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.syncs.status(exchange.who, slot(exchange, 'connector_id')) }),
}

/** The same, whenever it changes. */
export const watchContextStore: PrincipalRoute = {
  method: 'GET',
  path: `${path}/events`,
  auth: 'principal',
  document: {
    id: 'watchContextStore',
    tag: 'context store',
    summary: 'Watch how far the copy of a connector is',
    about: 'Server-sent events `status`, each with the status as JSON: now, and after every change. The stream ends with the client.',
    scope: 'connectors:read',
    query: watchFields,
    answer: { about: 'Events', schema: { type: 'string' }, type: 'text/event-stream' },
    problems: ['connector_not_found', 'validation_failed', 'overloaded'],
  },
  answer: (exchange, { platform, stopping }) => {
    const { until } = readQuery(watchFields, exchange.query)
    const statuses = platform.syncs.watchStatus(exchange.who, slot(exchange, 'connector_id'), exchange.signal)
    return eventStream(until === undefined ? statuses : untilFilled(statuses), { event: 'status', stopping })
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
export const setSchedule: PrincipalRoute = {
  method: 'PUT',
  path: `${path}/schedule`,
  auth: 'principal',
  document: {
    id: 'setSchedule',
    tag: 'context store',
    summary: 'Set when the copy is brought up to date',
    about: 'For the connector, or with `entity` for the entities that are read with that one.',
    scope: 'connectors:write',
    body: 'ScheduleInput',
    answer: { about: 'All schedules of the connector', schema: 'ScheduleList' },
    problems: ['connector_not_found', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => ({
    json: { data: await platform.syncs.setSchedule(exchange.who, slot(exchange, 'connector_id'), exchange.body) },
  }),
}

/** Empties the copy. */
export const resetContextStore: PrincipalRoute = {
  method: 'DELETE',
  path,
  auth: 'principal',
  document: {
    id: 'resetContextStore',
    tag: 'context store',
    summary: 'Empty the copy of a connector and fill it anew',
    about: 'What runs is cancelled. Nothing changes at the vendor.',
    scope: 'connectors:write',
    query: resetFields,
    answer: { status: 202, about: 'The run that fills it', schema: 'SyncRun' },
    problems: ['connector_not_found', 'workspace_inactive', 'validation_failed'],
  },
  answer: async (exchange, { platform }) => {
    const { entities } = readQuery(resetFields, exchange.query)
    const body = entities === undefined ? {} : { entities: entities.split(',') }
    return { status: 202, json: await platform.syncs.reset(exchange.who, slot(exchange, 'connector_id'), body) }
  },
}
