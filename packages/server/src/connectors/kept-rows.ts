/** Keeps the rows of connectors while nothing in the database changes. */

import { BoundedMap } from 'ferrule/internal'
import type { Database } from '../db/database.ts'
import type { ConnectionQuery, SealedConnectorRow } from './sql/connectors.ts'

/** Maximum number of rows, about 2 kB each. */
const mostRows = 1_000

/**
 * Builds a query that reads a row again only after a change of the database, by this process or another one. Without a count of changes,
 * which only the embedded database has, each call reads it.
 */
export function keepRows({ countChanges }: Pick<Database, 'countChanges'>, read: ConnectionQuery): ConnectionQuery {
  if (countChanges === undefined) return read
  const kept = new BoundedMap<string, { readonly changes: number; readonly row: SealedConnectorRow }>(mostRows)
  return async (view, id) => {
    if (view.connectorIds !== null) return read(view, id)
    const name = [view.organizationId, id, ...(view.workspaceIds ?? ['all'])].join(' ')
    const changes = countChanges()
    const known = kept.get(name)
    if (known?.changes === changes) return known.row
    const row = await read(view, id)
    if (row !== undefined) kept.set(name, { changes, row })
    return row
  }
}
