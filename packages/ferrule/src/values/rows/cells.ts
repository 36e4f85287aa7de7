/** Cells of a warehouse (the format jsonv2: each a string or null) as typed values, by the type of their column. */
import { isObject } from '../../definition/object.ts'
import { fitsDouble } from '../json/exact.ts'
import { readJsonNumbers } from '../json/json.ts'

const [secondsPerDay, minutesPerDay] = [86_400, 1_440]

/** A number of seconds: whole seconds, rounded down, and nanoseconds. */
interface Seconds {
  readonly whole: number
  readonly nanoseconds: number
}

/** Parses seconds with decimals. The sign belongs to the whole number: `-0.5` is half a second before 0. */
function parseSeconds(text: string): Seconds | undefined {
  const [, sign, digits, decimals] = /^(-?)(\d{1,15})\.(\d{1,9})$/.exec(text) ?? []
  if (digits === undefined || decimals === undefined) return undefined
  const [whole, nanoseconds] = [Number(digits), Number(decimals.padEnd(9, '0'))]
  if (sign === '') return { whole, nanoseconds }
  return nanoseconds === 0 ? { whole: 0 - whole, nanoseconds } : { whole: -whole - 1, nanoseconds: 1_000_000_000 - nanoseconds }
}

/** Writes the decimals of a second without zeros at the end, as Temporal does. */
const formatFraction = (nanoseconds: number): string =>
  nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`

/** Writes whole seconds since 1970 as date and time; undefined beyond the dates that JavaScript knows. */
function formatDateTime(seconds: number): string | undefined {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/\.000Z$/, '')
}

const formatTimestamp = ({ whole, nanoseconds }: Seconds, offset: string): string | undefined => {
  const text = formatDateTime(whole)
  return text === undefined ? undefined : `${text}${formatFraction(nanoseconds)}${offset}`
}

/** Converts days since 1970 to a date. Another string stays. */
function readDate(text: string): string {
  if (!/^-?\d{1,9}$/.test(text)) return text
  return formatDateTime(Number(text) * secondsPerDay)?.replace(/T.*/, '') ?? text
}

/** Converts seconds since midnight to a time. Another string stays. */
function readTime(text: string): string {
  const seconds = parseSeconds(text)
  if (seconds === undefined || seconds.whole < 0 || seconds.whole >= secondsPerDay) return text
  return formatTimestamp(seconds, '')?.replace(/^.*T/, '') ?? text
}

/** Converts seconds to a date and a time without an offset. Another string stays. */
const readLocalTimestamp = (text: string): string => readTimestamp(text, '')

/** Converts seconds since 1970 to an instant in UTC. Another string stays. */
const readInstant = (text: string): string => readTimestamp(text, 'Z')

function readTimestamp(text: string, offset: string): string {
  const seconds = parseSeconds(text)
  return (seconds === undefined ? undefined : formatTimestamp(seconds, offset)) ?? text
}

/** Converts seconds since 1970, and the minutes of the offset plus 1440, to a timestamp with its offset. Another string stays. */
function readOffsetTimestamp(text: string): string {
  const [, instant = '', shifted = ''] = /^(\S+) (\d{1,4})$/.exec(text) ?? []
  const seconds = parseSeconds(instant)
  const minutes = Number(shifted) - minutesPerDay
  if (seconds === undefined || Math.abs(minutes) >= minutesPerDay) return text
  return formatTimestamp({ ...seconds, whole: seconds.whole + minutes * 60 }, formatOffset(minutes)) ?? text
}

function formatOffset(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

/** Maximum number of characters of a decimal that is compared; the warehouse has 38 digits. */
const longest = 400

/** A double keeps 15 digits of any decimal. The sign and the point make two more characters. */
const short = /^-?\d[\d.]{0,15}$/

/** Returns whether a double prints the digits of the string, zeros at the end left aside. */
const isHeld = (text: string): boolean => (short.test(text) && text.replace('-', '').replace('.', '').length <= 15) || fitsDouble(text)

/**
 * Parses a decimal: an integer to a number or, beyond 2^53, to a bigint; a fraction or an exponent to a number if a double prints the same
 * digits. Else the string stays.
 */
function readDecimal(text: string): number | bigint | string {
  if (/^-?\d+$/.test(text)) {
    const value = Number(text)
    return Number.isSafeInteger(value) ? value : BigInt(text)
  }
  if (text.length > longest || !/^-?\d+(\.\d+)?([eE][+-]?\d{1,6})?$/.test(text)) return text
  return isHeld(text) ? Number(text) : text
}

const withoutDigits: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
}

/** Parses a double, NaN and the infinities included. Another string stays. */
const readDouble = (text: string): number | string => {
  if (/^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text)) return Number(text)
  return withoutDigits[text.toLowerCase()] ?? text
}

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
