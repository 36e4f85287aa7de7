/** The inspection of a connector on the wire, in the shape that existing clients read. */
import { bool, int, list, orNull, str, time } from '../definition/index.ts'
import { copyState } from './context-store.ts'
import { part, record, uuid, type Wire } from './words.ts'

const inspectedEntity = part(
  {
    entity: str('Entity'),
    status: copyState,
    ready_for_search: bool('true: searches are answered'),
    supported: bool('true: the kind offers the entity'),
    entity_count: int('Records of the copy'),
    updated_at: orNull(time('synced_at of the copy')),
    semantic_search_status: list(str('None'), 'Always empty: there is no semantic search', { maxItems: 0 }),
  },
  'An entity',
)
/** A synced entity. */
export type InspectedEntity = Wire<typeof inspectedEntity>

export const inspection = record(
  'Inspection',
  {
    connector_id: uuid('Connector id'),
    name: str('Display name'),
    workspace_id: uuid('Workspace id'),
    organization_id: uuid('Organization id'),
    source_definition_id: uuid('Definition id of the kind'),
    source_definition_name: str('Title of the kind'),
    source_config_template_id: uuid('The same as source_definition_id'),
    docs_skill_id: str('Slug of the kind: its reference is /docs/reference/<slug>'),
    context_store_readiness: part(
      {
        connector_id: uuid('Connector id'),
        source_definition_id: uuid('Definition id of the kind'),
        supported_context_store_entities: list(
          part({ entity: str('Entity'), suggested: bool('true: synced unless the connector is limited to other entities') }, 'An entity'),
          'Searchable entities',
        ),
        configured_cache_entities: list(inspectedEntity, 'Synced entities'),
      },
      'Searchable entities and their state',
    ),
    warnings: list(str('Sentence'), 'Problems that need attention'),
  },
  'A connector and its copy at a glance',
)
/** A connector and its copy at a glance. */
export type Inspection = Wire<typeof inspection>
