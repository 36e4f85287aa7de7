/**
 * Rows in an order that has the relevance in it. All rows that match must be scored before the first one can be told, so what matches
 * is found first, keys only, and given up when it is too much: then the order is without the relevance.
 */
import { quoted, type SearchTable } from './columns.ts'
import { wordsOfColumn } from './conditions-columns.ts'
import { wordsWithin } from './conditions-json.ts'
import { afterSql, type Order, orderBySql, type Position, relevanceKey } from './order.ts'
import { columnSql, connector } from './scene.ts'
import type { Values } from './statement.ts'
import { tokenRules } from './tokens.ts'
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

/** What a score is written for, and into. */
interface Writing {
  readonly table: SearchTable
  readonly values: Values
}

function wordsSql({ condition: { place }, within }: ScoredCondition, { table, values }: Writing): string {
  const column = within[0]?.column ?? place.column
  if (column === undefined) return 'null::text[]'
  if (column.folded === undefined) return wordsOfColumn(column)
  const source = { raw: columnSql(column.sql), folded: columnSql(column.folded) }
  return wordsWithin([...within, place], { table, values, element: undefined, depth: 0, source })
}

/** The points of a condition; typing errors and beginnings count for `fuzzy` only. */
function pointsSql(scored: ScoredCondition, { table, values }: Writing): string {
  const { op, tokens } = scored.condition
  const texts = tokens.map(({ text }) => text)
  const distances = tokens.map(({ distance }) => String(distance))
  const errors = op === 'fuzzy' ? values.add(distances, 'int4[]') : 'null'
  return `cs_score(${wordsSql(scored, { table, values })}, ${values.add(texts, 'text[]')}, ${errors}, ${tokenRules[table.tokens].swapIsOne})`
}

/** The score of a row of a table that is called `t`. */
const scoreSql = ({ table, relevance: { of } }: Ranking['query'], values: Values): string =>
  `(${of.map((each) => pointsSql(each, { table, values })).join(' + ')})`

/** Rows that match, as the way to the page begins: `found` is a table of the statement. */
interface Scored {
  readonly found: string
  readonly rows: string
}

/** Whether the rows hold nothing long: then all of a row is kept when it is found, with its score. */
const isFlat = ({ query: { relevance, table, selection } }: Ranking): boolean =>
  (selection === undefined ? table.columns : [...selection.keys()]).every(({ type }) => type !== 'json') &&
  relevance.of.every(({ condition, within }) => (within[0] ?? condition.place).column?.type !== 'json')

/** What is found, with everything that the page needs. */
const flat = (ranking: Ranking, { expressions, limited }: { expressions: string; limited: string }): Scored => ({
  found: `select ${expressions} from ${rowsOf(ranking)}${limited}`,
  rows: 'found',
})

/** What is found, by its keys; long words are read for the score only when it is clear that not too much is found. */
const keyed = (ranking: Ranking, { expressions, limited, few }: { expressions: string; limited: string; few: string }): Scored => ({
  found: `select t.pk from ${rowsOf(ranking)}${limited}`,
  // OFFSET keeps the scores from being computed once for the order, once for the page and once for where it begins.
  rows: `(select ${expressions} from found join ${quoted(ranking.query.table.name)} t on t.connector_id = ${connector} and t.pk = found.pk where ${few} offset 0)`,
})

const rowsOf = ({ query, filter }: Ranking): string => `${quoted(query.table.name)} t where t.connector_id = ${connector}${filter}`

/** The rows of a page by relevance. */
export function rankedRows(ranking: Ranking): RankedRows {
  const { query, order, values, after, most, columns } = ranking
  const score = scoreSql(query, values)
  const keys = order.keys.map((key, index) => `${key === relevanceKey ? score : key.sql} as k${index}`)
  const bound = after === undefined ? { limit: values.add(most + 1, 'int4'), most: values.add(most, 'int4') } : undefined
  const parts = {
    expressions: [...columns, ...keys, 't.pk'].join(', '),
    limited: bound === undefined ? '' : ` limit ${bound.limit}`,
    few: bound === undefined ? 'true' : `(select count(*) from found) <= ${bound.most}`,
  }
  const { found, rows } = isFlat(ranking) ? flat(ranking, parts) : keyed(ranking, parts)
  const named: Order = { ...order, keys: order.keys.map((key, index) => ({ ...key, sql: `t.k${index}` })) }
  const names = named.keys.map(({ sql }) => sql)
  const page = `where ${parts.few} and ${afterSql(named, after, values)} order by ${orderBySql(named, names, 't.pk')}`
  return {
    found: `with found as materialized (${found}) `,
    rows: `select * from ${rows} t ${page} limit ${values.add(query.limit + 1, 'int4')}`,
    tooMany: bound === undefined ? undefined : `select ${nulls(order.keys.length + 2)} from found having count(*) > ${bound.most}`,
  }
}

const nulls = (count: number): string => Array.from({ length: count }, () => 'null::text').join(', ')
