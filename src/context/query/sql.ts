/** From a search to one SQL statement, and from its rows to a page. The same text runs on PGlite and on PostgreSQL 15 and later. */
import type { Column } from './columns.ts'
import { quoted } from './columns.ts'
import { conditionSql } from './conditions.ts'
import { afterSql, type Order, orderBySql, orderOf, type Position, partsOf } from './order.ts'
import { columnSql, connector } from './scene.ts'
import { type SearchStatement, statementOf, Values } from './statement.ts'
import type { SearchQuery, Selection } from './tree.ts'

/** A page ends before it is larger than this many bytes of JSON; it has one record at least. */
export const largestPage = 16 * 1024 * 1024

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
}

/** Whether the members below a selection are all wanted. */
const isWhole = (selection: Selection): boolean => selection === true

const selectedColumns = ({ table, selection }: SearchQuery): readonly { column: Column; selection: Selection }[] =>
  table.columns.flatMap((column) => {
    const selected = selection === undefined ? true : selection.get(column)
    return selected === undefined ? [] : [{ column, selection: selected }]
  })

/** The rows of the page, with their values (`c0` …), keys (`k0` …) and `pk`. */
function rowsSql(query: SearchQuery, options: SearchOptions, values: Values): string {
  const order = orderOf(query)
  const columns = [
    ...selectedColumns(query).map(({ column }, index) => `${columnSql(column.sql)} as c${index}`),
    ...order.keys.map(({ sql }, index) => `${sql} as k${index}`),
    't.pk',
  ]
  const filter =
    query.filter === undefined ? '' : ` and ${conditionSql(query.table, query.filter, { values, element: undefined, depth: 0 })}`
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
    return `${from} and ${afterSql(order, options.after, values)} order by ${orderBy} limit ${limit}`
  }
  const union = parts.map(({ condition, orderBy }) => `(${from} and ${condition} order by ${orderBy} limit ${limit})`).join(' union all ')
  return `select * from (${union}) u order by ${orderBySql(order, keyNames(order), 'pk')} limit ${limit}`
}

const keyNames = (order: Order): readonly string[] => order.keys.map((_key, index) => `k${index}`)

/** PostgreSQL cuts longer names of columns. */
const longestName = 63

/** What follows the rows `s`, and the record as JSON text: its values under their documented names, cut to what is selected. */
function recordSql(query: SearchQuery, values: Values): { readonly json: string; readonly from: string } {
  const parts = selectedColumns(query).map(({ column, selection }, index) => ({
    name: column.name,
    value: isWhole(selection) ? `s.c${index}` : `cs_pick(s.c${index}, ${values.add(JSON.stringify(selection), 'jsonb')})`,
  }))
  if (parts.every(({ name }) => Buffer.byteLength(name) <= longestName)) {
    const columns = parts.map(({ name, value }) => `${value} as ${quoted(name)}`).join(', ')
    return { json: 'row_to_json(f)::text', from: `, lateral (select ${columns}) f` }
  }
  const members = parts.map(
    ({ name, value }) => `${values.add(`${JSON.stringify(name)}:`, 'text')} || coalesce(to_json(${value})::text, 'null')`,
  )
  return { json: `'{' || ${members.join(" || ',' || ")} || '}'`, from: '' }
}

/**
 * The statement of a search. It answers the records of a page, then one more when there is a next page: columns `json` (the record as
 * JSON text), `pk` and `k0` … (its keys as text). Sessions need `searchSettings`.
 */
export function searchStatement(query: SearchQuery, options: SearchOptions): SearchStatement {
  const values = new Values()
  values.add(options.connector, 'int4')
  const order = orderOf(query)
  const keys = keyNames(order)
  const rows = rowsSql(query, options, values)
  const list = (prefix: string, more = ''): string =>
    ['pk', ...keys].map((name) => `${prefix}${name}${name === 'pk' ? '' : more}`).join(', ')
  const orderBy = (prefix: string): string =>
    orderBySql(
      order,
      keys.map((key) => prefix + key),
      `${prefix}pk`,
    )
  // `offset 0` keeps the JSON from being written twice: for the record, and for its size.
  const record = recordSql(query, values)
  const records = `select ${record.json} as json, ${list('s.')} from (${rows}) s${record.from} offset 0`
  const sized = `select r.json, ${list('r.')}, sum(octet_length(r.json) + 1) over (order by ${orderBy('r.')} rows between unbounded preceding and 1 preceding) as before from (${records}) r`
  const text = `select p.json, ${keys.length === 0 ? 'p.pk' : `p.pk, ${keys.map((key) => `p.${key}::text as ${key}`).join(', ')}`} from (${sized}) p where p.before is null or p.before <= ${values.add(largestPage, 'int4')} order by ${orderBy('p.')}`
  return statementOf(text, values)
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
}

const positionOf = (row: SearchRow, keys: number): Position => ({
  pk: String(row['pk']),
  keys: Array.from({ length: keys }, (_, index) => {
    const value = row[`k${index}`]
    return value === null || value === undefined ? null : String(value)
  }),
})

/** The page that the rows of a search statement make. */
export function pageOf(query: SearchQuery, rows: readonly SearchRow[]): SearchPage {
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
    next: hasMore ? positionOf(last, orderOf(query).keys.length) : undefined,
  }
}
