/** A connector and its copy at a glance, in the shape that existing clients read. */
import type { ConnectorRecord } from './records.ts'
import type { SyncEntityStatus, SyncState, SyncStatusRecord } from './syncs/records.ts'
import type { Platform, Principal } from './types.ts'

/** An entity that is synced. */
interface InspectedEntity {
  readonly entity: string
  readonly status: SyncState
  readonly ready_for_search: boolean
  readonly supported: true
  readonly entity_count: number
  readonly updated_at: string | null
  readonly semantic_search_status: readonly []
}

/** A connector and its copy. */
export interface Inspection {
  readonly connector_id: string
  readonly name: string
  readonly workspace_id: string
  readonly organization_id: string
  readonly source_definition_id: string
  readonly source_definition_name: string
  readonly source_config_template_id: string
  readonly docs_skill_id: string
  readonly context_store_readiness: {
    readonly connector_id: string
    readonly source_definition_id: string
    readonly supported_context_store_entities: readonly { readonly entity: string; readonly suggested: boolean }[]
    readonly configured_cache_entities: readonly InspectedEntity[]
  }
  readonly warnings: readonly string[]
}

const inspected = ({ entity, state, ready_for_search, records, synced_at }: SyncEntityStatus): InspectedEntity => ({
  entity,
  status: state,
  ready_for_search,
  supported: true,
  entity_count: records,
  updated_at: synced_at,
  semantic_search_status: [],
})

/** What needs somebody: the connector's own state, notices of the vendor, and entities that could not be read. */
function warningsOf({ status_reason, notices }: ConnectorRecord, { entities }: SyncStatusRecord): readonly string[] {
  const failed = entities.flatMap(({ entity, last_error: error }) => (error === null ? [] : [`${entity}: ${error.message}`]))
  return [...(status_reason === null ? [] : [status_reason]), ...notices.map(({ message }) => message), ...new Set(failed)]
}

/**
 * Looks at a connector of the principal's organization. Scope connectors:read.
 * @throws FerruleError `connector_not_found`
 */
export async function inspectConnector(
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
      configured_cache_entities: status.entities.filter(isConfigured).map(inspected),
    },
    warnings: warningsOf(connector, status),
  }
}
