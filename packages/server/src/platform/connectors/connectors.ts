/** Lists and reads the connectors of an organization. */

import { fail } from 'ferrule/internal'
import { connectorQuery } from 'ferrule/wire'
import { findConnector, listConnectors } from '../db/queries/connectors.ts'
import { buildPage, defaultLimit, readPosition } from '../model/cursor.ts'
import { asId } from '../model/ids.ts'
import { readQuery } from '../model/read.ts'
import { requireScope } from '../model/scopes.ts'
import type { Connectors } from '../model/types.ts'
import type { Parts } from '../parts.ts'
import { createAccess } from './access.ts'
import { createChanges } from './changes.ts'
import { createCreation } from './creation.ts'
import { readConnectorFilter } from './filter.ts'
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
