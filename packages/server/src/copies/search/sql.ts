/** Builds the SQL statement of a search, and a page from its rows. The same SQL runs on PGlite and on PostgreSQL 15 and later. */
import { buildRowCondition, type Column, isColumnName, quoteTable, type SearchTable } from './columns.ts'
import { buildColumnCondition } from './conditions/columns.ts'
import { buildJsonCondition } from './conditions/json.ts'
import { buildRelated } from './conditions/related.ts'
import { type JsonSource, quoteColumn, type SqlContext } from './conditions/sql-context.ts'
import { largestPage } from './functions.ts'
import { addListedAt, selectListed } from './lookups/lookups.ts'
import { buildAfter, buildOrder, buildOrderBy, isRanked, type Order, splitAtNulls } from './order.ts'
import { buildRankedRows, listNulls, mostRanked, type RankedRows } from './ranked.ts'
import { listFilteredTables } from './related/references.ts'
import { hasJson, joinMembers, listAsColumns, listMembers, listRead, listSelectedColumns } from './related/written.ts'
import { buildStatement, type Reliance, type SearchStatement, Values } from './statement.ts'
import type { Condition, FieldPath, Position, SearchQuery } from './tree.ts'

/** Options of a search statement. */
export interface SearchOptions {
  /** Number of the connector in the context database. */
  readonly connector: number
  /**
   * Returns whether an index over (connector_id, sorted column, pk) exists; by default timestamp columns have one. With an index, rows
   * without a value are read separately, so the index gives the order. Without an index, that would read the table twice.
   */
  readonly isOrdered?: (column: Column) => boolean
  /** True to always sort, even where an index gives the order. */
  readonly avoidsOrder?: boolean
  /** Maximum number of records to sort by relevance; `SearchPage.isTooMany` reports more. */
  readonly mostRanked?: number | undefined
  /** True to read no records, only where they are. */
  readonly isPositionsOnly?: boolean | undefined
  /** What the statement may rely on; by default everything. A page says when it could not. */
  readonly reliance?: Reliance
}

type RowOptions = Omit<SearchOptions, 'connector' | 'reliance'>

/** Lists the columns of the fields of the records, in their order. */
export const listColumns = (query: SearchQuery): readonly Column[] => listSelectedColumns(query).map(({ column }) => column)

/** Builds the condition of the records of a search, which follows that of its rows. */
export const buildFilter = ({ table, filter, keys }: Pick<SearchQuery, 'table' | 'filter' | 'keys'>, values: Values): string =>
  [
    keys === undefined ? '' : ` and ${buildKeysCondition(table, keys, values)}`,
    filter === undefined ? '' : ` and ${buildCondition(table, filter, { values, element: undefined, depth: 0 })}`,
  ].join('')

/** Looks up each key in the index of the primary key: before there are statistics, `pk = any(…)` would read every row of the connector. */
const buildKeysCondition = (table: SearchTable, keys: readonly string[], values: Values): string =>
  `t.ctid = any(array(select found.ctid from unnest(${values.add(keys, 'text[]')}) wanted(pk) cross join lateral (select ctid
    from ${quoteTable(table)} where ${buildRowCondition(table, values.source.connector)} and pk = wanted.pk offset 0) found))`

