/** Conditions on what a field refers to, and the keys that fields refer by. */
import { buildRowCondition, type Column, quoteTable, type SearchTable } from '../columns.ts'
import type { KeyPart } from '../keys.ts'
import type { Values } from '../statement.ts'
import type { RelatedCondition, Step } from '../tree.ts'
import { toJsonPath } from './json.ts'
import { type JsonSource, quoteColumn, selectValue } from './sql-context.ts'

/** Builds the `pk` of a record that a text refers to. */
export const buildKey = ({ key: [part] }: SearchTable, text: string): string =>
  `cs_${part?.type ?? ('open' satisfies KeyPart['type'])}_key(${text})`

/** Builds the `pk` that an integer refers to. It has digits only, so none is looked for. */
const buildWholeKey = ({ sql, wide }: Column): string => {
  const key = `cs_whole_key(${quoteColumn(sql)})`
  return wide === undefined ? key : `case when ${quoteColumn(wide)} is null then ${key} else cs_digits_key(${quoteColumn(wide)}::text) end`
}

/** Builds the `pk` that a column of one value refers to. */
export const buildColumnKey = (table: SearchTable, column: Column): string =>
  column.type === 'integer' && table.key[0]?.type === 'integer'
    ? buildWholeKey(column)
    : buildKey(table, column.type === 'text' ? quoteColumn(column.sql) : `${selectValue(column)}::text`)

/** Builds the `pk` that the one value at a path refers to. The path has no list, and `#>>` takes a third of the time of a jsonpath. */
export const buildPathKey = (
  table: SearchTable,
  json: string,
  { steps, values }: { readonly steps: readonly Step[]; readonly values: Values },
): string => {
  const names = steps.filter((step) => step !== null)
  return buildKey(table, `(${json} #>> ${values.add(names, 'text[]')})`)
}

interface RelatedContext {
  readonly values: Values
  /** JSON that the path begins at; undefined for a column of one value. */
  readonly source: JsonSource | undefined
  /** Builds the condition on the rows `t` of the other table. */
  readonly inner: () => string
}

/** Builds the condition that a value refers to one of the rows that satisfy a condition. Both tables have the connector's rows on one machine. */
export function buildRelated(
  { path: { column, steps }, isMany, table }: RelatedCondition,
  { values, source, inner }: RelatedContext,
): string {
  const list = (): string =>
    `(select t.pk from ${quoteTable(table)} t where ${buildRowCondition(table, values.source.connector, 't')} and ${inner()})`
  if (source === undefined) return column === undefined ? 'false' : `${buildColumnKey(table, column)} in ${list()}`
  if (!isMany) return `${buildPathKey(table, source.raw, { steps, values })} in ${list()}`
  const each = `jsonb_path_query(${source.raw}, ${values.add(toJsonPath([...steps, null]), 'jsonpath')}) e(v)`
  return `exists (select from ${each} where ${buildKey(table, "(e.v #>> '{}')")} in ${list()})`
}
