/** Which columns of a search an index would help, when the search was slow. Pure. */
import { impliedBy } from '../query/candidates.ts'
import type { Column, SearchTable } from '../query/columns.ts'
import { isRanked, orderedBy, orderOf } from '../query/order.ts'
import type { PlaceCondition } from '../query/scene.ts'
import type { SearchOptions } from '../query/sql.ts'
import { Values } from '../query/statement.ts'
import type { Condition, Operand, SearchQuery } from '../query/tree.ts'

/** Columns of the database that have no index and that an index over (column, primary key) would serve. */
export interface Wish {
  /** That of the first key of the sort. */
  readonly order: string | undefined
  /** Those that must equal a value, or one of some. */
  readonly equal: readonly string[]
  /** Those that must be above or below a value. */
  readonly range: readonly string[]
}

/** All columns of a wish, each once. */
export const columnsOf = ({ order, equal, range }: Wish): readonly string[] => [
  ...new Set([...(order === undefined ? [] : [order]), ...equal, ...range]),
]

/** A wish that is cut to some columns. */
export const narrowed = ({ order, equal, range }: Wish, columns: readonly string[]): Wish => ({
  order: order !== undefined && columns.includes(order) ? order : undefined,
  equal: equal.filter((column) => columns.includes(column)),
  range: range.filter((column) => columns.includes(column)),
})

/** Conditions that all must hold. */
const allOf = (condition: Condition): readonly Condition[] => (condition.op === 'and' ? condition.of.flatMap(allOf) : [condition])

/** The column of a condition that compares it as it is, and says so to the planner. */
function compared(condition: PlaceCondition, table: SearchTable): string | undefined {
  const { column, steps } = condition.place
  if ((condition.op !== 'equals' && condition.op !== 'order') || column === undefined || column.type === 'json' || steps.length > 0)
    return undefined
  // Where words find candidates, the condition itself is hidden.
  if (impliedBy(condition, { table, column, values: new Values() }).length > 0) return undefined
  return condition.op === 'equals' ? comparedBy(column, condition.values, equalTo) : comparedBy(column, [condition.value], orderedTo)
}

/** The one column that operands are compared with; undefined when there are several, or none. */
function comparedBy(
  column: Column,
  operands: readonly Operand[],
  comparedWith: (column: Column, operand: Operand) => string | undefined,
): string | undefined {
  const [first, ...others] = new Set(operands.map((operand) => comparedWith(column, operand)))
  return others.length === 0 ? first : undefined
}

/** The column that is compared with an operand (`conditions-columns.ts`); undefined where it is an expression, which has no index. */
function orderedTo(column: Column, operand: Operand): string | undefined {
  if (column.type !== 'text' || operand.is === 'null') return column.sql
  if (operand.is === 'number') return column.number
  if (operand.is !== 'text') return undefined
  if (column.at !== undefined) return column.at
  return column.number !== undefined && operand.number !== undefined ? column.number : column.sql
}

/** As `orderedTo`; texts with known values are equal in lower case. */
const equalTo = (column: Column, operand: Operand): string | undefined =>
  column.compare === 'lower' && operand.is === 'text' ? column.lowered : orderedTo(column, operand)

/** Whether the planner can tell how many rows a condition finds: it has statistics of columns, and of nothing else. */
function isForeseen(condition: Condition, table: SearchTable): boolean {
  if (condition.op === 'and' || condition.op === 'or') return condition.of.every((each) => isForeseen(each, table))
  return condition.op === 'not' ? isForeseen(condition.of, table) : compared(condition, table) !== undefined
}

/** Whether a search may walk an index in its order until the page is full: with a filter that finds few rows nobody foresees when that is. */
export const mayWalk = ({ filter, table }: Pick<SearchQuery, 'filter' | 'table'>): boolean =>
  filter === undefined || isForeseen(filter, table)

function served(condition: Condition, { table }: SearchQuery): { readonly by: 'equal' | 'range'; readonly column: string } | undefined {
  if (condition.op !== 'equals' && condition.op !== 'order') return undefined
  const isKey = condition.op === 'equals' && table.key[0]?.field === condition.place.column?.name // the primary key finds it
  const column = isKey ? undefined : compared(condition, table)
  return column === undefined ? undefined : { by: condition.op === 'equals' ? 'equal' : 'range', column }
}

/**
 * What would help a search. Conditions on JSON are left out: equality with texts is found by the index of words, and everything else is written
 * in a form that no index has; so are conditions within `or` and `not`, and parts of words in fields that are no prose.
 * @param isIndexed whether a column has an index over (connector, column, primary key)
 */
export function wishOf(query: SearchQuery, isIndexed: (column: string) => boolean): Wish {
  const found = (query.filter === undefined ? [] : allOf(query.filter)).flatMap((condition) => served(condition, query) ?? [])
  const by = (which: 'equal' | 'range'): readonly string[] => [
    ...new Set(found.filter(({ by, column }) => by === which && !isIndexed(column)).map(({ column }) => column)),
  ]
  const order = mayWalk(query) ? leadingOf(query) : undefined
  return { order: order === undefined || isIndexed(order) ? undefined : order, equal: by('equal'), range: by('range') }
}

/** The column of the first key of a sort; undefined when the primary key gives the order. */
const leadingOf = (query: SearchQuery): string | undefined => {
  const [leading] = query.sort
  return leading === undefined || isRanked(orderOf(query)) || orderOf(query).keys.length === 0 ? undefined : orderedBy(leading.column)
}

/**
 * How a search reads its order.
 * @param main the column of the main moment, whose index every table has
 * @param onDemand columns that have an index that was made on demand
 */
export function orderingOf(
  query: SearchQuery,
  main: string | undefined,
  onDemand: ReadonlySet<string>,
): Required<Pick<SearchOptions, 'isOrdered' | 'avoidsOrder'>> {
  const leading = leadingOf(query)
  const isOnDemand = leading !== undefined && onDemand.has(leading)
  return {
    isOrdered: (column) => orderedBy(column) === main || (isOnDemand && mayWalk(query)),
    avoidsOrder: isOnDemand && !mayWalk(query),
  }
}

/** Distinct values from which equality selects better than an order does. */
const manyValues = 100

/**
 * The one column that an index is made for: equality with one of many values, else the order (the page is found without a sort), else
 * equality with one of few (slow searches for it meet a rare one), else a range.
 * @param distinct distinct values by column, as far as the database has statistics
 */
export function chosenOf({ order, equal, range }: Wish, distinct: ReadonlyMap<string, number>): string | undefined {
  const valuesOf = (column: string): number => distinct.get(column) ?? 0
  const best = (columns: readonly string[]): string | undefined => columns.toSorted((a, b) => valuesOf(b) - valuesOf(a))[0]
  const equalTo = best(equal)
  if (equalTo !== undefined && (order === undefined || valuesOf(equalTo) >= manyValues)) return equalTo
  return order ?? best(range)
}
