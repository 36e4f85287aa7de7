/** Handles values that are too long for an index: drops the index so that the record can be written. */

import { listPhysicalColumns, type SearchTable } from '../../search/columns.ts'
import type { ContextDatabase } from '../database/database.ts'
import { dropIndex, valueTooLong } from './build.ts'
import { type IndexRow, markGivenUp, readRows } from './rows.ts'

/** A refused write. */
export interface RefusedWrite {
  /** Number of the connector. */
  readonly number: number
  readonly table: SearchTable
}

/** Finds the indexes that can have refused a write: the named one. The error names none for a value of more than a page. */
function findSuspects(thrown: object, { number, table }: RefusedWrite, rows: readonly IndexRow[]): readonly IndexRow[] {
  const texts = new Set(listPhysicalColumns(table).flatMap(({ name, type }) => (type === 'text' ? [name] : [])))
  const named: unknown = Reflect.get(thrown, 'constraint')
  return rows.filter(
    (row) =>
      row.number === number &&
      row.table === table.name &&
      row.state !== 'failed' &&
      texts.has(row.column) &&
      (named === undefined || named === row.id),
  )
}

/**
 * Drops automatic indexes that refuse a write because a value is too long.
 * @param now milliseconds since 1970
 * @returns true when some were dropped, so the write is worth a retry
 */
export async function dropBlockingIndexes(
  database: ContextDatabase,
  thrown: unknown,
  { now, ...refused }: RefusedWrite & { now: number },
): Promise<boolean> {
  if (typeof thrown !== 'object' || thrown === null || Reflect.get(thrown, 'code') !== valueTooLong) return false
  const found = findSuspects(thrown, refused, await readRows(database))
  for (const { id } of found) {
    await database.transaction((session) => markGivenUp(session, id, { error: valueTooLong, now }))
    await dropIndex(database, id)
  }
  return found.length > 0
}
