/** Lists and reads the connectors of an organization. */
import { type ConnectorQuery, connectorQuery } from 'ferrule/wire'
import type { Parts } from '../main/parts.ts'
import { requireScope } from '../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../values/cursor.ts'
import { findWorkspaceName, readQuery } from '../values/read.ts'
import { createAccess } from './access.ts'
import { createChanges } from './changes.ts'
import { type Catalogue, type Connectors, summarize } from './connector-types.ts'
import { createCreation } from './creation.ts'
import { toConnectorRecord, toConnectorSummary } from './draft.ts'
import { type ConnectorListOptions, findConnector, listConnectors, requireConnector } from './sql/connectors.ts'

/** Builds the service. */
export const createConnectors = (parts: Parts): Connectors => ({
  ...createReading(parts),
  ...createChanges(parts),
  ...createAccess(parts),
  ...createCreation(parts),
})

const createReading = ({ database: { db }, kinds, ...parts }: Parts): Pick<Connectors, 'list' | 'get'> => ({
  list: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(connectorQuery, given)
    const filter = readConnectorFilter(await kinds.of(principal.organizationId, [query.connector_type, query.definition_id]), query)
    const scope = { list: 'connectors', view: principal, query }
    const after = readPosition(parts, scope)
    if (filter === undefined) return { data: [], next: null }
    const rows = await listConnectors(db, principal, { ...filter, after, limit: (query.limit ?? defaultLimit) + 1 })
    const kindOf = await kinds.findAll(rows)
    return buildPage(parts, { ...scope, rows }, (row) => toConnectorSummary(row, kindOf(row)))
  },
  get: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const row = await requireConnector(db, principal, given, findConnector)
    return toConnectorRecord(row, await kinds.find(row))
  },
})

/**
 * Returns the filter of a query; undefined when nothing can match. An unknown definition id is no error, because clients ask for kinds that
 * a service may lack.
 * @throws FerruleError `connector_type_not_found`, `validation_failed`
 */
export function readConnectorFilter(
  catalogue: Catalogue,
  query: ConnectorQuery,
): Pick<ConnectorListOptions, 'workspaceId' | 'workspaceName' | 'kind'> | undefined {
  const type = query.connector_type === undefined ? undefined : summarize(catalogue.getKind(query.connector_type)).kind
  const workspace = { workspaceId: query.workspace_id?.toLowerCase(), workspaceName: findWorkspaceName(query) }
  if (query.definition_id === undefined) return { ...workspace, kind: type }
  const wanted = query.definition_id.toLowerCase()
  const found = catalogue.findKind(wanted)
  const slug = found === undefined || summarize(found).id !== wanted ? undefined : summarize(found).kind
  return slug === undefined || (type !== undefined && type !== slug) ? undefined : { ...workspace, kind: slug }
}
