import { setEach } from '../data.ts'
import { literal } from './lexer.ts'

/** A time in a result, as SQL of the engine. */
interface WallClock {
  /** A TIMESTAMP: what the clock on the wall shows. */
  readonly wall: string
  /** Nanoseconds inside the second. */
  readonly nanos: string
  /** Minutes east of UTC. */
  readonly offset: string
}

/** Elements of the vendor's formats that `strftime` has too. */
const elements: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  YY: '%y',
  MMMM: '%B',
  MON: '%b',
  MM: '%m',
  DD: '%d',
  DY: '%a',
  HH24: '%H',
  HH12: '%I',
  HH: '%H',
  AM: '%p',
  PM: '%p',
  MI: '%M',
  SS: '%S',
}

const element = /"[^"]*"|YYYY|YY|MMMM|MON|MM|DD|DY|HH24|HH12|HH|AM|PM|MI|SS|FF\d?|TZH:?TZM|TZH|TZM|[\s\S]/gi

function fraction(token: string, nanos: string): string {
  const digits = token.length > 2 ? Number(token.slice(2)) : 9
  return `substr(lpad(CAST(${nanos} AS VARCHAR), 9, '0'), 1, ${digits})`
}

function zone(token: string, offset: string): string {
  const hours = `CASE WHEN ${offset} < 0 THEN '-' ELSE '+' END || lpad(CAST(abs(${offset}) // 60 AS VARCHAR), 2, '0')`
  const minutes = `lpad(CAST(abs(${offset}) % 60 AS VARCHAR), 2, '0')`
  const forms: Readonly<Record<string, string>> = {
    TZH: hours,
    TZM: minutes,
    TZHTZM: `${hours} || ${minutes}`,
    'TZH:TZM': `${hours} || ':' || ${minutes}`,
  }
  return forms[token] ?? minutes
}

function elementSql(raw: string, { wall, nanos, offset }: WallClock): string {
  const token = raw.toUpperCase()
  if (raw.startsWith('"')) return literal(raw.slice(1, -1))
  if (token.startsWith('FF')) return fraction(token, nanos)
  if (token.startsWith('TZ')) return zone(token, offset)
  const known = elements[token]
  return known ? `strftime(${wall}, '${known}')` : literal(raw)
}

/** Returns SQL of the text that a time becomes in one of the vendor's formats, such as `YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM`. */
function formatted(format: string, clock: WallClock): string {
  const parts = format.match(element) ?? []
  return parts.length === 0 ? "''" : parts.map((part) => `(${elementSql(part, clock)})`).join(' || ')
}

/** One column of a result, as the vendor describes it. */
export interface Column {
  readonly name: string
  /** In lower case, such as `fixed` or `timestamp_ntz`. */
  readonly type: string
  readonly precision?: number
  readonly scale?: number
  readonly length?: number
  readonly byteLength?: number
  readonly nullable?: boolean
}

/** A type of the engine, as it is known before the statement runs. */
export interface EngineType {
  /** Such as `DECIMAL(12,2)`. */
  readonly text: string
  /** `JSON` for a text that is JSON. */
  readonly alias: string | undefined
}

interface CellStyle {
  /** False: SQL NULL is the text `null`. */
  readonly nullable: boolean
  /** Session parameters by name, in upper case. */
  readonly parameters: Readonly<Record<string, string>>
}

const longestText = 16_777_216
const longestBinary = 8_388_608
const integers = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT']

const types: Readonly<Record<string, string>> = {
  DOUBLE: 'real',
  FLOAT: 'real',
  BOOLEAN: 'boolean',
  BLOB: 'binary',
  DATE: 'date',
  TIME: 'time',
  ...setEach('timestamp_ntz', 'TIMESTAMP TIMESTAMP_NS TIMESTAMP_S TIMESTAMP_MS'),
  'TIMESTAMP WITH TIME ZONE': 'timestamp_ltz',
}

function typeName({ text, alias }: EngineType): string {
  if (alias === 'JSON') return 'variant'
  if (integers.includes(text) || text.startsWith('DECIMAL')) return 'fixed'
  if (text.endsWith(']')) return 'array'
  if (text.startsWith('STRUCT')) return text.includes('instant$') ? 'timestamp_tz' : 'object'
  return text.startsWith('MAP') ? 'object' : (types[text] ?? 'text')
}

function decimals(text: string): { readonly precision: number; readonly scale: number } {
  const [precision = 38, scale = 0] = (/\((\d+),\s*(\d+)\)/.exec(text) ?? []).slice(1).map(Number)
  return { precision, scale }
}

/** Returns a column of text, as the vendor describes it. */
export const textColumn = (name: string, length = longestText): Column => ({
  name,
  type: 'text',
  length,
  byteLength: Math.min(length * 4, longestText),
})

