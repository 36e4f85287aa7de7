/** Advises which columns of a slow search an index would help. Pure. */
import type { Column, SearchTable } from '../../search/columns.ts'
import { buildCandidates } from '../../search/conditions/candidates.ts'
import type { PathCondition } from '../../search/conditions/sql-context.ts'
import { buildOrder, findSortColumn, isRanked } from '../../search/order.ts'
import type { SearchOptions } from '../../search/sql.ts'
import { Values } from '../../search/statement.ts'
import type { Condition, Operand, SearchQuery } from '../../search/tree.ts'

/** Columns without an index that an index over (column, primary key) would serve. */
export interface IndexAdvice {
  /** Column of the first sort key. */
  readonly order: string | undefined
  /** Columns that must equal one of some values. */
  readonly equal: readonly string[]
  /** Columns that must be above or below a value. */
  readonly range: readonly string[]
}

/** Lists the distinct columns of an advice. */
export const listColumns = ({ order, equal, range }: IndexAdvice): readonly string[] => [
  ...new Set([...(order === undefined ? [] : [order]), ...equal, ...range]),
]

/** Limits an advice to some columns. */
export const narrowAdvice = ({ order, equal, range }: IndexAdvice, columns: readonly string[]): IndexAdvice => ({
  order: order !== undefined && columns.includes(order) ? order : undefined,
  equal: equal.filter((column) => columns.includes(column)),
  range: range.filter((column) => columns.includes(column)),
})

const flattenAnd = (condition: Condition): readonly Condition[] => (condition.op === 'and' ? condition.of.flatMap(flattenAnd) : [condition])

/** Finds the column of a condition that compares it directly and visibly for the planner. */
function findComparedColumn(condition: PathCondition, table: SearchTable): string | undefined {
  const { column, steps } = condition.path
  if ((condition.op !== 'equals' && condition.op !== 'order') || column === undefined || column.type === 'json' || steps.length > 0)
    return undefined
  // Where stored words find candidates, a CASE hides the condition.
  if (buildCandidates(condition, { table, column, values: new Values() }).length > 0) return undefined
  return condition.op === 'equals'
    ? findCommonColumn(column, condition.values, findEqualityColumn)
    : findCommonColumn(column, [condition.value], findOrderColumn)
}

/** Finds the one column that all operands compare with; undefined for several or none. */
function findCommonColumn(
  column: Column,
  operands: readonly Operand[],
  comparedWith: (column: Column, operand: Operand) => string | undefined,
): string | undefined {
  const [first, ...others] = new Set(operands.map((operand) => comparedWith(column, operand)))
  return others.length === 0 ? first : undefined
}

/** Finds the column that compares with an operand (`conditions/columns.ts`). Returns undefined for an expression, which has no index. */
function findOrderColumn(column: Column, operand: Operand): string | undefined {
  if (column.type !== 'text' || operand.is === 'null') return column.sql
  if (operand.is === 'number') return column.number
  if (operand.is !== 'text') return undefined
  if (column.at !== undefined) return column.at
  return column.number !== undefined && operand.number !== undefined ? column.number : column.sql
}

/** Finds the column as `findOrderColumn` does; strings with known values are equal in lower case. */
const findEqualityColumn = (column: Column, operand: Operand): string | undefined =>
  column.compare === 'lower' && operand.is === 'text' ? column.lowered : findOrderColumn(column, operand)

/** Returns whether the planner can estimate how many rows a condition finds. It has statistics of columns only. */
function isEstimable(condition: Condition, table: SearchTable): boolean {
  if (condition.op === 'and' || condition.op === 'or') return condition.of.every((each) => isEstimable(each, table))
  if (condition.op === 'related') return false
  return condition.op === 'not' ? isEstimable(condition.of, table) : findComparedColumn(condition, table) !== undefined
}

/**
 * Returns whether a search may walk an index in its order until the page is full. With a selective filter that the planner cannot
 * estimate, the walk may read the whole index.
 */
export const canWalkIndex = ({ filter, table }: Pick<SearchQuery, 'filter' | 'table'>): boolean =>
  filter === undefined || isEstimable(filter, table)

function findServedColumn(
  condition: Condition,
  { table }: SearchQuery,
): { readonly by: 'equal' | 'range'; readonly column: string } | undefined {
  if (condition.op !== 'equals' && condition.op !== 'order') return undefined
  const isKey = condition.op === 'equals' && table.key[0]?.field === condition.path.column?.name // the primary key finds it
  const column = isKey ? undefined : findComparedColumn(condition, table)
  return column === undefined ? undefined : { by: condition.op === 'equals' ? 'equal' : 'range', column }
}

/**
 * Advises on indexes for a search. Leaves out conditions on JSON: the index of words serves equality with strings, and no index serves the
 * others. Also leaves out conditions within `or` and `not`, and parts of words in fields without prose.
 * @param isIndexed returns whether a column has an index over (connector, column, primary key)
 */
export function adviseIndexes(query: SearchQuery, isIndexed: (column: string) => boolean): IndexAdvice {
  const found = (query.filter === undefined ? [] : flattenAnd(query.filter)).flatMap(
    (condition) => findServedColumn(condition, query) ?? [],
  )
  const by = (which: 'equal' | 'range'): readonly string[] => [
    ...new Set(found.filter(({ by, column }) => by === which && !isIndexed(column)).map(({ column }) => column)),
  ]
  const order = canWalkIndex(query) ? findLeadingColumn(query) : undefined
  return { order: order === undefined || isIndexed(order) ? undefined : order, equal: by('equal'), range: by('range') }
}

/** Finds the column of the first sort key; undefined when the primary key gives the order. */
const findLeadingColumn = (query: SearchQuery): string | undefined => {
  const [leading] = query.sort
  return leading === undefined || isRanked(buildOrder(query)) || buildOrder(query).keys.length === 0
    ? undefined
    : findSortColumn(leading.column)
}

/**
 * Chooses how a search reads its order.
 * @param main main timestamp column, which has an index in every table
 * @param onDemand columns with an automatic index
 */
export function chooseOrdering(
  query: SearchQuery,
  main: string | undefined,
  onDemand: ReadonlySet<string>,
): Required<Pick<SearchOptions, 'isOrdered' | 'avoidsOrder'>> {
  const leading = findLeadingColumn(query)
  const isOnDemand = leading !== undefined && onDemand.has(leading)
  return {
    isOrdered: (column) => findSortColumn(column) === main || (isOnDemand && canWalkIndex(query)),
    avoidsOrder: isOnDemand && !canWalkIndex(query),
  }
}

/** Number of distinct values from which equality selects better than an order. */
const manyValues = 100

/**
 * Chooses the one column to index, in this order:
 * - equality with one of many values;
 * - the order, which finds the page without sorting;
 * - equality with one of few values (slow searches for it look for a rare one);
 * - a range.
 * @param distinct number of distinct values by column, as far as the database has statistics
 */
export function chooseColumn({ order, equal, range }: IndexAdvice, distinct: ReadonlyMap<string, number>): string | undefined {
  const countValues = (column: string): number => distinct.get(column) ?? 0
  const best = (columns: readonly string[]): string | undefined => columns.toSorted((a, b) => countValues(b) - countValues(a))[0]
  const equalTo = best(equal)
  if (equalTo !== undefined && (order === undefined || countValues(equalTo) >= manyValues)) return equalTo
  return order ?? best(range)
}

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
