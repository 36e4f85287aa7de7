/** From a search to one SQL statement, and from its rows to a page. The same text runs on PGlite and on PostgreSQL 15 and later. */
import type { Column } from './columns.ts'
import { quoted } from './columns.ts'
import { conditionSql } from './conditions.ts'
import { largestPage } from './functions.ts'
import { afterSql, isRanked, type Order, orderBySql, orderOf, type Position, partsOf } from './order.ts'
import { mostRanked, type RankedRows, rankedRows } from './ranked.ts'
import { connector, valueSql } from './scene.ts'
import { type SearchStatement, statementOf, Values } from './statement.ts'
import type { SearchQuery, Selection } from './tree.ts'

/** What a search runs with. */
export interface SearchOptions {
  /** The connector's number in the context database. */
  readonly connector: number
  /** Where the page begins: after the last record of the page before. */
  readonly after?: Position | undefined
  /**
   * Whether an index over (connector_id, the column that it is sorted by, pk) exists. By default those of times do. With one, rows
   * without a value are read apart, so that the index gives the order; without one, that would read everything twice.
   */
  readonly isOrdered?: (column: Column) => boolean
  /** Whether the order is sorted and never read off an index, even where one gives it. */
  readonly avoidsOrder?: boolean
  /** Records that are ordered by relevance at most; more are told by `SearchPage.isTooMany`. */
  readonly mostRanked?: number
}

/** Whether the members below a selection are all wanted. */
const isWhole = (selection: Selection): boolean => selection === true

const selectedColumns = ({ table, selection }: SearchQuery): readonly { column: Column; selection: Selection }[] =>
  table.columns.flatMap((column) => {
    const selected = selection === undefined ? true : selection.get(column)
    return selected === undefined ? [] : [{ column, selection: selected }]
  })

const pageColumns = (query: SearchQuery): readonly string[] =>
  selectedColumns(query).map(({ column }, index) => `${valueSql(column)} as c${index}`)

const filterSql = ({ table, filter }: SearchQuery, values: Values): string =>
  filter === undefined ? '' : ` and ${conditionSql(table, filter, { values, element: undefined, depth: 0 })}`

/** The rows of the page, with their values (`c0` …), keys (`k0` …) and `pk`. */
function rowsSql(query: SearchQuery, options: SearchOptions, values: Values): string {
  const order = orderOf(query)
  const columns = [...pageColumns(query), ...order.keys.map(({ sql }, index) => `${sql} as k${index}`), 't.pk']
  const filter = filterSql(query, values)
  const from = `select ${columns.join(', ')} from ${quoted(query.table.name)} t where t.connector_id = ${connector}${filter}`
  const limit = values.add(query.limit + 1, 'int4')
  const isOrdered = options.isOrdered ?? ((column: Column) => column.at !== undefined)
  const leading = query.sort[0]?.column
  const parts = leading !== undefined && isOrdered(leading) ? partsOf(order, options.after, values) : []
  if (parts.length === 0) {
    const orderBy = orderBySql(
      order,
      order.keys.map(({ sql }) => sql),
      't.pk',
    )
    // The same order, said in a way that no index has.
    const first = options.avoidsOrder ? `${order.keys[0]?.sql ?? 't.pk'} is null, ` : ''
    return `${from} and ${afterSql(order, options.after, values)} order by ${first}${orderBy} limit ${limit}`
  }
  const union = parts.map(({ condition, orderBy }) => `(${from} and ${condition} order by ${orderBy} limit ${limit})`).join(' union all ')
  return `select * from (${union}) u order by ${orderBySql(order, keyNames(order), 'pk')} limit ${limit}`
}

const keyNames = (order: Order): readonly string[] => order.keys.map((_key, index) => `k${index}`)

/** PostgreSQL cuts longer names of columns. */
const longestName = 63

/** What the statement is written from. */
interface Writing {
  readonly query: SearchQuery
  readonly order: Order
  readonly values: Values
  /** The rows of the page, see `rowsSql`. */
  readonly rows: string
}

/** The values of a row by their documented names, cut to what is selected. */
const membersOf = ({ query, values }: Writing): readonly { name: string; value: string }[] =>
  selectedColumns(query).map(({ column, selection }, index) => ({
    name: column.name,
    value: isWhole(selection) ? `s.c${index}` : `cs_pick(s.c${index}, ${values.add(JSON.stringify(selection), 'jsonb')})`,
  }))

/** The keys and `pk` of what is called `from`. */
const keysSql = ({ order }: Writing, from: string): string => [`${from}.pk`, ...keyNames(order).map((key) => `${from}.${key}`)].join(', ')

const orderSql = ({ order }: Writing, from: string): string =>
  orderBySql(
    order,
    keyNames(order).map((key) => `${from}.${key}`),
    `${from}.pk`,
  )

/**
 * The records as JSON, and the bytes before each and its predecessor: what follows a full page by two is left out, the next one tells
 * that there is a next page. Every level says the order, so that none sorts again; `offset 0` keeps the JSON from
 * being written twice, for the record and for its size.
 */
