/** Connectors of an organization. */
import { fail } from '../errors.ts'
import { bodies, readQuery, workspaceNameOf } from './bodies.ts'
import { createAccess } from './connector-access.ts'
import { createChanges } from './connector-changes.ts'
import { readDraft } from './connector-draft.ts'
import { recordOf, summaryOf } from './connector-record.ts'
import { defaultLimit, pageOf, positionOf } from './cursor.ts'
import { findConnector, insertConnector, listConnectors, type StoredConnector } from './db/queries-connectors.ts'
import type { WorkspaceRow } from './db/queries-workspaces.ts'
import { asId, newId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { ConnectorRecord } from './records.ts'
import { requireScope } from './scopes.ts'
import { beginSyncs } from './syncs/queue.ts'
import type { Catalogue, Connectors, Principal } from './types.ts'
import { workspaceFor } from './workspace-keeper.ts'

/** Builds the service. */
export const createConnectors = (parts: Parts): Connectors => ({
  ...createReading(parts),
  ...createChanges(parts),
  ...createAccess(parts),
  create: (principal, body) => create(parts, principal, body),
})

const createReading = ({ database: { db }, catalogue, ...parts }: Parts): Pick<Connectors, 'list' | 'get'> => ({
  list: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(bodies.listConnectors, given)
    const kind = kindFilter(catalogue, query)
    const scope = { list: 'connectors', view: principal, query }
    const after = positionOf(parts, scope)
    if (kind === 'none') return { data: [], next: null }
    const place = { workspaceId: query.workspace_id?.toLowerCase(), workspaceName: workspaceNameOf(query) }
    const rows = await listConnectors(db, principal, { ...place, kind, after, limit: (query.limit ?? defaultLimit) + 1 })
    return pageOf(parts, { ...scope, rows }, (row) => summaryOf(row, catalogue))
  },
  get: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const id = asId(given)
    const row = id === undefined ? undefined : await findConnector(db, principal, id)
    if (row === undefined) throw fail('connector_not_found', {})
    return recordOf(row, catalogue)
  },
})

/** The slug that a list is limited to; `none` when nothing can match. An unknown definition id is no error: clients ask for kinds that a service may lack. */
function kindFilter(catalogue: Catalogue, query: { connector_type?: string; definition_id?: string }): string | undefined {
  const type = query.connector_type === undefined ? undefined : catalogue.kindOf(query.connector_type).definition.kind
  if (query.definition_id === undefined) return type
  const wanted = query.definition_id.toLowerCase()
  const slug = catalogue.list().find(({ sourceDefinitionId }) => sourceDefinitionId === wanted)?.connector_type
  return slug === undefined || (type !== undefined && type !== slug) ? 'none' : slug
}

async function create(parts: Parts, principal: Principal, body: unknown): Promise<ConnectorRecord> {
  requireScope(principal, 'connectors:write')
  const { database, vault, source, catalogue } = parts
  const draft = readDraft(catalogue, body, parts.settings.sandbox)
  const made = await database.transaction(async (db) => {
    const workspace = await workspaceFor(parts, db, { principal, name: draft.workspaceName })
    const id = newId(source)
    const place = { organizationId: principal.organizationId, workspaceId: workspace.id, connectorId: id, dataKeyId: workspace.data_key_id }
    const { sealed, fields } = await vault.seal(db, place, draft.credentials)
    const row = { ...rowOf(draft, workspace, source.clock()), id, sealed, credential_fields: JSON.stringify(fields) }
    if (!(await insertConnector(db, row))) throw fail('connector_name_conflict', { name: draft.name })
    await beginSyncs(parts, db, row)
    return recordOf({ ...row, workspace_name: workspace.name, workspace_status: workspace.status }, catalogue)
  })
  parts.events.emit('queued')
  return made
}

const rowOf = (
  draft: ReturnType<typeof readDraft>,
  workspace: WorkspaceRow,
  now: number,
): Omit<StoredConnector, 'id' | 'sealed' | 'credential_fields'> => ({
  organization_id: workspace.organization_id,
  workspace_id: workspace.id,
  name: draft.name,
  kind: draft.kind.definition.kind,
  status: 'active',
  status_reason: null,
  notices: '[]',
  configuration: JSON.stringify(draft.configuration),
  entities: JSON.stringify(draft.entities),
  sandbox: draft.sandbox,
  scheme: draft.scheme,
  data_key_id: workspace.data_key_id,
  version: 1,
  lease_owner: null,
  lease_until: null,
  created_at: now,
  updated_at: now,
})