/** Builds the rows of the page with values (`c0` …), keys (`k0` …) and `pk`. */
function buildRows(query: SearchQuery, options: RowOptions, values: Values): string {
  const order = buildOrder(query, values)
  const columns = [...listRead(query, values), ...order.keys.map(({ sql }, index) => `${sql} as k${index}`), 't.pk'].join(', ')
  const filter = buildFilter(query, values)
  const from = `from ${quoteTable(query.table)} t where ${buildRowCondition(query.table, values.source.connector, 't')}${filter}`
  const limit = values.add(query.limit + 1, 'int4')
  const isOrdered = options.isOrdered ?? ((column: Column) => column.at !== undefined)
  const leading = query.sort[0]?.column
  const parts = leading !== undefined && isOrdered(leading) ? splitAtNulls(order, query.after, values) : []
  if (parts.length === 0) {
    const rest = `${from} and ${buildAfter(order, query.after, values)} order by`
    const keys = order.keys.map(({ sql }) => sql)
    const orderBy = buildOrderBy(order, keys, 't.pk')
    const [first] = keys
    // The same order, in a form that no index supports.
    if (options.avoidsOrder) return `select ${columns} ${rest} ${first ?? 't.pk'} is null, ${orderBy} limit ${limit}`
    return first === undefined
      ? `select ${columns} ${rest} ${orderBy} limit ${limit}`
      : (query.table.storage?.mark === undefined ? sortWhole : sortRowIds)(
          { table: query.table, values },
          columns,
          `${rest} ${orderBy} limit ${limit}`,
        )
  }
  const union = parts.map(({ condition, orderBy }) => `(select ${columns} ${from} and ${condition} order by ${orderBy} limit ${limit})`)
  return `select * from (${union.join(' union all ')}) u order by ${buildOrderBy(order, listKeyNames(order), 'pk')} limit ${limit}`
}

interface RowSource {
  readonly table: SearchTable
  readonly values: Values
}

/**
 * Sorts rows as the table has them, and reads the columns of the page only. The sort then copies each row at once, and reads its first key
 * from that copy. Sorting the columns of the page took four times as long, because it takes every row apart and builds another one.
 * `materialized` prevents PostgreSQL from leaving out the other columns.
 */
const sortWhole = (_from: RowSource, columns: string, rest: string): string =>
  `with t as materialized (select t.* ${rest}) select ${columns} from t`

/**
 * Sorts the row ids, and reads the rows of the page by them. Kinds of organizations share tables of many columns:
 * planning a sort of hundreds takes longer than most searches. All rows of a connector are in one partition, and no row id changes within
 * a statement.
 */
const sortRowIds = ({ table, values }: RowSource, columns: string, rest: string): string =>
  `select ${columns} from ${quoteTable(table)} t where ${buildRowCondition(table, values.source.connector, 't')} and t.ctid = any(array(select t.ctid ${rest}))`

const listKeyNames = (order: Order): readonly string[] => order.keys.map((_key, index) => `k${index}`)

interface Writing {
  readonly query: SearchQuery
  readonly order: Order
  readonly values: Values
  /** Rows of the page, see `buildRows`. */
  readonly rows: string
}

const listRecordMembers = ({ query, values }: Writing) => listMembers(query, { from: 's', values, depth: 1 })

const listKeys = ({ order }: Writing, from: string): string =>
  [`${from}.pk`, ...listKeyNames(order).map((key) => `${from}.${key}`)].join(', ')

const buildRecordOrder = ({ order }: Writing, from: string): string =>
  buildOrderBy(
    order,
    listKeyNames(order).map((key) => `${from}.${key}`),
    `${from}.pk`,
  )

/**
 * Writes the records as JSON, with the bytes before each record and its predecessor. Drops rows from the second after a full page on; the
 * one that is left shows that there is a next page. Every level repeats the order of the one below. `offset 0` prevents PostgreSQL
 * from writing the JSON twice, for the record and for its size.
 */
function writeSmallRecords(writing: Writing): string {
  const { values, rows } = writing
  const members = listRecordMembers(writing)
  const isNamed = members.every(({ name }) => isColumnName(name))
  const json = isNamed ? 'row_to_json(f)::text' : joinMembers(members, values)
  const from = isNamed ? `(${rows}) s, lateral (select ${listAsColumns(members)}) f` : `(${rows}) s`
  const records = `select ${json} as json, ${listKeys(writing, 's')} from ${from} order by ${buildRecordOrder(writing, 's')} offset 0`
  const before = `sum(octet_length(r.json) + 1) over (order by ${buildRecordOrder(writing, 'r')} rows between unbounded preceding and 2 preceding)`
  return `select p.json, ${castKeys(writing)} from (select r.json, ${listKeys(writing, 'r')}, ${before} as before from (${records}) r) p where p.before is null or p.before <= ${values.add(largestPage, 'int4')}`
}

