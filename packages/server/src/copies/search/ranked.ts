/**
 * Rows sorted by relevance. Every matching row must be scored before the first one is known. So the statement first finds the matching
 * keys, and gives up when there are too many; the caller then sorts without relevance.
 */
import { buildRowCondition, quoteTable, type SearchTable } from './columns.ts'
import { selectColumnWords } from './conditions/columns.ts'
import { selectNestedWords } from './conditions/json.ts'
import { quoteColumn } from './conditions/sql-context.ts'
import { buildAfter, buildOrderBy, type Order, relevanceKey } from './order.ts'
import type { Values } from './statement.ts'
import type { Relevance, ScoredCondition, SearchQuery } from './tree.ts'

/** Maximum number of records sorted by relevance. */
export const mostRanked = 20_000

/** Input of the statement. */
export interface Ranking {
  readonly query: SearchQuery & { readonly relevance: Relevance }
  readonly order: Order
  readonly values: Values
  readonly most: number
  /** Columns of the page, each as `… as c0`. */
  readonly columns: readonly string[]
  /** Conditions of the filter, beginning with ` and`, or empty. */
  readonly filter: string
}

/** Fragments of the statement. */
export interface RankedRows {
  /** Definition of the table `found`. */
  readonly found: string
  readonly rows: string
  /**
   * Builds the query of a single row with null as `json` for too many matching records; undefined when there is no limit.
   * @param where condition of the statement as a whole, or empty
   */
  readonly tooMany: ((where: string) => string) | undefined
}

interface Writing {
  readonly table: SearchTable
  readonly values: Values
}

function selectWords({ condition: { path }, within }: ScoredCondition, { table, values }: Writing): string {
  const column = within[0]?.column ?? path.column
  if (column === undefined) return 'null::text[]'
  if (column.folded === undefined) return selectColumnWords(column)
  const source = { raw: quoteColumn(column.sql), folded: quoteColumn(column.folded) }
  return selectNestedWords([...within, path], { table, values, element: undefined, depth: 0, source })
}

/** Builds the score of a condition. Typing errors and prefixes count only for `fuzzy`. */
function buildPoints(scored: ScoredCondition, { table, values }: Writing): string {
  const { op, tokens } = scored.condition
  const texts = tokens.map(({ text }) => text)
  const distances = tokens.map(({ distance }) => String(distance))
  const errors = op === 'fuzzy' ? values.add(distances, 'int4[]') : 'null'
  return `cs_score(${selectWords(scored, { table, values })}, ${values.add(texts, 'text[]')}, ${errors})`
}

/** Builds the score of a row of the table `t`. */
const buildScore = ({ table, relevance: { of } }: Ranking['query'], values: Values): string =>
  `(${of.map((each) => buildPoints(each, { table, values })).join(' + ')})`

/** SQL of the matching rows; `found` is a table of the statement. */
interface Scored {
  readonly found: string
  readonly rows: string
}

/** Returns whether no long value is involved. Then rows are kept complete, with their scores. */
const isFlat = ({ query: { relevance, table, selection, include } }: Ranking): boolean =>
  include.every(({ reference: { column } }) => column.type !== 'json') &&
  (selection === undefined ? table.columns : [...selection.keys()]).every(({ type }) => type !== 'json') &&
  relevance.of.every(({ condition, within }) => (within[0] ?? condition.path).column?.type !== 'json')

/** Finds the matching rows with all values of the page. */
const buildFlatRows = (ranking: Ranking, { expressions, limited }: { expressions: string; limited: string }): Scored => ({
  found: `select ${expressions} from ${buildRows(ranking)}${limited}`,
  rows: 'found',
})

/** Finds the keys of the matching rows. Reads long values only after the limit was checked. */
const buildKeyedRows = (
  ranking: Ranking,
  { expressions, limited, few }: { expressions: string; limited: string; few: string },
): Scored => ({
  found: `select t.pk from ${buildRows(ranking)}${limited}`,
  // OFFSET prevents PostgreSQL from computing the scores three times: for the order, the page, and its beginning.
  rows: `(select ${expressions} from found join ${quoteTable(ranking.query.table)} t on ${selectOwn(ranking)} and t.pk = found.pk where ${few} offset 0)`,
})

const selectOwn = ({ query: { table }, values }: Ranking): string => buildRowCondition(table, values.source.connector, 't')

const buildRows = (ranking: Ranking): string => `${quoteTable(ranking.query.table)} t where ${selectOwn(ranking)}${ranking.filter}`

/** Builds the rows of a page by relevance. */
export function buildRankedRows(ranking: Ranking): RankedRows {
  const { query, order, values, most, columns } = ranking
  const { after } = query // later pages stay sorted by relevance, whatever matches by then
  const score = buildScore(query, values)
  const keys = order.keys.map((key, index) => `${key === relevanceKey ? score : key.sql} as k${index}`)
  const bound = after === undefined ? { limit: values.add(most + 1, 'int4'), most: values.add(most, 'int4') } : undefined
  const parts = {
    expressions: [...columns, ...keys, 't.pk'].join(', '),
    limited: bound === undefined ? '' : ` limit ${bound.limit}`,
    few: bound === undefined ? 'true' : `(select count(*) from found) <= ${bound.most}`,
  }
  const { found, rows } = isFlat(ranking) ? buildFlatRows(ranking, parts) : buildKeyedRows(ranking, parts)
  const named: Order = { ...order, keys: order.keys.map((key, index) => ({ ...key, sql: `t.k${index}` })) }
  const names = named.keys.map(({ sql }) => sql)
  const page = `where ${parts.few} and ${buildAfter(named, after, values)} order by ${buildOrderBy(named, names, 't.pk')}`
  return {
    found: `found as materialized (${found})`,
    rows: `select * from ${rows} t ${page} limit ${values.add(query.limit + 1, 'int4')}`,
    tooMany:
      bound && ((where) => `select ${listNulls(order.keys.length + 2).join(', ')} from found${where} having count(*) > ${bound.most}`),
  }
}

/** Lists columns of strings that are null. */
export const listNulls = (count: number): readonly string[] => Array.from({ length: count }, () => 'null::text')
