/** Connectors in wire form. */

import { readSlug } from 'ferrule/internal'
import type { ConnectorCommon, ConnectorNotice, ConnectorRecord, ConnectorStatus, ConnectorSummary, EntitySelection } from 'ferrule/wire'
import { iso } from '../values/ids.ts'
import { type ServedKind, summarize } from './connector-types.ts'
import { buildConfigurationSchema } from './kinds.ts'
import type { ConnectorRow } from './sql/connectors.ts'

/** Placeholder of a kind that this version of the service lacks. */
const missing = { id: '00000000-0000-0000-0000-000000000000', schema: { type: 'object' } } as const

/** Returns the status of a connector; an inactive workspace overrides its own status. */
export const getConnectorStatus = (row: ConnectorRow): ConnectorStatus => (row.workspace_status === 'inactive' ? 'disabled' : row.status)
const getStatusReason = (row: ConnectorRow): string | null =>
  row.workspace_status === 'inactive' ? 'Its workspace is inactive; set the status of the workspace to active.' : row.status_reason

// JSON that this service wrote.
const parseConfiguration = (row: ConnectorRow): Readonly<Record<string, unknown>> => JSON.parse(row.configuration)
const parseEntities = (row: ConnectorRow): readonly EntitySelection[] => JSON.parse(row.entities)
const parseNotices = (row: ConnectorRow): readonly ConnectorNotice[] => JSON.parse(row.notices)
const parseFields = (row: ConnectorRow): readonly string[] => JSON.parse(row.credential_fields)

/** Converts what records, summaries and overviews share. */
export const toCommon = (row: ConnectorRow, kind: ServedKind | undefined): ConnectorCommon => ({
  id: row.id,
  name: row.name,
  replication_config: parseConfiguration(row),
  entities: parseEntities(row),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  workspace_id: row.workspace_id,
  workspace_name: row.workspace_name,
  organization_id: row.organization_id,
  connector_type: readSlug(row.kind),
  ...(kind?.own === undefined ? {} : { kind_version: kind.own.version }),
  definition_id: kind === undefined ? missing.id : summarize(kind).id,
  status: getConnectorStatus(row),
  status_reason: getStatusReason(row),
  credential_scheme: row.scheme,
  credential_fields: parseFields(row),
  environment: { sandbox: Boolean(row.sandbox) },
  notices: parseNotices(row),
})

const toTemplate = (row: ConnectorRow, kind: ServedKind | undefined) => {
  const {
    id,
    title,
    copied: isSearchable,
  } = kind === undefined ? { ...missing, title: readSlug(row.kind), copied: false } : summarize(kind)
  return {
    id,
    name: title,
    icon: null,
    tags: [],
    mode: 'DIRECT',
    runtime_mode: isSearchable ? 'direct_and_context_store' : 'direct_only',
    supports_context_store: isSearchable,
  } as const
}

/** Converts a connector to the answer of create, get, update and patch. */
export function toConnectorRecord(row: ConnectorRow, kind: ServedKind | undefined): ConnectorRecord {
  const template = toTemplate(row, kind)
  return {
    ...toCommon(row, kind),
    source_template: {
      ...template,
      source_definition_id: template.id,
      user_config_spec: { connectionSpecification: kind === undefined ? missing.schema : buildConfigurationSchema(kind.definition) },
      partial_default_config: {},
      is_experimental: false,
    },
  }
}

/** Converts a connector to an item of lists. */
export function toConnectorSummary(row: ConnectorRow, kind: ServedKind | undefined): ConnectorSummary {
  const template = toTemplate(row, kind)
  return {
    ...toCommon(row, kind),
    summarized_source_template: {
      ...template,
      actor_definition_id: template.id,
      connector_name: readSlug(row.kind),
      organization_id: row.organization_id,
    },
  }
}