/** Writes records as `writeSmallRecords` does, but writes no JSON after a full page: a transcript has 100 kB. */
function writeLargeRecords(writing: Writing): string {
  const columns = listAsColumns(listRecordMembers(writing))
  const state = `cs_page(f) over (order by ${buildRecordOrder(writing, 's')} rows between unbounded preceding and current row)`
  const records = `select ${state} as state, ${listKeys(writing, 's')} from (${writing.rows}) s, lateral (select ${columns}) f`
  return `select p.state[2] as json, ${castKeys(writing)} from (${records}) p where p.state[2] is not null`
}

/** Returns whether at most one record can match: the filter tests a key of one field. */
const findsOne = ({ table: { key }, filter }: SearchQuery): boolean => {
  if (filter?.op !== 'equals' || key.length !== 1 || filter.values.length !== 1) return false
  const is = { integer: 'number', text: 'text', open: undefined }[key[0]?.type ?? 'open']
  return filter.path.column?.name === key[0]?.field && filter.values[0]?.is === is
}

/** Writes the one record as JSON, without limits of a page: planning those takes as long as planning the search. */
function writeOneRecord(writing: Writing): string {
  const columns = listAsColumns(listRecordMembers(writing))
  const records = `select row_to_json(f)::text as json, ${listKeys(writing, 's')} from (${writing.rows}) s, lateral (select ${columns}) f`
  return `select p.json, ${castKeys(writing)} from (${records}) p`
}

/** Writes empty records: only their keys are wanted. */
const writePositions = (writing: Writing): string => `select '' as json, ${castKeys(writing)} from (${writing.rows}) p`

const castKeys = ({ order }: Writing): string => ['p.pk', ...listKeyNames(order).map((key) => `p.${key}::text as ${key}`)].join(', ')

function rankRows(query: SearchQuery, { mostRanked: most = mostRanked }: RowOptions, values: Values): RankedRows | undefined {
  const { relevance } = query
  const order = buildOrder(query, values)
  if (relevance === undefined || !isRanked(order)) return undefined
  const filter = buildFilter(query, values)
  return buildRankedRows({ query: { ...query, relevance }, order, values, most, columns: listRead(query, values), filter })
}

/** Returns whether one plan suits the search whatever its values, see `ReadOptions.hasOnePlan` of the database. */
export const hasOnePlan = (query: SearchQuery): boolean => isNamed(query) && findsOne(query)

const isNamed = (query: SearchQuery): boolean => listSelectedColumns(query).every(({ column: { name } }) => isColumnName(name))

function writeRecords(writing: Writing): string {
  const { query } = writing
  if (hasOnePlan(query)) return writeOneRecord(writing)
  const isLarge = isNamed(query) && hasJson(query)
  return isLarge ? writeLargeRecords(writing) : writeSmallRecords(writing)
}

/** Why a statement returned no page. `listed`: the listed words changed. `irregular`: the connector has irregular values. */
export type Flaw = 'listed' | 'irregular'

/** Lists the tables whose words a search looks up: its own, and those that it filters by. */
export const listWordTables = (query: Pick<SearchQuery, 'table' | 'filter'>): readonly string[] =>
  [query.table, ...listFilteredTables(query)].map(({ name }) => name)

/** Builds the SQL of what a statement relied on in vain, a `Flaw` or null; undefined when it relies on nothing. */
export function buildFlaw(query: Pick<SearchQuery, 'table' | 'filter'>, values: Values) {
  const [regular, hasLookups] = [values.regular.size > 0, values.lookups.length > 0]
  if (!regular && !hasLookups) return undefined
  const fields = regular ? values.add([...values.regular].map(String), 'int4[]') : undefined
  const irregular = `exists (select from cs_terms t where t.connector_id = ${values.source.connector} and t.field = any(${fields}))`
  const listedAt = hasLookups ? addListedAt(values) : undefined
  const listed = listedAt && `${selectListed(listWordTables(query), values)} <> ${listedAt.placeholder}`
  const cases = [regular && `when ${irregular} then 'irregular'`, listed && `when ${listed} then 'listed'`].filter(Boolean)
  return { sql: `case ${cases.join(' ')} end`, listedAt: listedAt?.at }
}