/** Returns the column that a type of the engine is for the vendor. */
export function columnOf(name: string, engineType: EngineType): Column {
  const type = typeName(engineType)
  if (type === 'text') return textColumn(name)
  if (type === 'fixed') return { name, type, ...decimals(engineType.text) }
  if (type === 'binary') return { name, type, length: longestBinary, byteLength: longestBinary }
  if (type === 'time' || type.startsWith('timestamp')) return { name, type, precision: 0, scale: 9 }
  return { name, type }
}

/** Returns a column of a result in the notation of the API. */
export function rowTypeOf({ name, type, ...rest }: Column): object {
  const { scale = null, precision = null, length = null, byteLength = null, nullable = true } = rest
  return { name, database: '', schema: '', table: '', type, scale, precision, length, byteLength, nullable, collation: null }
}

/** A time as a text of seconds with nine decimals, and the parts of the clock on the wall. */
interface MomentSql extends WallClock {
  readonly seconds: string
}

interface MomentParts {
  readonly wall: string
  readonly offset?: string
}

const microMoment = (micros: string, { wall, offset = '0' }: MomentParts): MomentSql => ({
  seconds: `MICROS_TEXT(${micros})`,
  nanos: `((${micros} % 1000000 + 1000000) % 1000000 * 1000)`,
  wall,
  offset,
})

const nanoMoment = (nanos: string, { wall, offset = '0' }: MomentParts): MomentSql => ({
  seconds: `NANOS_TEXT(${nanos})`,
  nanos: `((${nanos} % 1000000000 + 1000000000) % 1000000000)`,
  wall,
  offset,
})

function momentOf(cell: string, { text }: EngineType, zone: string): MomentSql {
  if (text === 'TIME') return microMoment(`epoch_us(${cell})`, { wall: `(DATE '1970-01-01' + ${cell})` })
  if (text.startsWith('STRUCT')) {
    const [instant, offset] = [`(${cell})."instant$"`, `(${cell})."offset$"`]
    return nanoMoment(`epoch_ns(${instant})`, { wall: `(CAST(${instant} AS TIMESTAMP) + to_minutes(${offset}))`, offset })
  }
  if (text === 'TIMESTAMP WITH TIME ZONE') {
    const wall = `timezone(${literal(zone)}, ${cell})`
    return microMoment(`epoch_us(${cell})`, { wall, offset: `((epoch_us(${wall}) - epoch_us(${cell})) // 60000000)` })
  }
  const wall = `CAST(${cell} AS TIMESTAMP)`
  return text === 'TIMESTAMP_NS' ? nanoMoment(`epoch_ns(${cell})`, { wall }) : microMoment(`epoch_us(${wall})`, { wall })
}

function momentCell(cell: string, engineType: EngineType, parameters: CellStyle['parameters']): string {
  const type = typeName(engineType)
  const moment = momentOf(cell, engineType, parameters['TIMEZONE'] || 'UTC')
  const names = [`${type.toUpperCase()}_OUTPUT_FORMAT`, ...(type.startsWith('timestamp') ? ['TIMESTAMP_OUTPUT_FORMAT'] : [])]
  const format = names.map((name) => parameters[name]).find((value) => value && value.toUpperCase() !== 'AUTO')
  if (format) return formatted(format, moment)
  if (type === 'date') return `CAST(${cell} - DATE '1970-01-01' AS VARCHAR)`
  return type === 'timestamp_tz' ? `${moment.seconds} || ' ' || CAST(${moment.offset} + 1440 AS VARCHAR)` : moment.seconds
}

function cellOf(cell: string, engineType: EngineType, parameters: CellStyle['parameters']): string {
  const type = typeName(engineType)
  if (type === 'date' || type === 'time' || type.startsWith('timestamp')) return momentCell(cell, engineType, parameters)
  if (type === 'binary') return parameters['BINARY_OUTPUT_FORMAT']?.toUpperCase() === 'BASE64' ? `base64(${cell})` : `hex(${cell})`
  if (type === 'real') return `REAL_TEXT(${cell})`
  if (type === 'variant') return `VARIANT_TEXT(${cell})`
  if (type === 'array' || type === 'object') return `VARIANT_TEXT(to_json(${cell}))`
  return `CAST(${cell} AS VARCHAR)`
}

/** Returns a query whose only column is the JSON text of each row of another query, its cells written as the vendor writes them. */
export function rowsAsJson(query: string, columns: readonly EngineType[], style: CellStyle): string {
  const cells = columns.map((type, index) => cellOf(`C${index}`, type, style.parameters))
  const texts = style.nullable ? cells : cells.map((cell) => `coalesce(${cell}, 'null')`)
  const limit = Number(style.parameters['ROWS_PER_RESULTSET'] ?? 0)
  const names = columns.map((_type, index) => `C${index}`).join(', ')
  return `SELECT to_json([${texts.join(', ')}]) FROM (${query}) AS "ROWS$"(${names})${limit > 0 ? ` LIMIT ${limit}` : ''}`
}
