/**
 * Rows in an order that has the relevance in it. All rows that match must be scored before the first one can be told, so what matches
 * is found first, keys only, and given up when it is too much: then the order is without the relevance.
 */
import { quoted } from './columns.ts'
import { afterSql, type Order, orderBySql, type Position, relevanceKey } from './order.ts'
import { wordsOfColumn } from './conditions-columns.ts'
import { wordsWithin } from './conditions-json.ts'
import { columnSql, connector } from './scene.ts'
import type { Values } from './statement.ts'
import type { Relevance, ScoredCondition, SearchQuery } from './tree.ts'

/** Records that are ordered by relevance, at most. */
export const mostRanked = 20_000

/** What the statement is written from. */
export interface Ranking {
  readonly query: SearchQuery & { readonly relevance: Relevance }
  readonly order: Order
  readonly values: Values
  /** Where the page begins. A walk that has begun by relevance goes on so, whatever matches by now. */
  readonly after: Position | undefined
  readonly most: number
  /** The columns of the page: `… as c0`. */
  readonly columns: readonly string[]
  /** Conditions of the filter, to stand behind others. */
  readonly filter: string
}

/** Parts of a statement. */
export interface RankedRows {
  /** Stands before everything: `with …`. */
  readonly found: string
  /** The rows of the page. */
  readonly rows: string
  /** A row whose `json` is null, instead of all others, when too much matches; undefined when that is taken as it is. */
  readonly tooMany: string | undefined
}

function wordsSql({ condition: { place }, within }: ScoredCondition, values: Values): string {
  const column = within[0]?.column ?? place.column
  if (column === undefined) return 'null::text[]'
  if (column.folded === undefined) return wordsOfColumn(column)
  const source = { raw: columnSql(column.sql), folded: columnSql(column.folded) }
  return wordsWithin([...within, place], { values, element: undefined, depth: 0, source })
}

/** The score of a row of a table that is called `t`: points of each word of the query, by the word of the row that fits it best. */
function scoreSql({ of }: Relevance, values: Values): string {
  const scores = of.map(
    (each) =>
      `cs_score(${wordsSql(each, values)}, ${values.add(each.condition.words, 'text[]')}, ${values.add(each.condition.op === 'fuzzy', 'boolean')})`,
  )
  return scores.length === 1 ? String(scores[0]) : `(${scores.join(' + ')})`
}

/** Whether not too much matches. */
const isFew = (most: string): string => `(select count(*) from found) <= ${most}`

/** The rows of a page by relevance. */
export function rankedRows({ query, order, values, after, most, columns, filter }: Ranking): RankedRows {
  const table = quoted(query.table.name)
  const bound = after === undefined ? { limit: values.add(most + 1, 'int4'), most: values.add(most, 'int4') } : undefined
  const limited = bound === undefined ? '' : ` limit ${bound.limit}`
  const found = `with found as materialized (select t.pk from ${table} t where t.connector_id = ${connector}${filter}${limited}) `
  const score = scoreSql(query.relevance, values)
  const keys = order.keys.map((key, index) => `${key === relevanceKey ? score : key.sql} as k${index}`)
  const few = bound === undefined ? '' : ` where ${isFew(bound.most)}`
  // OFFSET keeps the scores from being computed once for the order, once for the page and once for where it begins.
  const scored = `select ${[...columns, ...keys, 't.pk'].join(', ')} from found join ${table} t on t.connector_id = ${connector} and t.pk = found.pk${few} offset 0`
  const named: Order = { ...order, keys: order.keys.map((key, index) => ({ ...key, sql: `t.k${index}` })) }
  const orderBy = orderBySql(
    named,
    named.keys.map(({ sql }) => sql),
    't.pk',
  )
  return {
    found,
    rows: `select * from (${scored}) t where ${afterSql(named, after, values)} order by ${orderBy} limit ${values.add(query.limit + 1, 'int4')}`,
    tooMany: bound === undefined ? undefined : `select ${nulls(order.keys.length + 2)} from found having count(*) > ${bound.most}`,
  }
}

const nulls = (count: number): string => Array.from({ length: count }, () => 'null::text').join(', ')