/**
 * Builds the statement of a search. It returns the records of a page, and one or two more when there is a next page. Columns: `json` (the
 * record as JSON), `pk` and `k0` … (its keys as strings). Sessions need `searchSettings`. `runSearch` runs it with its lookups.
 */
export function buildSearchStatement(query: SearchQuery, options: SearchOptions): SearchStatement {
  const values = new Values(options.reliance)
  values.add(options.connector, 'int4')
  const { text, listedAt } = writeSearch(query, options, values)
  return { ...buildStatement(text, values), listedAt }
}

/** SQL of a search, and the index of the value with the number of changes of the listed words. */
interface WrittenSearch {
  readonly text: string
  readonly listedAt: number | undefined
}

/** Writes a search for the connector of `values`. */
export function writeSearch(query: SearchQuery, options: RowOptions, values: Values): WrittenSearch {
  const byRelevance = rankRows(query, options, values)
  const order = buildOrder(query, values)
  const writing = { query, order, values, rows: byRelevance?.rows ?? buildRows(query, options, values) }
  const page = `${options.isPositionsOnly ? writePositions(writing) : writeRecords(writing)} order by ${buildRecordOrder(writing, 'p')}`
  const flaw = buildFlaw(query, values)
  const { found, tooMany } = byRelevance ?? {}
  const where = flaw === undefined ? '' : ` where ${flaw.sql} is null`
  const parts = [
    tooMany === undefined && flaw === undefined ? page : `select * from (${page}) page${where}`,
    ...(tooMany === undefined ? [] : [tooMany(where)]),
    ...(flaw === undefined
      ? []
      : [`select ${['null', flaw.sql, ...listNulls(order.keys.length)].join(', ')} where ${flaw.sql} is not null`]),
  ]
  const text = `${found === undefined ? '' : `with ${found} `}${parts.join(' union all ')}`
  return { text, listedAt: flaw?.listedAt }
}

/** Maximum number of records that a search counts. */
export const mostTotal = 100_000

/** Builds the statement that counts the records of a search: `total`, at most one more than `mostTotal`, and `flaw`. */
export function buildCountStatement(query: SearchQuery, { connector, reliance, most = mostTotal }: CountOptions): SearchStatement {
  const values = new Values(reliance)
  values.add(connector, 'int4')
  const { text, listedAt } = writeCount(query, most, values)
  return { ...buildStatement(text, values), listedAt }
}

/** Options of a statement that counts. */
export interface CountOptions extends Pick<SearchOptions, 'connector' | 'reliance'> {
  /** Number up to which records are counted. */
  readonly most?: number | undefined
}

/** Writes a count for the connector of `values`. */
export function writeCount(query: SearchQuery, most: number, values: Values): WrittenSearch {
  const where = `${buildRowCondition(query.table, values.source.connector, 't')}${buildFilter(query, values)}`
  const found = `select from ${quoteTable(query.table)} t where ${where} limit ${values.add(most + 1, 'int4')}`
  const flaw = buildFlaw(query, values)
  const text = `select (select count(*) from (${found}) f)::int4 as total, ${flaw?.sql ?? 'null::text'} as flaw`
  return { text, listedAt: flaw?.listedAt }
}

/** A row of a search statement. */
export type SearchRow = Readonly<Record<string, unknown>>

