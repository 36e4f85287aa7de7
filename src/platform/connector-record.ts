/** Connectors in wire form. */
import type { Kind } from '../definition/connector.ts'
import { configurationSchema } from './catalogue.ts'
import type { ConnectorRow } from './db/queries-connectors.ts'
import { iso } from './ids.ts'
import type { ConnectorCommon, ConnectorNotice, ConnectorRecord, ConnectorStatus, ConnectorSummary, EntitySelection } from './records.ts'
import { keptEntities } from './syncs/groups.ts'
import type { Catalogue } from './types.ts'

/** What is shown of a kind that this version of the service does not have. */
const missing = { id: '00000000-0000-0000-0000-000000000000', schema: { type: 'object' } } as const

/** The status of a connector: that of its workspace goes before its own. */
export const statusOf = (row: ConnectorRow): ConnectorStatus => (row.workspace_status === 'inactive' ? 'disabled' : row.status)
const reasonOf = (row: ConnectorRow): string | null =>
  row.workspace_status === 'inactive' ? 'Its workspace is inactive; set the status of the workspace to active.' : row.status_reason

const kindOf = (catalogue: Catalogue, slug: string): Kind | undefined => {
  try {
    return catalogue.kindOf(slug)
  } catch {
    return undefined
  }
}

// JSON that this service wrote.
const configurationOf = (row: ConnectorRow): Readonly<Record<string, unknown>> => JSON.parse(row.configuration)
const entitiesOf = (row: ConnectorRow): readonly EntitySelection[] => JSON.parse(row.entities)
const noticesOf = (row: ConnectorRow): readonly ConnectorNotice[] => JSON.parse(row.notices)
const fieldsOf = (row: ConnectorRow): readonly string[] => JSON.parse(row.credential_fields)

const commonOf = (row: ConnectorRow, kind: Kind | undefined): ConnectorCommon => ({
  id: row.id,
  name: row.name,
  replication_config: configurationOf(row),
  entities: entitiesOf(row),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  workspace_id: row.workspace_id,
  workspace_name: row.workspace_name,
  organization_id: row.organization_id,
  connector_type: row.kind,
  definition_id: kind?.definition.id ?? missing.id,
  status: statusOf(row),
  status_reason: reasonOf(row),
  credential_scheme: row.scheme,
  credential_fields: fieldsOf(row),
  environment: { sandbox: Boolean(row.sandbox) },
  notices: noticesOf(row),
})

const templateOf = (row: ConnectorRow, kind: Kind | undefined) => {
  const isSearchable = kind !== undefined && keptEntities(kind.definition).length > 0
  return {
    id: kind?.definition.id ?? missing.id,
    name: kind?.definition.title ?? row.kind,
    icon: null,
    tags: [],
    mode: 'DIRECT',
    runtime_mode: isSearchable ? 'direct_and_context_store' : 'direct_only',
    supports_context_store: isSearchable,
  } as const
}

/** A connector as create, get, update and patch answer it. */
export function recordOf(row: ConnectorRow, catalogue: Catalogue): ConnectorRecord {
  const kind = kindOf(catalogue, row.kind)
  const template = templateOf(row, kind)
  return {
    ...commonOf(row, kind),
    source_template: {
      ...template,
      source_definition_id: template.id,
      user_config_spec: { connectionSpecification: kind === undefined ? missing.schema : configurationSchema(kind.definition) },
      partial_default_config: {},
      is_experimental: false,
    },
  }
}

/** A connector as lists show it. */
export function summaryOf(row: ConnectorRow, catalogue: Catalogue): ConnectorSummary {
  const kind = kindOf(catalogue, row.kind)
  const template = templateOf(row, kind)
  return {
    ...commonOf(row, kind),
    summarized_source_template: {
      ...template,
      actor_definition_id: template.id,
      connector_name: row.kind,
      organization_id: row.organization_id,
    },
  }
}
