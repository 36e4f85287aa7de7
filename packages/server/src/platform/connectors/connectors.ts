/** Lists and reads the connectors of an organization. */

import { fail } from 'ferrule/internal'
import { connectorQuery } from 'ferrule/wire'
import { findConnector, listConnectors } from '../db/queries/connectors.ts'
import { buildPage, defaultLimit, readPosition } from '../model/cursor.ts'
import { asId } from '../model/ids.ts'
import { readQuery } from '../model/read.ts'
import { requireScope } from '../model/scopes.ts'
import type { Catalogue, Connectors } from '../model/types.ts'
import { findWorkspaceName } from '../model/workspace-names.ts'
import type { Parts } from '../parts.ts'
import { createAccess } from './access.ts'
import { createChanges } from './changes.ts'
import { createCreation } from './creation.ts'
import { toConnectorRecord, toConnectorSummary } from './record.ts'

/** Builds the service. */
export const createConnectors = (parts: Parts): Connectors => ({
  ...createReading(parts),
  ...createChanges(parts),
  ...createAccess(parts),
  ...createCreation(parts),
})

const createReading = ({ database: { db }, catalogue, ...parts }: Parts): Pick<Connectors, 'list' | 'get'> => ({
  list: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(connectorQuery, given)
    const kind = readKindFilter(catalogue, query)
    const scope = { list: 'connectors', view: principal, query }
    const after = readPosition(parts, scope)
    if (kind === 'none') return { data: [], next: null }
    const place = { workspaceId: query.workspace_id?.toLowerCase(), workspaceName: findWorkspaceName(query) }
    const rows = await listConnectors(db, principal, { ...place, kind, after, limit: (query.limit ?? defaultLimit) + 1 })
    return buildPage(parts, { ...scope, rows }, (row) => toConnectorSummary(row, catalogue))
  },
  get: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const id = asId(given)
    const row = id === undefined ? undefined : await findConnector(db, principal, id)
    if (row === undefined) throw fail('connector_not_found', {})
    return toConnectorRecord(row, catalogue)
  },
})

/**
 * Returns the slug to filter by; `none` when nothing can match. An unknown definition id is no error, because clients ask for kinds that a
 * service may lack.
 */
function readKindFilter(catalogue: Catalogue, query: { connector_type?: string; definition_id?: string }): string | undefined {
  const type = query.connector_type === undefined ? undefined : catalogue.getKind(query.connector_type).definition.kind
  if (query.definition_id === undefined) return type
  const wanted = query.definition_id.toLowerCase()
  const slug = catalogue.list().find(({ sourceDefinitionId }) => sourceDefinitionId === wanted)?.connector_type
  return slug === undefined || (type !== undefined && type !== slug) ? 'none' : slug
}
