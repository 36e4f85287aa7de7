/** Connectors of an organization. */
import { fail } from '../errors.ts'
import { bodies, readQuery, workspaceNameOf } from './bodies.ts'
import { createAccess } from './connector-access.ts'
import { createChanges } from './connector-changes.ts'
import { createCreation } from './connector-creation.ts'
import { recordOf, summaryOf } from './connector-record.ts'
import { defaultLimit, pageOf, positionOf } from './cursor.ts'
import { findConnector, listConnectors } from './db/queries-connectors.ts'
import { asId } from './ids.ts'
import type { Parts } from './parts.ts'
import { requireScope } from './scopes.ts'
import type { Catalogue, Connectors } from './types.ts'

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
