/** Cells of a warehouse (the format jsonv2: each a string or null) as typed values, by the type of their column. */
import { isObject } from '../../definition/object.ts'
import { readJsonNumbers } from '../json/json.ts'
import { readDecimal, readDouble } from './numbers.ts'
import { readDate, readInstant, readLocalTimestamp, readOffsetTimestamp, readTime } from './times.ts'

/** The value of a cell: what its column's type says, JSON included. */
export type TypedCell = string | number | bigint | boolean | null | readonly TypedCell[] | { readonly [name: string]: TypedCell }

/** Converts a cell that is not null. A string that does not have the form of its type stays. */
export type ReadCell = (text: string) => TypedCell

const readText: ReadCell = (text) => text

const readBoolean: ReadCell = (text) => {
  if (text === 'true') return true
  return text === 'false' ? false : text
}

/** A number with an exponent is a double: the vendor writes the doubles inside of JSON so, and decimals without one. */
const readJsonNumber = (digits: string): TypedCell => {
  const value = /[eE]/.test(digits) ? Number(digits) : readDecimal(digits)
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY ? digits : value
}

const readDocument: ReadCell = (text) => {
  try {
    return readJsonNumbers(text, readJsonNumber) as TypedCell // JSON has no other values
  } catch {
    return text // an array of the warehouse can hold `undefined`, which JSON lacks
  }
}

const readers: ReadonlyMap<string, ReadCell> = new Map([
  ['fixed', readDecimal],
  ['decfloat', readDecimal],
  ['real', readDouble],
  ['boolean', readBoolean],
  ['date', readDate],
  ['time', readTime],
  ['timestamp_ntz', readLocalTimestamp],
  ['timestamp_ltz', readInstant],
  ['timestamp_tz', readOffsetTimestamp],
  ['variant', readDocument],
  ['object', readDocument],
  ['array', readDocument],
])

/** Types that a session parameter of a statement writes in a form of its own, which only the caller knows. */
const formats: Readonly<Record<string, readonly string[]>> = {
  DATE_OUTPUT_FORMAT: ['date'],
  TIME_OUTPUT_FORMAT: ['time'],
  TIMESTAMP_OUTPUT_FORMAT: ['timestamp_ntz', 'timestamp_ltz', 'timestamp_tz'],
  TIMESTAMP_NTZ_OUTPUT_FORMAT: ['timestamp_ntz'],
  TIMESTAMP_LTZ_OUTPUT_FORMAT: ['timestamp_ltz'],
  TIMESTAMP_TZ_OUTPUT_FORMAT: ['timestamp_tz'],
}

/** Finds the types whose cells are formatted strings, by the session parameters of the statement. */
export function findFormattedTypes(parameters: unknown): ReadonlySet<string> {
  const names = isObject(parameters) ? Object.keys(parameters) : []
  return new Set(names.flatMap((name) => formats[name.toUpperCase()] ?? []))
}

/** Finds the conversion of a column's cells. Cells of other types, for example text and binary, stay strings. */
export const findReader = (type: string, formatted: ReadonlySet<string>): ReadCell =>
  (formatted.has(type.toLowerCase()) ? undefined : readers.get(type.toLowerCase())) ?? readText
