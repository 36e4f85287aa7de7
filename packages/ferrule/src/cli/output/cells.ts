/** Columns of records, and the values of cells. */
import { isObject } from '../../definition/object.ts'
import type { FieldPath } from '../../values/fields.ts'
import { writeJson } from '../../values/json/json.ts'

/** Formats a value for a cell: strings as they are, nothing for null, nested values as JSON. */
export function formatCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : writeJson(value)
}

/** Lists the columns of records: the chosen paths, else every name that a record has, in the order of appearance. */
export function listColumns(records: readonly unknown[], paths: readonly FieldPath[] | undefined): readonly FieldPath[] {
  if (paths !== undefined) return paths
  const names = new Set(records.flatMap((record) => (isObject(record) ? Object.keys(record) : [])))
  return names.size === 0 && records.length > 0 ? [{ name: 'value', segments: [] }] : [...names].map((name) => ({ name, segments: [name] }))
}
