/** Converts the forms that callers may give to the form that the engine checks: lists as JSON text, dates as text, integers in strings. */
import { type Field, type Fields, isExactInteger } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { writeJson } from '../../values/json/json.ts'

/** Values by field name. */
type Values = Readonly<Record<string, unknown>>

/** Writes a `Date` as ISO 8601. An invalid `Date` becomes a string that no format accepts. */
const writeDate = (value: unknown): unknown => {
  if (!(value instanceof Date)) return value
  return Number.isNaN(value.getTime()) ? String(value) : value.toISOString()
}

const dayOnly = /^\d{4}-\d{2}-\d{2}$/
const startOfDay = /^(\d{4}-\d{2}-\d{2})T00:00:00(?:\.0{1,9})?Z$/

/** Converts a date to the text of the field. A day as a timestamp is its start in UTC, and only such a timestamp is a day. */
export function convertDate(field: Field, value: unknown): unknown {
  const text = writeDate(value)
  if (typeof text !== 'string') return text
  const { format } = field
  if (format === 'date') return startOfDay.exec(text)?.[1] ?? text
  return format === 'date-time' && dayOnly.test(text) ? `${text}T00:00:00Z` : text
}

/** Writes a list as JSON text. An element that is no string becomes null, which the check of the field refuses. */
const writeList = (value: unknown): unknown =>
  Array.isArray(value) ? JSON.stringify(Array.from(value, (element: unknown) => (typeof element === 'string' ? element : null))) : value

/** Writes an object, or a list of objects, as JSON text. */
const writeFilter = (value: unknown): unknown => (typeof value === 'object' && value !== null ? writeJson(value) : value)

const isSmall = (field: Field): boolean => field.type === 'integer' && !isExactInteger(field)

/** Converts a string of digits to an integer. Other strings stay, and validation refuses them. */
export const convertDigits = (field: Field, value: unknown): unknown => {
  const integer = typeof value === 'string' ? parseInteger(value) : null
  return integer === null || (isSmall(field) && typeof integer === 'bigint') ? value : integer
}

/** Finds how the values of a field are converted; undefined if they stay. */
function findConversion(field: Field): ((field: Field, value: unknown) => unknown) | undefined {
  if (isSmall(field) || isExactInteger(field)) return convertDigits
  if (field['x-date']) return convertDate
  const { format } = field
  if (format === 'json-object' || format === 'json-objects') return (_field, value) => writeFilter(value)
  return format === 'json-array' ? (_field, value) => writeList(value) : undefined
}

const isConvertible = (field: Field): boolean => {
  const { properties = {}, items } = field
  return findConversion(field) !== undefined || [...Object.values(properties), ...(items === undefined ? [] : [items])].some(isConvertible)
}

/** Finds the fields that have several forms, or contain fields that have. */
export const findConvertible = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]: [string, Field]) => isConvertible(field)))

const convertOne = (field: Field, value: unknown): unknown => {
  const convert = findConversion(field)
  if (convert !== undefined) return convert(field, value)
  const { properties = {}, items } = field
  if (Array.isArray(value) && items !== undefined) return value.map((element) => convertOne(items, element))
  return isObject(value) ? convertForms(properties, value) : value
}

/**
 * Converts values to the form of their fields. Ids may be strings of digits, because callers may know them as strings. A string that is JSON
 * text to the vendor may be a list. Days and timestamps may be of the type `Date`.
 */
export function convertForms(fields: Fields, values: Values): Values {
  let converted = values
  for (const [name, field] of Object.entries(fields) as [string, Field][]) {
    if (!Object.hasOwn(values, name)) continue
    const value = convertOne(field, values[name])
    if (value !== values[name]) converted = { ...converted, [name]: value }
  }
  return converted
}

/** Integers in strings. */

/** Parses a decimal string without a fraction to an integer with all its digits; null for any other string. */
export const parseInteger = (text: string): number | bigint | null => {
  if (!/^-?\d{1,30}$/.test(text)) return null
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

/** Parses a decimal string to a double; null for another string, and for a number beyond a double. */
export const parseDecimal = (text: string): number | null => {
  const value = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : null
}

/**
 * Parses a timestamp (ISO 8601) to milliseconds since 1970; NaN for anything else. `Date.parse` refuses leap seconds (`23:59:60Z`, which
 * RFC 3339 allows): they count as the next second, as in POSIX time.
 */
export function parseTimestamp(value: unknown): number {
  const text = String(value)
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59')) + 1000 : milliseconds
}
