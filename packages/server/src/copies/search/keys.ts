/**
 * Encodes the column `pk`: the key fields of a record as one string whose byte order is the order of the key.
 *
 * - An integer is `p`, the count of its digits (two digits), and its digits: `p0242`. A negative integer is `n` with both complemented
 *   to nines, so it sorts before, and larger magnitudes sort first: -42 is `n9757`.
 * - A string is itself, with U+0001 and U+0002 each escaped by U+0002.
 * - A part without a declared type (below an undocumented object, or a parameter) is an integer if it looks like one, else a string
 *   after `t`: integers come first.
 * - U+0001 joins the parts; it sorts before everything that a part can contain.
 * - A key of more than 1,000 bytes is cut after 300 characters and ends with its hash (an index entry holds 2,700 bytes).
 */
import { createHash } from 'node:crypto'
import type { EntityDefinition } from 'ferrule/definition'
import { findField, formatPlainType, isObject } from 'ferrule/internal'
import { cleanText, formatNumber, parseDecimal } from './text.ts'

/** One part of a primary key. */
export interface KeyPart {
  /** Source of the value: the record, or the parameters of the call. */
  readonly from: 'record' | 'params'
  /** Names from the outside in. */
  readonly path: readonly string[]
  /** How the part sorts; `open` when no type is declared. */
  readonly type: 'integer' | 'text' | 'open'
  /** The searchable field with the same value. A definition must not fill a field of this name from elsewhere. */
  readonly field?: string
}

/** Bytes of the longest `pk` that is not shortened. */
export const longestKey = 1000
const keptOfLongKey = 300
const integer = /^-?(0|[1-9]\d{0,97})$/

const keyTypes: Readonly<Record<string, KeyPart['type']>> = { integer: 'integer', string: 'text' }

/** Reads the parts of an entity's key. Types come from the searchable field, else from the record's schema. */
export const readKeyParts = (definition: EntityDefinition): readonly KeyPart[] =>
  definition.key.map((path) => {
    if (path.startsWith('param.')) return { from: 'params', path: path.slice('param.'.length).split('.'), type: 'open' }
    const searchable = definition.context_store_search?.[path]
    const schema = searchable ?? findField(definition.record ?? {}, path)
    const type = schema === undefined ? 'open' : (keyTypes[formatPlainType(schema)] ?? 'open')
    return { from: 'record', path: path.split('.'), type, ...(searchable === undefined ? {} : { field: path }) }
  })

const readPath = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)

const complement = (digits: string): string => digits.replace(/\d/g, (digit) => String(9 - Number(digit)))

const encodeInteger = (text: string): string => {
  const digits = text.replace('-', '')
  const counted = String(digits.length).padStart(2, '0') + digits
  return text.startsWith('-') ? `n${complement(counted)}` : `p${counted}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the two that lead and join
const encodeText = (text: string): string => cleanText(text).replace(/[\u0001\u0002]/g, '\u0002$&')

/** Converts a key value to the string that a column would hold; undefined for other values. */
const toKeyText = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return formatNumber(value)
  return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : undefined
}

const encodeUndeclared = (text: string): string => (integer.test(text) && text !== '-0' ? encodeInteger(text) : `t${encodeText(text)}`)

const encodeDeclaredInteger = (text: string): string | undefined => {
  const plain = parseDecimal(text)
  return plain !== undefined && integer.test(plain) ? encodeInteger(plain) : undefined
}

/** Encoders of key values by type. They return undefined for a declared integer that is no integer, or that has more than 98 digits. */
const encoders: Readonly<Record<KeyPart['type'], (text: string) => string | undefined>> = {
  integer: encodeDeclaredInteger,
  text: encodeText,
  open: encodeUndeclared,
}

/** U+0002 before U+0003 occurs in no other key. */
const shortenKey = (key: string): string =>
  Buffer.byteLength(key) <= longestKey
    ? key
    : `${cleanText(key.slice(0, keptOfLongKey))}\u0002\u0003${createHash('sha256').update(key).digest('hex')}`

/**
 * Builds the primary key of a record.
 * @param key     `SearchTable.key`
 * @param record  the record from the vendor's list (documented names), not yet cut to the searchable fields
 * @param params  parameters of the call that returned the record
 * @returns undefined when a part is null, absent or not of its declared type: such a record has no identity
 */
export function buildPrimaryKey(
  key: readonly KeyPart[],
  record: unknown,
  params: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const parts: string[] = []
  for (const part of key) {
    const text = toKeyText(readPath(part.from === 'record' ? record : params, part.path))
    const encoding = text === undefined ? undefined : encoders[part.type](text)
    if (encoding === undefined) return undefined
    parts.push(encoding)
  }
  return shortenKey(parts.join('\u0001'))
}

/** Range of `pk` that contains every key with a given leading field. */
export interface KeyRange {
  readonly from: string
  /** Exclusive end of the range; undefined when `from` is the only key. */
  readonly before?: string
}

/** Maximum length of a leading part for a range; a longer part may be cut in the key. */
const longestLeading = 200

/**
 * Builds the range of keys whose leading part is a value.
 * @param text the value as its column stores it
 * @returns undefined when no range covers these keys
 */
export function buildKeyRange(key: readonly KeyPart[], text: string): KeyRange | undefined {
  const [first, ...rest] = key
  const encoding = first === undefined ? undefined : encoders[first.type](text)
  if (encoding === undefined) return undefined
  if (rest.length === 0) return { from: shortenKey(encoding) }
  return encoding.length > longestLeading ? undefined : { from: `${encoding}\u0001`, before: `${encoding}\u0002` }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the two that lead and join
const decodeText = (text: string): string => text.replace(/\u0002([\u0001\u0002])/g, '$1')

/** Parses the value of a key with one part. Returns undefined for a shortened key and for a negative integer. */
export function parseKeyValue(key: readonly KeyPart[], pk: string): string | undefined {
  const [part, ...more] = key
  if (part === undefined || more.length > 0 || pk.includes('\u0002\u0003')) return undefined
  if (part.type === 'text') return decodeText(pk)
  if (pk.startsWith('p')) return pk.slice(3)
  return part.type === 'open' && pk.startsWith('t') ? decodeText(pk.slice(1)) : undefined
}
