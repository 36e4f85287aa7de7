/**
 * The order of results and where a page begins: keyset pagination. Nulls are last in both directions. Ties are broken by the primary
 * key, in the direction of the last key of the sort (ascending without one), so that one index is read in both directions.
 */
import type { Column, SearchTable } from './columns.ts'
import { columnSql, connector } from './scene.ts'
import type { Values } from './statement.ts'
import type { SearchQuery, SortKey } from './tree.ts'
import { irregularField } from './values.ts'

/** The keys of the last record of a page: text forms that keep every digit, null for null. */
export interface Position {
  readonly keys: readonly (string | null)[]
  readonly pk: string
  /** Whether the relevance is one of the keys: the walk goes on in the order that it has begun in. */
  readonly isRanked?: boolean
}

/** One part of the order. */
export interface OrderKey {
  readonly sql: string
  readonly type: 'text' | 'int4' | 'int8' | 'numeric' | 'boolean'
  readonly isDescending: boolean
}

/** The whole order. */
export interface Order {
  readonly keys: readonly OrderKey[]
  /** Direction of the primary key, which is always the last part. */
  readonly isDescending: boolean
}

const typeOf = { text: 'text', integer: 'int8', number: 'numeric', boolean: 'boolean', json: 'text' } as const

/** The column of the database that a field is sorted by: its companion where it has one that compares. */
export const orderedBy = ({ at, number, sql }: Column): string => at ?? number ?? sql

const keysOf = ({ column, direction }: SortKey): readonly OrderKey[] => {
  const isDescending = direction === 'desc'
  const type = column.at !== undefined ? 'int8' : column.number !== undefined ? 'numeric' : typeOf[column.type]
  const own = { sql: columnSql(orderedBy(column)), type, isDescending } as const
  if (column.wide === undefined) return [own]
  // Null for all rows of a connector without integers beyond int8, which the planner sees: then an index over the column is the order.
  const sql = `case when cs_irregular(${connector}, ${irregularField(column)}) then ${columnSql(column.wide)} end`
  return [own, { sql, type: 'numeric', isDescending }]
}

/** A single integer key field has the order of `pk`, and is never null. */
const isPrimaryKey = ({ key }: SearchTable, column: Column): boolean =>
  key.length === 1 && key[0]?.field === column.name && key[0].type === 'integer' && column.type === 'integer'

/** The key that stands for the relevance; its expression is where the scores are (`ranked.ts`). */
export const relevanceKey: OrderKey = { sql: 'score', type: 'int4', isDescending: true }

/** The order of a query. What follows the primary key decides nothing. */
export function orderOf({ table, sort, relevance }: SearchQuery): Order {
  const end = sort.findIndex(({ column }) => isPrimaryKey(table, column))
  const before = end < 0 ? sort : sort.slice(0, end)
  const last = end < 0 ? sort.at(-1) : sort[end]
  const at = relevance?.at ?? Number.POSITIVE_INFINITY
  if (at > before.length) return { keys: before.flatMap(keysOf), isDescending: last?.direction === 'desc' }
  const keys = [...before.slice(0, at).flatMap(keysOf), relevanceKey, ...before.slice(at).flatMap(keysOf)]
  return { keys, isDescending: at < sort.length && last?.direction === 'desc' }
}

/** Whether the relevance decides something in an order. */
export const isRanked = ({ keys }: Order): boolean => keys.includes(relevanceKey)

const direction = (isDescending: boolean): string => (isDescending ? ' desc' : '')

/** What stands after ORDER BY, over the given expressions of the keys and of `pk`. */
export const orderBySql = (order: Order, keys: readonly string[], pk: string): string =>
  [
    ...order.keys.map(({ isDescending }, index) => `${keys[index]}${direction(isDescending)} nulls last`),
    `${pk}${direction(order.isDescending)}`,
  ].join(', ')

/** The rows after a position, by the keys from `index` on. */
function afterKeys(
  order: Order,
  { keys, pk }: Pick<Position, 'keys' | 'pk'>,
  { index, values }: { index: number; values: Values },
): string {
  const key = order.keys[index]
  if (key === undefined) return `t.pk ${order.isDescending ? '<' : '>'} ${values.add(pk, 'text')}`
  const last = keys[index] ?? null
  const rest = (): string => afterKeys(order, { keys, pk }, { index: index + 1, values })
  if (last === null) return `(${key.sql} is null and ${rest()})`
  const value = values.add(last, key.type)
  const sign = key.isDescending ? '<' : '>'
  return `(${key.sql} ${sign} ${value} or ${key.sql} is null or (${key.sql} = ${value} and ${rest()}))`
}

/** The rows after a position; `true` without one. */
export const afterSql = (order: Order, position: Position | undefined, values: Values): string =>
  position === undefined ? 'true' : afterKeys(order, position, { index: 0, values })

/** A part of the rows that is read in its own order: those with a first key, and those without. */
export interface Part {
  readonly condition: string
  readonly orderBy: string
}

/**
 * The rows after a position in two parts, each of which an index over (connector, first key, primary key) gives in order, from where
 * the page begins. The first part comes first in the order.
 */
export function partsOf(order: Order, position: Position | undefined, values: Values): readonly Part[] {
  const [first, ...others] = order.keys
  if (first === undefined) return []
  const names = order.keys.map(({ sql }) => sql)
  const pkOrder = `t.pk${direction(order.isDescending)}`
  const laterOrder = orderBySql({ ...order, keys: others }, names.slice(1), 't.pk')
  const last = position?.keys[0] ?? null
  const withoutKey = {
    condition: position === undefined || last !== null ? `${first.sql} is null` : afterSql(order, position, values),
    orderBy: laterOrder,
  }
  if (position !== undefined && last === null) return [withoutKey]
  const firstOrder = `${first.sql}${direction(first.isDescending)}`
  const withKey = {
    condition: [`${first.sql} is not null`, ...(position === undefined ? [] : [beginsAt(order, position, values)])].join(' and '),
    orderBy: others.length === 0 ? `${firstOrder}, ${pkOrder}` : `${firstOrder}, ${laterOrder}`,
  }
  return [withKey, withoutKey]
}

/** The rows after a position whose first key is not null, among rows that have one: as a range that an index takes. */
function beginsAt(order: Order, position: Position, values: Values): string {
  const [first, ...others] = order.keys
  const last = position.keys[0]
  if (first === undefined || last === null || last === undefined) return 'true'
  const sign = first.isDescending ? '<' : '>'
  const value = values.add(last, first.type)
  const isOneWay = others.length === 0 && first.isDescending === order.isDescending
  if (isOneWay) return `(${first.sql}, t.pk) ${sign} (${value}, ${values.add(position.pk, 'text')})`
  return `${first.sql} ${sign}= ${value} and (${first.sql} ${sign} ${value} or ${afterKeys(order, position, { index: 1, values })})`
}
