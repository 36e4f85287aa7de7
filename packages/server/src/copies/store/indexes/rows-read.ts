/** Counts the rows that a search reads, as PostgreSQL counts them while it runs the search. */

import type { SearchStatement } from '../../search/statement.ts'
import type { Session } from '../database/database.ts'

/** Members of a plan's step that count its rows, as averages of its loops. */
const counted = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'] as const

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)

/**
 * Sums the rows that the steps of a plan read from a table. Walks any JSON, because Citus nests the plans of its machines differently.
 * @param table name of the table; its partitions and shards have names that begin with it
 */
export function sumRowsRead(plan: unknown, table: string): number {
  if (typeof plan !== 'object' || plan === null) return 0
  const below = Object.values(plan).reduce((sum: number, part: unknown) => sum + sumRowsRead(part, table), 0)
  const relation: unknown = Reflect.get(plan, 'Relation Name')
  if (typeof relation !== 'string' || !relation.startsWith(table)) return below
  const rows = counted.reduce((sum, name) => sum + toNumber(Reflect.get(plan, name)), 0)
  return below + Math.round(rows * toNumber(Reflect.get(plan, 'Actual Loops')))
}

/** Runs a search once more, without its answer, and counts the rows that it reads from its table. */
export async function countRowsRead(session: Session, { text, values }: SearchStatement, table: string): Promise<number> {
  const { rows } = await session.query({ text: `explain (analyze, timing off, format json) ${text}`, values })
  return rows.reduce((sum, row) => sum + sumRowsRead(JSON.parse(String(row['QUERY PLAN'])), table), 0)
}
