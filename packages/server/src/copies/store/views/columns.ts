/**
 * Columns of the SQL view of an entity: the names of the documents, and types of SQL. A value that its type cannot hold exactly is null
 * there, and stands in the last column, as in Parquet files.
 * Reasons: docs/decisions/data-out.md
 */
import { buildRowCondition, type Column, isColumnName, nameRescued, quoteName, quoteTable, type SearchTable } from '../../search/columns.ts'
import { beyondMicros } from '../../search/timestamps.ts'

/** A column of a view. */
interface ViewColumn {
  /** SQL of the value. */
  readonly value: string
  /** SQL that says whether the value is lost, and of the value as it came. */
  readonly lost?: { readonly when: string; readonly value: string }
}

/** Quotes a text for SQL. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

const finer = quoteText(beyondMicros)

function describeTime(own: string, at: string, isDate: boolean): ViewColumn {
  const fits = `${at} is not null and ${isDate ? `length(${own}) = 10` : `${own} !~ ${finer}`}`
  // Whole seconds and the rest, because a double does not hold all microseconds.
  const value = isDate
    ? `date '1970-01-01' + (${at} / 86400000000)::int`
    : `to_timestamp((${at} / 1000000)::float8) + (${at} % 1000000) * interval '1 microsecond'`
  return { value: `case when ${fits} then ${value} end`, lost: { when: `${own} is not null and not (${fits})`, value: own } }
}

function describeColumn({ sql, at, number, wide, schema }: Column): ViewColumn {
  const own = quoteName(sql)
  if (at !== undefined) return describeTime(own, quoteName(at), schema.format === 'date')
  if (number !== undefined) {
    const value = quoteName(number)
    return { value, lost: { when: `${own} is not null and ${value} is null`, value: own } }
  }
  if (wide === undefined) return { value: own }
  const large = quoteName(wide)
  return { value: `case when ${large} is null then ${own} end`, lost: { when: `${large} is not null`, value: large } }
}

/** Most fields of one call: a function of PostgreSQL takes 100 arguments. */
const mostOfCall = 50

/** Builds the column of lost values: JSON by field, null without any. */
function buildRescued(lost: readonly string[]): string {
  const calls = Array.from({ length: Math.ceil(lost.length / mostOfCall) }, (_, index) => {
    const part = lost.slice(index * mostOfCall, (index + 1) * mostOfCall)
    return `jsonb_strip_nulls(jsonb_build_object(${part.join(', ')}))`
  })
  return calls.length === 0 ? 'null::jsonb' : `nullif(${calls.join(' || ')}, '{}'::jsonb)`
}

/** Builds the query of the view of an entity, of one connector only. A field whose name is too long has the name of its column. */
export function buildViewQuery(table: SearchTable, number: number): string {
  const columns = table.columns.map((column) => ({
    name: isColumnName(column.name) ? column.name : column.sql,
    ...describeColumn(column),
  }))
  const lost = columns.flatMap(({ name, lost: gone }) =>
    gone === undefined ? [] : [`${quoteText(name)}, case when ${gone.when} then to_jsonb(${gone.value}) end`],
  )
  const rescued = nameRescued(columns.map(({ name }) => name))
  const selected = [...columns, { name: rescued, value: buildRescued(lost) }].map(({ name, value }) => `${value} as ${quoteName(name)}`)
  return `select ${selected.join(', ')} from ${quoteTable(table)} where ${buildRowCondition(table, String(number))}`
}
