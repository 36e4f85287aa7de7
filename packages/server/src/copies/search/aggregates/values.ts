/** SQL of the values that groups and measures are made of: those of a column, and those at a path into JSON. */
import type { Column } from '../columns.ts'
import { queryPath } from '../conditions/json.ts'
import { quoteColumn, selectValue } from '../conditions/sql-context.ts'
import type { Values } from '../statement.ts'
import { irregularField } from '../terms.ts'
import type { FieldPath } from '../tree.ts'

/** SQL of one value in its forms, each null where the value has no such form. */
export interface ValueSql {
  /** Null only where there is no value. */
  readonly value: string
  readonly number: string
  /** True where every value has a number. */
  readonly isNumeric: boolean
  /** Microseconds since 1970. */
  readonly time: string
  /** True for a date without a time of day. */
  readonly isDate: string
  readonly text: string
  /** Equal for equal values, and in the order of a sort; the second one where the first is null. */
  readonly keys: readonly [string, ...string[]]
  /** Text that is shown for a value whose key is in lower case. */
  readonly spelling: string | undefined
  /** One key for `count(distinct …)`. */
  readonly key: string
}

/** Returns whether a path leads into JSON, where a record can have several values. */
export const isInJson = ({ column }: FieldPath): boolean => column?.type === 'json'

function describeInteger(column: Column, values: Values): ValueSql {
  const exact = values.isRegular(irregularField(column)) ? quoteColumn(column.sql) : selectValue(column)
  return { ...describePlain(exact), number: exact, isNumeric: true }
}

const describePlain = (sql: string): ValueSql => ({
  value: sql,
  number: 'null::numeric',
  isNumeric: false,
  time: 'null::int8',
  isDate: 'false',
  text: 'null::text',
  keys: [sql],
  spelling: undefined,
  key: sql,
})

function describeText(column: Column, values: Values): ValueSql {
  const sql = quoteColumn(column.sql)
  const time = column.at === undefined ? `cs_instant(${sql})` : quoteColumn(column.at)
  const plain = { ...describePlain(sql), time, isDate: `octet_length(${sql}) = 10`, text: sql, number: `cs_number(${sql})` }
  if (column.at !== undefined) return { ...plain, key: time }
  if (column.lowered !== undefined) {
    const lowered = quoteColumn(column.lowered)
    return { ...plain, keys: [lowered], spelling: sql, key: lowered }
  }
  if (column.number === undefined) return plain
  const number = quoteColumn(column.number)
  if (values.isRegular(irregularField(column))) return { ...plain, number, isNumeric: true, keys: [number], key: number }
  return { ...plain, number, keys: [number, `case when ${number} is null then ${sql} end`], key: `coalesce(${number}::text, ${sql})` }
}

/** Describes the value of a column that is not JSON. */
export function describeColumn(column: Column, values: Values): ValueSql {
  if (column.type === 'integer') return describeInteger(column, values)
  if (column.type === 'text') return describeText(column, values)
  const plain = describePlain(quoteColumn(column.sql))
  return column.type === 'number' ? { ...plain, number: plain.value, isNumeric: true } : plain
}

/** Describes a JSON value that is not null. @param value SQL of the value */
export function describeJson(value: string, { compare }: FieldPath): ValueSql {
  const text = `(${value} #>> '{}')`
  const ofString = (sql: string): string => `case when jsonb_typeof(${value}) = 'string' then ${sql} end`
  const number = `case jsonb_typeof(${value}) when 'number' then (${value})::numeric when 'string' then cs_number${text} end`
  const time = ofString(`cs_instant${text}`)
  const plain = { ...describePlain(value), number, time, isDate: `octet_length${text} = 10`, text: ofString(text) }
  switch (compare) {
    case 'instant':
      return { ...plain, key: time }
    case 'lower': {
      const lowered = `case when jsonb_typeof(${value}) = 'string' then to_jsonb(cs_lower${text}) else ${value} end`
      return { ...plain, keys: [lowered], spelling: text, key: lowered }
    }
    case 'decimal':
      return { ...plain, keys: [number, `case when (${number}) is null then ${value} end`], key: `coalesce(to_jsonb(${number}), ${value})` }
    case 'text':
      return plain
  }
}

/** Selects the values at a path into JSON, as `e.v`; the elements of an array are values of their own. */
export function selectPathValues({ column, steps }: FieldPath, values: Values): string {
  const source = queryPath(quoteColumn(column?.sql ?? ''), { values, element: undefined, depth: 0 }, { steps, spread: true })
  return `from ${source} e(v) where jsonb_typeof(e.v) <> 'null'`
}
