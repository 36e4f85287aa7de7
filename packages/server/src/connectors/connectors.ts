/** Lists and reads the connectors of an organization. */

import { fail } from 'ferrule/internal'
import { connectorQuery } from 'ferrule/wire'
import type { Parts } from '../main/parts.ts'
import { buildPage, defaultLimit, readPosition } from '../values/cursor.ts'
import { asId } from '../values/ids.ts'
import { readQuery } from '../values/read.ts'
import { requireScope } from '../values/scopes.ts'
import { createAccess } from './access.ts'
import { createChanges } from './changes.ts'
import type { Connectors } from './connector-types.ts'
import { createCreation } from './creation.ts'
import { readConnectorFilter } from './filter.ts'
import { toConnectorRecord, toConnectorSummary } from './record.ts'
import { findConnector, listConnectors } from './sql/connectors.ts'

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
    const filter = readConnectorFilter(catalogue, query)
    const scope = { list: 'connectors', view: principal, query }
    const after = readPosition(parts, scope)
    if (filter === undefined) return { data: [], next: null }
    const rows = await listConnectors(db, principal, { ...filter, after, limit: (query.limit ?? defaultLimit) + 1 })
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