/** One page of results. */
export interface SearchPage {
  /** JSON array of the records. */
  readonly json: string
  readonly count: number
  /** Position of the next page; undefined on the last page. */
  readonly next: Position | undefined
  /** True when too many records match to sort them by relevance. The page is empty; read it without relevance. */
  readonly isTooMany: boolean
  /** Set when the statement relied on something in vain. The page is empty; read it again. */
  readonly flaw: Flaw | undefined
}

/** Reads the position of a row of a search statement. */
export const readPosition = (row: SearchRow, order: Order): Position => ({
  pk: String(row['pk']),
  keys: order.keys.map((_key, index) => {
    const value = row[`k${index}`]
    return value === null || value === undefined ? null : String(value)
  }),
  isRanked: isRanked(order),
})

const flaws: readonly Flaw[] = ['listed', 'irregular']

/** Reads what `buildFlaw` found. */
export const readFlaw = (cell: unknown): Flaw | undefined => flaws.find((each) => each === cell)

/** Builds a page from the rows of a search statement. */
export function buildPage(query: SearchQuery, rows: readonly SearchRow[]): SearchPage {
  if (rows[0]?.['json'] === null) {
    const flaw = readFlaw(rows[0]['pk'])
    return { json: '[]', count: 0, next: undefined, isTooMany: flaw === undefined, flaw }
  }
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
    next: hasMore ? readPosition(last, buildOrder(query)) : undefined,
    isTooMany: false,
    flaw: undefined,
  }
}

/** Finds the JSON that a path begins at; undefined for columns that are not JSON. */
function findSource({ column }: FieldPath, scene: SqlContext): JsonSource | undefined {
  if (column === undefined) return scene.element
  if (column.type !== 'json') return undefined
  return { raw: quoteColumn(column.sql), folded: column.folded === undefined ? 'null::jsonb' : quoteColumn(column.folded) }
}

/** Steps between costs, each several times the one before. */
const cost = { value: 0, text: 1, storedWords: 2, splitWords: 3, json: 4, leaves: 5 } as const

/**
 * Estimates what a condition costs in each row; for joined ones what the most costly part does. PostgreSQL evaluates the parts of an `or` as
 * they are written, so cheap ones come first.
 */
function estimateCost(condition: Condition): number {
  switch (condition.op) {
    case 'and':
    case 'or':
      return Math.max(0, ...condition.of.map(estimateCost))
    case 'not':
      return estimateCost(condition.of)
    case 'related':
      return cost.leaves
    default: {
      const { op, path } = condition
      const isWords = 'tokens' in condition
      if (path.column === undefined || path.column.type === 'json') {
        if (isWords && path.column !== undefined && path.steps.length === 0) return cost.storedWords
        return isWords || (op === 'like' && !condition.pattern.isAnything) ? cost.leaves : cost.json
      }
      if (isWords) return path.column.words === 'stored' ? cost.storedWords : cost.splitWords
      return op === 'like' ? cost.text : cost.value
    }
  }
}

/** Builds a condition on the rows of a table `t`. Its values are added to those of the context. A condition that is null counts as false. */
export function buildCondition(table: SearchTable, condition: Condition, scene: SqlContext): string {
  const inner = (each: Condition, within: SqlContext): string => buildCondition(table, each, within)
  if (condition.op === 'and' || condition.op === 'or') {
    const parts = condition.of.toSorted((a, b) => estimateCost(a) - estimateCost(b)).map((each) => inner(each, scene))
    return parts.length === 0 ? String(condition.op === 'and') : `(${parts.join(` ${condition.op} `)})`
  }
  if (condition.op === 'not') return `((${inner(condition.of, scene)}) is not true)`
  const source = findSource(condition.path, scene)
  if (condition.op === 'related') {
    const { table: other, of } = condition
    const { values } = scene
    return buildRelated(condition, { values, source, inner: () => buildCondition(other, of, { values, element: undefined, depth: 0 }) })
  }
  if (source !== undefined) return buildJsonCondition(condition, { ...scene, table, source, inner })
  const { column } = condition.path
  return column === undefined ? 'false' : buildColumnCondition(condition, { table, column, values: scene.values })
}
