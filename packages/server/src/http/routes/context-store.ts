import * as wire from 'ferrule/wire'
import type { Platform } from '../../main/platform-types.ts'
import type { Principal } from '../../values/access.ts'
import { readQuery } from '../../values/read.ts'
import { limited, nextPage, type PrincipalRoute, principalRoute, requireCopies, slot } from '../route.ts'
import { eventStream } from '../streams/event-stream.ts'

export const search = principalRoute('search', {
  tag: 'copies',
  summary: 'Search all connectors at once',
  about:
    'Finds records of all entities of all connectors that the token reaches: by words, by a filter, or both. What was not searched, because it is not ' +
    'filled, does not fit the filter or did not answer in time, is named in `left_out`. Words with typing errors count only where no record has them ' +
    'as they were written.',
  scope: 'execute:read',
  body: wire.searchInput,
  example: { text: 'acme renewal' },
  returns: { about: 'One page', schema: wire.searchResult },
  problems: [
    ...(['connector_not_found', 'workspace_inactive', 'validation_failed', 'missing_parameter', 'query_too_complex'] as const),
    ...(['invalid_cursor', 'context_store_unavailable', 'rate_limited', 'overloaded'] as const),
  ],
  answer: (exchange, services) =>
    limited(exchange, services, async (bounds) => ({
      json: await requireCopies(services.operations.everything).search(exchange.who, exchange.body, bounds),
    })),
})

