/** Writes records as JSON objects: their selected fields, and below `_related` what they refer to, which the same statement finds by its key. */
import { relatedName } from 'ferrule/internal'
import { buildRowCondition, type Column, isColumnName, quoteName, quoteTable, type SearchTable } from '../columns.ts'
import { toJsonPath } from '../conditions/json.ts'
import { buildColumnKey, buildKey, buildPathKey } from '../conditions/related.ts'
import { quoteColumn, selectValue } from '../conditions/sql-context.ts'
import type { Values } from '../statement.ts'
import type { Included, SearchQuery, Selection } from '../tree.ts'

/** What is written of a record. */
export type Wanted = Pick<SearchQuery, 'selection' | 'include'> & { readonly table: SearchTable }

interface Member {
  readonly name: string
  readonly value: string
}

/** Lists the selected columns in the given order; all of them in that of the documents. */
export const listSelectedColumns = ({
  table,
  selection = new Map(table.columns.map((column) => [column, true] as const)),
}: Pick<Wanted, 'table' | 'selection'>): readonly { readonly column: Column; readonly selection: Selection }[] =>
  [...selection].map(([column, selected]) => ({ column, selection: selected }))

/** Selects what a record is referred to by: the key, or JSON with the keys of several. */
function selectReferring({ reference: { column, steps, isMany }, table }: Included, values: Values): string {
  if (isMany || table === undefined) return quoteColumn(column.sql)
  return column.folded === undefined ? buildColumnKey(table, column) : buildPathKey(table, quoteColumn(column.sql), { steps, values })
}

/** Lists what is read of a row `t`: the selected columns as `c0` …, and what leads to related records as `i0` … */
export const listRead = (wanted: Wanted, values: Values): readonly string[] => [
  ...listSelectedColumns(wanted).map(({ column }, index) => `${selectValue(column)} as c${index}`),
  ...wanted.include.map((each, index) => `${selectReferring(each, values)} as i${index}`),
]

/** Builds the text of an object from the texts of its members. */
export const joinMembers = (members: readonly Member[], values: Values): string => {
  const written = members.map(
    ({ name, value }) => `${values.add(`${JSON.stringify(name)}:`, 'text')} || coalesce(to_json(${value})::text, 'null')`,
  )
  return `'{' || ${written.join(" || ',' || ")} || '}'`
}

/** Lists members as columns. */
export const listAsColumns = (members: readonly Member[]): string =>
  members.map(({ name, value }) => `${value} as ${quoteName(name)}`).join(', ')

const buildObject = (members: readonly Member[], values: Values): string =>
  members.every(({ name }) => isColumnName(name))
    ? `(select row_to_json(f) from (select ${listAsColumns(members)}) f)`
    : `(${joinMembers(members, values)})::json`

interface MemberSource {
  /** Alias of rows with what `listRead` lists. */
  readonly from: string
  readonly values: Values
  /** Number of references that led here, which numbers the aliases. */
  readonly depth: number
}

/** Lists the members of a record. */
export function listMembers(wanted: Wanted, source: MemberSource): readonly Member[] {
  const { from, values } = source
  const own = listSelectedColumns(wanted).map(({ column: { name }, selection }, index) => ({
    name,
    value: selection === true ? `${from}.c${index}` : `cs_pick(${from}.c${index}, ${values.add(JSON.stringify(selection), 'jsonb')})`,
  }))
  if (wanted.include.length === 0) return own
  const related = wanted.include.map((each, index) => ({
    name: each.reference.name,
    value: each.reference.isMany ? buildSeveral(each, `${from}.i${index}`, source) : buildOne(each, `${from}.i${index}`, source),
  }))
  return [...own, { name: relatedName, value: buildObject(related, values) }]
}

/** Builds the related record of a key, or null. */
function buildOne({ table, selection, include }: Included, key: string, { values, depth }: MemberSource): string {
  if (table === undefined) return 'null::json'
  const [wanted, from] = [{ table, selection, include }, `r${depth}`]
  const row = `select ${listRead(wanted, values).join(', ')} from ${quoteTable(table)} t where ${buildRowCondition(table, values.source.connector, 't')} and t.pk = ${key}`
  return `(select ${buildObject(listMembers(wanted, { from, values, depth: depth + 1 }), values)} from (${row}) ${from})`
}

/**
 * Builds an object with one related record for each reference, or null.
 * @param all each with the SQL of the text that refers to the record
 */
export const buildReferred = (all: readonly { readonly included: Included; readonly text: string }[], values: Values): string =>
  buildObject(
    all.map(({ included, text }) => {
      const key = included.table === undefined ? '' : buildKey(included.table, text)
      return { name: included.reference.name, value: buildOne(included, key, { from: '', values, depth: 0 }) }
    }),
    values,
  )

/** Builds an object with the related records of a list, by what refers to them. */
function buildSeveral(included: Included, json: string, source: MemberSource): string {
  const { reference, table } = included
  const [each, id] = [`e${source.depth}`, `k${source.depth}.id`]
  const path = source.values.add(toJsonPath([...reference.steps, null]), 'jsonpath')
  const ids = `select distinct ${each}.v #>> '{}' as id from jsonb_path_query(${json}, ${path}) ${each}(v) where jsonb_typeof(${each}.v) in ('string', 'number')`
  const record = buildOne(included, table === undefined ? '' : buildKey(table, id), source)
  return `(select coalesce(json_object_agg(${id}, ${record} order by ${id}), '{}') from (${ids}) k${source.depth})`
}

/** Returns whether a record can hold long values. */
export const hasJson = (wanted: Wanted): boolean =>
  listSelectedColumns(wanted).some(({ column: { type } }) => type === 'json') ||
  wanted.include.some(({ table, selection, include }) => table !== undefined && hasJson({ table, selection, include }))
