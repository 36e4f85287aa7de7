import {
  type ConnectorRecord,
  endpoints,
  type InspectedEntity,
  type Inspection,
  inspection,
  type SyncEntityStatus,
  type SyncStatusRecord,
} from 'ferrule/wire'
import type { Platform } from '../../main/platform-types.ts'
import type { Principal } from '../../values/access.ts'
import { principalRoute, slot } from '../route.ts'

const toInspectedEntity = ({ entity, state, ready_for_search, records, synced_at }: SyncEntityStatus): InspectedEntity => ({
  entity,
  status: state,
  ready_for_search,
  supported: true,
  entity_count: records,
  updated_at: synced_at,
  semantic_search_status: [],
})

/** Lists what needs attention: the connector's status, notices of the vendor, and failed entities. */
function listWarnings({ status_reason, notices }: ConnectorRecord, { entities }: SyncStatusRecord): readonly string[] {
  const failed = entities.flatMap(({ entity, last_error: error }) => (error === null ? [] : [`${entity}: ${error.message}`]))
  return [...(status_reason === null ? [] : [status_reason]), ...notices.map(({ message }) => message), ...new Set(failed)]
}

/**
 * Inspects a connector of the principal's organization. Scope connectors:read.
 * @throws FerruleError `connector_not_found`
 */
async function inspectConnector(
  { connectors, syncs }: Pick<Platform, 'connectors' | 'syncs'>,
  principal: Principal,
  id: string,
): Promise<Inspection> {
  const connector = await connectors.get(principal, id)
  const status = await syncs.status(principal, id)
  const selected = new Set(connector.entities.map(({ entity }) => entity))
  const isConfigured = ({ entity }: SyncEntityStatus): boolean => selected.size === 0 || selected.has(entity)
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

/** A connector and its copy at a glance. */
export const inspect = principalRoute({
  ...endpoints.inspectConnector,
  auth: 'principal',
  document: {
    id: 'inspectConnector',
    tag: 'context store',
    summary: 'Inspect a connector and its copy',
    scope: 'connectors:read',
    answer: { about: 'Searchable entities, their state, and problems that need attention', schema: inspection },
    problems: ['connector_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await inspectConnector(platform, exchange.who, slot(exchange, 'connector_id')) }),
})
