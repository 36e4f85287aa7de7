/**
 * Columns of an export as Parquet. Their types come from the definition alone, so all exports of an entity have the same ones. A value that
 * its column cannot hold exactly is null there, and stands in a last column, as JSON by the names of the fields.
 * Reasons: docs/decisions/data-out.md
 */
import { fitsDouble, readDigits } from 'ferrule/internal'
import type { ParquetWriter } from 'hyparquet-writer'
import type { Column } from '../search/columns.ts'
import { beyondMicros, parseTimestamp } from '../search/timestamps.ts'

/** How a column is written. */
export type ParquetType = 'text' | 'integer' | 'number' | 'boolean' | 'json' | 'instant' | 'date' | 'decimal'

/** A column of the file. */
export interface ParquetColumn {
  readonly name: string
  readonly type: ParquetType
}

/** Describes a column of the file, as the library has it. */
export type Element = ParquetWriter['schema'][number]

/** Reads how a searchable field is written. */
export function toParquetColumn({ name, type, compare, schema }: Pick<Column, 'name' | 'type' | 'compare' | 'schema'>): ParquetColumn {
  if (type !== 'text') return { name, type }
  if (compare === 'instant') return { name, type: schema.format === 'date' ? 'date' : 'instant' }
  return { name, type: compare === 'decimal' ? 'decimal' : 'text' }
}

/** Digits of a decimal, and those after its point: as many as the types of most databases have. */
const [precision, scale] = [38, 9]
const bytesOfDecimal = 16

const elements: Readonly<Record<ParquetType, Omit<Element, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  json: { type: 'BYTE_ARRAY', logical_type: { type: 'JSON' } },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: bytesOfDecimal,
    converted_type: 'DECIMAL',
    logical_type: { type: 'DECIMAL', precision, scale },
    precision,
    scale,
  },
}

/** Describes the file. Every column can be null. */
export const buildElements = (columns: readonly ParquetColumn[]): Element[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type }): Element => ({ name, repetition_type: 'OPTIONAL', ...elements[type] })),
]

/** A value as the library takes it. */
export type Cell = string | number | bigint | boolean | null

/** Longest number that is looked at; a longer one fits no type. */
const longestNumber = 400
const [smallest, largest] = [-(2n ** 63n), 2n ** 63n - 1n]

function readInteger(value: unknown): Cell | undefined {
  const digits = readDigits(value)
  if (digits === undefined || digits.length > longestNumber || !/^-?[0-9]+$/.test(digits)) return undefined
  const integer = BigInt(digits)
  return integer < smallest || integer > largest ? undefined : integer
}

/** Takes a number that a double writes with the same digits. */
function readDouble(value: unknown): Cell | undefined {
  const digits = readDigits(value)
  return digits !== undefined && digits.length <= longestNumber && fitsDouble(digits) ? Number(digits) : undefined
}

const mostUnscaled = 10n ** BigInt(precision)

function readDecimal(value: unknown): Cell | undefined {
  const found = typeof value === 'string' && value.length <= longestNumber ? /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(value) : null
  if (found === null) return undefined
  const [, sign = '', whole = '', fraction = ''] = found
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > scale) return undefined
  const unscaled = BigInt(whole + digits.padEnd(scale, '0'))
  if (unscaled >= mostUnscaled) return undefined
  return sign === '' ? unscaled : -unscaled
}

const finer = new RegExp(beyondMicros)

/** Takes a timestamp of searches: without an offset it is UTC. */
const readInstant = (value: unknown): Cell | undefined =>
  typeof value === 'string' && !finer.test(value) ? parseTimestamp(value) : undefined

const microsOfDay = 86_400_000_000n

function readDate(value: unknown): Cell | undefined {
  const micros = typeof value === 'string' && value.length === 10 ? parseTimestamp(value) : undefined
  return micros === undefined ? undefined : Number(micros / microsOfDay)
}

/** Reads a value for its column; undefined when the column cannot hold it exactly. */
export const readers: Readonly<Record<ParquetType, (value: unknown) => Cell | undefined>> = {
  text: (value) => (typeof value === 'string' ? value : undefined),
  integer: readInteger,
  number: readDouble,
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  json: (value) => JSON.stringify(value),
  instant: readInstant,
  date: readDate,
  decimal: readDecimal,
}
