/** Values that are too long for an index: the record is written, and the index goes. */
import { physicalColumns, type SearchTable } from '../query/columns.ts'
import type { ContextDatabase } from '../store/database.ts'
import { dropIndex, tooLong } from './build.ts'
import { giveUp, type IndexRow, readRows } from './rows.ts'

/** Where a write was refused. */
export interface Refused {
  /** The connector's number. */
  readonly number: number
  readonly table: SearchTable
}

/** The indexes that can have refused a write: the one that is named; values of more than a page are refused without a name. */
function suspects(thrown: object, { number, table }: Refused, rows: readonly IndexRow[]): readonly IndexRow[] {
  const texts = new Set(physicalColumns(table).flatMap(({ name, type }) => (type === 'text' ? [name] : [])))
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
 * Takes indexes away that a write cannot get past, because a value is too long for them.
 * @param now milliseconds since 1970
 * @returns whether there were some, so that the write is worth trying again
 */
export async function clearWay(
  database: ContextDatabase,
  thrown: unknown,
  { now, ...refused }: Refused & { now: number },
): Promise<boolean> {
  if (typeof thrown !== 'object' || thrown === null || Reflect.get(thrown, 'code') !== tooLong) return false
  const found = suspects(thrown, refused, await readRows(database))
  for (const { id } of found) {
    await database.transaction((session) => giveUp(session, id, { error: tooLong, now }))
    await dropIndex(database, id)
  }
  return found.length > 0
}