export const getContextStore = principalRoute('getContextStore', {
  tag: 'copies',
  summary: 'Read the status of the copy of a connector',
  about: 'State, records, freshness, last error and next run, of the connector and of each entity.',
  scope: 'connectors:read',
  returns: { about: 'The status', schema: wire.contextStoreStatus },
  problems: ['connector_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await platform.syncs.status(who, slot(params, 'connector_id')) }),
})

/** The status, whenever it changes. */
export const watchContextStore: PrincipalRoute = {
  ...wire.endpoints.watchContextStore,
  auth: 'principal',
  document: {
    id: 'watchContextStore',
    tag: 'copies',
    summary: 'Watch the status of the copy of a connector',
    about:
      'Server-sent events `status`, each with the status as JSON: now, and after every change. The stream ends with the client, and with the token: its last event is then `end`, with the problem.',
    scope: 'connectors:read',
    query: wire.watchQuery,
    answer: { about: 'Events', types: ['text/event-stream'], event: wire.statusEvent },
    problems: ['connector_not_found', 'validation_failed', 'overloaded'],
  },
  answer: (exchange, services) => {
    const { until } = readQuery(wire.watchQuery, exchange.query)
    const connectorId = slot(exchange.params, 'connector_id')
    const statuses = services.platform.syncs.watchStatus(exchange.who, connectorId, exchange.signal)
    const values = until === undefined ? statuses : untilFilled(statuses)
    return eventStream(exchange, services, { event: wire.statusEvent, connectorId, values })
  },
}

/** States of a copy that is being filled for the first time, or will be. */
const filling: ReadonlySet<wire.SyncState> = new Set(['loading', 'building_preview', 'preview'])

async function* untilFilled(
  statuses: AsyncGenerator<wire.SyncStatusRecord, void, undefined>,
): AsyncGenerator<wire.SyncStatusRecord, void, undefined> {
  for await (const status of statuses) {
    yield status
    if (!filling.has(status.state)) return
  }
}

export const setSchedule = principalRoute('setSchedule', {
  tag: 'copies',
  summary: 'Set the schedule of the copy',
  about: 'For the connector, or with `entity` for the entities that are read with that one.',
  scope: 'connectors:write',
  body: wire.scheduleInput,
  returns: { about: 'All schedules of the connector', schema: wire.scheduleList },
  problems: ['connector_not_found', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({
    json: { data: await platform.syncs.setSchedule(who, slot(params, 'connector_id'), body) },
  }),
})

export const resetContextStore = principalRoute('resetContextStore', {
  tag: 'copies',
  summary: 'Empty the copy of a connector and fill it again',
  about: 'Cancels the running sync. Nothing changes at the vendor.',
  scope: 'connectors:write',
  query: wire.resetQuery,
  returns: { status: 202, about: 'The run that fills it', schema: wire.syncRunRecord },
  problems: ['connector_not_found', 'workspace_inactive', 'validation_failed'],
  answer: async ({ who, params, query }, { platform }) => {
    const { entities } = readQuery(wire.resetQuery, query)
    const body = entities === undefined ? {} : { entities: entities.split(',') }
    return { status: 202, json: await platform.syncs.reset(who, slot(params, 'connector_id'), body) }
  },
})

const toInspectedEntity = ({ entity, state, ready_for_search, records, synced_at }: wire.SyncEntityStatus): wire.InspectedEntity => ({
  entity,
  status: state,
  ready_for_search,
  supported: true,
  entity_count: records,
  updated_at: synced_at,
  semantic_search_status: [],
})

/** Lists what needs attention: the connector's status, notices of the vendor, and failed entities. */
function listWarnings({ status_reason, notices }: wire.ConnectorRecord, { entities }: wire.SyncStatusRecord): readonly string[] {
  const failed = entities.flatMap(({ entity, last_error: error }) => (error === null ? [] : [`${entity}: ${error.message}`]))
  return [...(status_reason === null ? [] : [status_reason]), ...notices.map(({ message }) => message), ...new Set(failed)]
}

/** Inspects a connector of the principal's organization. Scope connectors:read. */
async function inspectConnector(
  { connectors, syncs }: Pick<Platform, 'connectors' | 'syncs'>,
  principal: Principal,
  id: string,
): Promise<wire.Inspection> {
  const connector = await connectors.get(principal, id)
  const status = await syncs.status(principal, id)
  const selected = new Set(connector.entities.map(({ entity }) => entity))
  const isConfigured = ({ entity }: wire.SyncEntityStatus): boolean => selected.size === 0 || selected.has(entity)
  return {
    connector_id: connector.id,
    name: connector.name,
    workspace_id: connector.workspace_id,
    organization_id: connector.organization_id,
    source_definition_id: connector.definition_id,
    source_definition_name: connector.source_template.name,
    source_config_template_id: connector.definition_id,
    docs_skill_id: connector.connector_type,
    context_store_readiness: {
      connector_id: connector.id,
      source_definition_id: connector.definition_id,
      supported_context_store_entities: status.entities.map(({ entity }) => ({ entity, suggested: true })),
      configured_cache_entities: status.entities.filter(isConfigured).map(toInspectedEntity),
    },
    warnings: listWarnings(connector, status),
  }
}

export const inspect = principalRoute('inspectConnector', {
  tag: 'copies',
  summary: 'Inspect a connector and its copy',
  scope: 'connectors:read',
  returns: { about: 'Searchable entities, their state, and problems that need attention', schema: wire.inspection },
  problems: ['connector_not_found'],
  answer: async ({ who, params }, { platform }) => ({ json: await inspectConnector(platform, who, slot(params, 'connector_id')) }),
})

export const requestSync = principalRoute('requestSync', {
  tag: 'copies',
  summary: 'Bring the copy of a connector up to date',
  about: 'Queues a run, or joins the one that waits. Entities that are read together with the given ones are brought up to date too.',
  scope: 'connectors:write',
  body: wire.syncInput,
  bodyOptional: true,
  returns: { status: 202, about: 'The run', schema: wire.syncRunRecord },
  problems: ['connector_not_found', 'workspace_inactive', 'validation_failed'],
  answer: async ({ who, params, body }, { platform }) => ({
    status: 202,
    json: await platform.syncs.request(who, slot(params, 'connector_id'), body ?? {}),
  }),
})

export const listSyncs = principalRoute('listSyncs', {
  tag: 'copies',
  summary: 'List the runs of a connector',
  about: 'The newest first.',
  scope: 'connectors:read',
  query: wire.syncQuery,
  returns: { about: 'One page', schema: wire.syncRunPage },
  problems: ['connector_not_found', 'invalid_cursor', 'validation_failed'],
  answer: async ({ who, params, query }, { platform }) => {
    const id = slot(params, 'connector_id')
    const page = await platform.syncs.list(who, id, query)
    return { json: nextPage(wire.endpoints.listSyncs.path.replace('{connector_id}', encodeURIComponent(id)), query, page) }
  },
})

export const getSync = principalRoute('getSync', {
  tag: 'copies',
  summary: 'Read a run',
  scope: 'connectors:read',
  returns: { about: 'The run', schema: wire.syncRunRecord },
  problems: ['connector_not_found', 'sync_not_found'],
  answer: async ({ who, params }, { platform }) => ({
    json: await platform.syncs.get(who, slot(params, 'connector_id'), slot(params, 'sync_id')),
  }),
})

export const cancelSync = principalRoute('cancelSync', {
  tag: 'copies',
  summary: 'Cancel a run',
  about: 'Written records stay. A finished run does not change.',
  scope: 'connectors:write',
  returns: { about: 'The run', schema: wire.syncRunRecord },
  problems: ['connector_not_found', 'sync_not_found'],
  answer: async ({ who, params }, { platform }) => ({
    json: await platform.syncs.cancel(who, slot(params, 'connector_id'), slot(params, 'sync_id')),
  }),
})

/** A run while it runs. */
export const watchSync: PrincipalRoute = {
  ...wire.endpoints.watchSync,
  auth: 'principal',
  document: {
    id: 'watchSync',
    tag: 'copies',
    summary: 'Watch a run',
    about:
      'Server-sent events `run`, each with the run as JSON: now, and after every change. The stream ends with the run, and with the token: its last event is then `end`, with the problem.',
    scope: 'connectors:read',
    answer: { about: 'Events', types: ['text/event-stream'], event: wire.runEvent },
    problems: ['connector_not_found', 'sync_not_found', 'overloaded'],
  },
  answer: (exchange, services) => {
    const connectorId = slot(exchange.params, 'connector_id')
    const run = { connectorId, runId: slot(exchange.params, 'sync_id') }
    const values = services.platform.syncs.watchRun(exchange.who, run, exchange.signal)
    return eventStream(exchange, services, { event: wire.runEvent, connectorId, values })
  },
}
