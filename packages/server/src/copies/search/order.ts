/**
 * Order of results and keyset pagination. Nulls are last in both directions. The primary key breaks ties, in the direction of the last
 * sort key (ascending without a sort), so one index serves both directions.
 */
import type { Column, SearchTable } from './columns.ts'
import { quoteColumn } from './conditions/sql-context.ts'
import type { Values } from './statement.ts'
import { irregularField } from './terms.ts'
import type { Position, SearchQuery, SortKey } from './tree.ts'

/** One key of an order. */
export interface OrderKey {
  readonly sql: string
  readonly type: 'text' | 'int4' | 'int8' | 'numeric' | 'boolean'
  readonly isDescending: boolean
}

/** A complete order. */
export interface Order {
  readonly keys: readonly OrderKey[]
  /** Direction of the primary key, which is always the last key. */
  readonly isDescending: boolean
}

const keyTypes = { text: 'text', integer: 'int8', number: 'numeric', boolean: 'boolean', json: 'text' } as const

/** Finds the column that a field is sorted by: the companion that compares, else the field's own column. */
export const findSortColumn = ({ at, number, sql }: Column): string => at ?? number ?? sql

const buildOrderKeys = ({ column, direction }: SortKey, values: Values | undefined): readonly OrderKey[] => {
  const isDescending = direction === 'desc'
  const type = column.at !== undefined ? 'int8' : column.number !== undefined ? 'numeric' : keyTypes[column.type]
  const own = { sql: quoteColumn(findSortColumn(column)), type, isDescending } as const
  if (column.wide === undefined) return [own]
  // Null in every row of a connector without integers beyond int8. The planner must see this: an index over the column gives the order.
  const sql = values?.isRegular(irregularField(column)) ? nullInEveryRow : quoteColumn(column.wide)
  return [own, { sql, type: 'numeric', isDescending }]
}

/** Stands for a key that no row has, which decides no order. */
const nullInEveryRow = 'null::numeric'

/** A single integer key field has the order of `pk` and is never null. */
const isPrimaryKey = ({ key }: SearchTable, column: Column): boolean =>
  key.length === 1 && key[0]?.field === column.name && key[0].type === 'integer' && column.type === 'integer'

/** Stands for the relevance in an order; `ranked.ts` provides its expression. */
export const relevanceKey: OrderKey = { sql: 'score', type: 'int4', isDescending: true }

/**
 * Builds the order of a query. Drops keys after the primary key, which decide nothing.
 * @param values values of the statement that the order is written for
 */
export function buildOrder({ table, sort, relevance }: SearchQuery, values?: Values): Order {
  const buildKeys = (key: SortKey): readonly OrderKey[] => buildOrderKeys(key, values)
  const end = sort.findIndex(({ column }) => isPrimaryKey(table, column))
  const before = end < 0 ? sort : sort.slice(0, end)
  const last = end < 0 ? sort.at(-1) : sort[end]
  const at = relevance?.at ?? Number.POSITIVE_INFINITY
  if (at > before.length) return { keys: before.flatMap(buildKeys), isDescending: last?.direction === 'desc' }
  const keys = [...before.slice(0, at).flatMap(buildKeys), relevanceKey, ...before.slice(at).flatMap(buildKeys)]
  return { keys, isDescending: at < sort.length && last?.direction === 'desc' }
}

/** Returns whether relevance is a key of an order. */
export const isRanked = ({ keys }: Order): boolean => keys.includes(relevanceKey)

const formatDirection = (isDescending: boolean): string => (isDescending ? ' desc' : '')

/** Builds the ORDER BY list from expressions of the keys and of `pk`. */
export const buildOrderBy = (order: Order, keys: readonly string[], pk: string): string =>
  [
    ...order.keys.flatMap(({ isDescending }, index) =>
      keys[index] === nullInEveryRow ? [] : [`${keys[index]}${formatDirection(isDescending)} nulls last`],
    ),
    `${pk}${formatDirection(order.isDescending)}`,
  ].join(', ')

/** Builds the condition for rows after a position, for the keys from `index` on. */
function buildAfterKeys(
  order: Order,
  { keys, pk }: Pick<Position, 'keys' | 'pk'>,
  { index, values }: { index: number; values: Values },
): string {
  const key = order.keys[index]
  if (key === undefined) return `t.pk ${order.isDescending ? '<' : '>'} ${values.add(pk, 'text')}`
  const last = keys[index] ?? null
  const rest = (): string => buildAfterKeys(order, { keys, pk }, { index: index + 1, values })
  if (last === null) return `(${key.sql} is null and ${rest()})`
  const value = values.add(last, key.type)
  const sign = key.isDescending ? '<' : '>'
  return `(${key.sql} ${sign} ${value} or ${key.sql} is null or (${key.sql} = ${value} and ${rest()}))`
}

/** Builds the condition for rows after a position; `true` without one. */
export const buildAfter = (order: Order, position: Position | undefined, values: Values): string =>
  position === undefined ? 'true' : buildAfterKeys(order, position, { index: 0, values })

/** Rows that are read in an order of their own: those with a first key, or those without. */
export interface OrderedRange {
  readonly condition: string
  readonly orderBy: string
}

/**
 * Splits the rows after a position into those with a first key and those without, in this order. An index over (connector, first key,
 * primary key) gives the order of each.
 */
export function splitAtNulls(order: Order, position: Position | undefined, values: Values): readonly OrderedRange[] {
  const [first, ...others] = order.keys
  if (first === undefined) return []
  const names = order.keys.map(({ sql }) => sql)
  const pkOrder = `t.pk${formatDirection(order.isDescending)}`
  const laterOrder = buildOrderBy({ ...order, keys: others }, names.slice(1), 't.pk')
  const last = position?.keys[0] ?? null
  const withoutKey = {
    condition: position === undefined || last !== null ? `${first.sql} is null` : buildAfter(order, position, values),
    orderBy: laterOrder,
  }
  if (position !== undefined && last === null) return [withoutKey]
  const firstOrder = `${first.sql}${formatDirection(first.isDescending)}`
  const withKey = {
    condition: [`${first.sql} is not null`, ...(position === undefined ? [] : [buildStart(order, position, values)])].join(' and '),
    orderBy: others.length === 0 ? `${firstOrder}, ${pkOrder}` : `${firstOrder}, ${laterOrder}`,
  }
  return [withKey, withoutKey]
}

/** Builds the condition for rows after a position whose first key is not null, as a range that an index supports. */
function buildStart(order: Order, position: Position, values: Values): string {
  const [first, ...others] = order.keys
  const last = position.keys[0]
  if (first === undefined || last === null || last === undefined) return 'true'
  const sign = first.isDescending ? '<' : '>'
  const value = values.add(last, first.type)
  const isOneWay = others.length === 0 && first.isDescending === order.isDescending
  if (isOneWay) return `(${first.sql}, t.pk) ${sign} (${value}, ${values.add(position.pk, 'text')})`
  return `${first.sql} ${sign}= ${value} and (${first.sql} ${sign} ${value} or ${buildAfterKeys(order, position, { index: 1, values })})`
}