function smallRecords(writing: Writing): string {
  const { values, rows } = writing
  const members = membersOf(writing)
  const isNamed = members.every(({ name }) => Buffer.byteLength(name) <= longestName)
  const columns = members.map(({ name, value }) => `${value} as ${quoted(name)}`)
  const written = (isNamed ? [] : members).map(
    ({ name, value }) => `${values.add(`${JSON.stringify(name)}:`, 'text')} || coalesce(to_json(${value})::text, 'null')`,
  )
  const json = isNamed ? 'row_to_json(f)::text' : `'{' || ${written.join(" || ',' || ")} || '}'`
  const from = isNamed ? `(${rows}) s, lateral (select ${columns.join(', ')}) f` : `(${rows}) s`
  const records = `select ${json} as json, ${keysSql(writing, 's')} from ${from} order by ${orderSql(writing, 's')} offset 0`
  const before = `sum(octet_length(r.json) + 1) over (order by ${orderSql(writing, 'r')} rows between unbounded preceding and 2 preceding)`
  return `select p.json, ${lastKeys(writing)} from (select r.json, ${keysSql(writing, 'r')}, ${before} as before from (${records}) r) p where p.before is null or p.before <= ${values.add(largestPage, 'int4')}`
}

/** As `smallRecords`, but what comes after a full page is not even written as JSON: transcripts have 100 kB each. */
function largeRecords(writing: Writing): string {
  const columns = membersOf(writing).map(({ name, value }) => `${value} as ${quoted(name)}`)
  const state = `cs_page(f) over (order by ${orderSql(writing, 's')} rows between unbounded preceding and current row)`
  const records = `select ${state} as state, ${keysSql(writing, 's')} from (${writing.rows}) s, lateral (select ${columns.join(', ')}) f`
  return `select p.state[2] as json, ${lastKeys(writing)} from (${records}) p where p.state[2] is not null`
}

/** Whether at most one record is found: by the value of a key that is one field. */
const findsOne = ({ table: { key }, filter }: SearchQuery): boolean => {
  if (filter?.op !== 'equals' || key.length !== 1 || filter.values.length !== 1) return false
  const is = { integer: 'number', text: 'text', open: undefined }[key[0]?.type ?? 'open']
  return filter.place.column?.name === key[0]?.field && filter.values[0]?.is === is
}

/** As `smallRecords`, for what fills no page: the planner takes as long for the rest of it as for the search. */
function oneRecord(writing: Writing): string {
  const columns = membersOf(writing).map(({ name, value }) => `${value} as ${quoted(name)}`)
  const records = `select row_to_json(f)::text as json, ${keysSql(writing, 's')} from (${writing.rows}) s, lateral (select ${columns.join(', ')}) f`
  return `select p.json, ${lastKeys(writing)} from (${records}) p`
}

const lastKeys = ({ order }: Writing): string => ['p.pk', ...keyNames(order).map((key) => `p.${key}::text as ${key}`)].join(', ')

function ranked(query: SearchQuery, { after, mostRanked: most = mostRanked }: SearchOptions, values: Values): RankedRows | undefined {
  const { relevance } = query
  const order = orderOf(query)
  if (relevance === undefined || !isRanked(order)) return undefined
  const filter = filterSql(query, values)
  return rankedRows({ query: { ...query, relevance }, order, values, after, most, columns: pageColumns(query), filter })
}

/**
 * The statement of a search. It answers the records of a page, then one more (or two) when there is a next page: columns `json` (the record as
 * JSON text), `pk` and `k0` … (its keys as text). Sessions need `searchSettings`.
 */
export function searchStatement(query: SearchQuery, options: SearchOptions): SearchStatement {
  const values = new Values()
  values.add(options.connector, 'int4')
  const byRelevance = ranked(query, options, values)
  const writing = { query, order: orderOf(query), values, rows: byRelevance?.rows ?? rowsSql(query, options, values) }
  const columns = selectedColumns(query).map(({ column }) => column)
  const isNamed = columns.every(({ name }) => Buffer.byteLength(name) <= longestName)
  const isLarge = isNamed && columns.some(({ type }) => type === 'json')
  const write = isNamed && findsOne(query) ? oneRecord : isLarge ? largeRecords : smallRecords
  const records = write(writing)
  const page = `${records} order by ${orderSql(writing, 'p')}`
  const { found = '', tooMany } = byRelevance ?? {}
  return statementOf(tooMany === undefined ? `${found}${page}` : `${found}select * from (${page}) page union all ${tooMany}`, values)
}

/** A row of a search statement. */
export type SearchRow = Readonly<Record<string, unknown>>

/** One page of results. */
export interface SearchPage {
  /** The records as the text of a JSON array. */
  readonly json: string
  readonly count: number
  /** Where the next page begins; undefined when there is none. */
  readonly next: Position | undefined
  /** More matches than are ordered by relevance: the page is empty, and has to be read without. */
  readonly isTooMany: boolean
}

const positionOf = (row: SearchRow, order: Order): Position => ({
  pk: String(row['pk']),
  keys: order.keys.map((_key, index) => {
    const value = row[`k${index}`]
    return value === null || value === undefined ? null : String(value)
  }),
  isRanked: isRanked(order),
})

/** The page that the rows of a search statement make. */
export function pageOf(query: SearchQuery, rows: readonly SearchRow[]): SearchPage {
  if (rows[0]?.['json'] === null) return { json: '[]', count: 0, next: undefined, isTooMany: true }
  const records: string[] = []
  let bytes = 0
  for (const row of rows.slice(0, query.limit)) {
    const json = String(row['json'])
    bytes += Buffer.byteLength(json) + 1
    if (records.length > 0 && bytes > largestPage) break
    records.push(json)
  }
  const last = rows[records.length - 1]
  const hasMore = rows.length > records.length && last !== undefined
  return {
    json: `[${records.join()}]`,
    count: records.length,
    next: hasMore ? positionOf(last, orderOf(query)) : undefined,
    isTooMany: false,
  }
}
