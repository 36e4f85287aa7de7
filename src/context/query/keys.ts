/**
 * The column `pk`: the key fields of a record as one text whose byte order is the order of the key.
 *
 * - An integer is `p`, the count of its digits (two digits), and its digits: `p0242`. A negative one is `n` with both complemented to
 *   nines, so that it sorts before, and farther from zero sorts first: -42 is `n9757`.
 * - A text is itself, with U+0001 and U+0002 each led in by U+0002.
 * - A part without a declared type (below an object of the vendor's shape, or a parameter) is an integer when it is written like
 *   one, and else a text led in by `t`: integers come first.
 * - Parts are joined by U+0001, which sorts before everything that a part can hold.
 * - A key of more than 1,000 bytes (an index entry holds 2,700) is cut after 300 characters and ends with its hash.
 */
import { createHash } from 'node:crypto'
import { fieldAt, plainType } from '../../definition/document.ts'
import type { EntityDefinition } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { cleanText, decimalOf, plainNumber } from './text.ts'

/** One part of a primary key. */
export interface KeyPart {
  /** Whether the record or the parameters of the call hold it. */
  readonly from: 'record' | 'params'
  /** Where, as names from the outside in. */
  readonly path: readonly string[]
  /** How it sorts: as declared; `open` when nothing is declared. */
  readonly type: 'integer' | 'text' | 'open'
  /** The searchable field that holds the same value. A definition must not fill a field of this name from elsewhere. */
  readonly field?: string
}

const longestKey = 1000
const keptOfLongKey = 300
const integer = /^-?(0|[1-9]\d{0,97})$/

const keyTypes: Readonly<Record<string, KeyPart['type']>> = { integer: 'integer', string: 'text' }

/** What the key of an entity is made of: from `key`, and the type that search, else the record, declares for it. */
export const keyPartsOf = (definition: EntityDefinition): readonly KeyPart[] =>
  definition.key.map((path) => {
    if (path.startsWith('param.')) return { from: 'params', path: path.slice('param.'.length).split('.'), type: 'open' }
    const searchable = definition.context_store_search?.[path]
    const schema = searchable ?? fieldAt(definition.record ?? {}, path)
    const type = schema === undefined ? 'open' : (keyTypes[plainType(schema)] ?? 'open')
    return { from: 'record', path: path.split('.'), type, ...(searchable === undefined ? {} : { field: path }) }
  })

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value)

const complement = (digits: string): string => digits.replace(/\d/g, (digit) => String(9 - Number(digit)))

const integerPart = (text: string): string => {
  const digits = text.replace('-', '')
  const counted = String(digits.length).padStart(2, '0') + digits
  return text.startsWith('-') ? `n${complement(counted)}` : `p${counted}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the two that lead and join
const textPart = (text: string): string => cleanText(text).replace(/[\u0001\u0002]/g, '\u0002$&')

/** A key value as text, as a column would hold it; undefined when it is none. */
const keyText = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return plainNumber(value)
  return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : undefined
}

const openPart = (text: string): string => (integer.test(text) && text !== '-0' ? integerPart(text) : `t${textPart(text)}`)

const declaredInteger = (text: string): string | undefined => {
  const plain = decimalOf(text)
  return plain !== undefined && integer.test(plain) ? integerPart(plain) : undefined
}

/** How a value stands in a key; undefined when it is declared an integer and is none of at most 98 digits. */
const encoded: Readonly<Record<KeyPart['type'], (text: string) => string | undefined>> = {
  integer: declaredInteger,
  text: textPart,
  open: openPart,
}

/** U+0002 before U+0003 is in no other key. */
const shortened = (key: string): string =>
  Buffer.byteLength(key) <= longestKey
    ? key
    : `${cleanText(key.slice(0, keptOfLongKey))}\u0002\u0003${createHash('sha256').update(key).digest('hex')}`

/**
 * The primary key of a record.
 * @param key     `SearchTable.key`
 * @param record  the record as the vendor's list gives it (documented names), before it is cut to the searchable fields
 * @param params  the parameters of the call that gave it
 * @returns undefined when a part is null, absent or not what it is declared to be: such a record has no identity
 */
export function primaryKeyOf(key: readonly KeyPart[], record: unknown, params: Readonly<Record<string, unknown>> = {}): string | undefined {
  const parts: string[] = []
  for (const part of key) {
    const text = keyText(valueAt(part.from === 'record' ? record : params, part.path))
    const encoding = text === undefined ? undefined : encoded[part.type](text)
    if (encoding === undefined) return undefined
    parts.push(encoding)
  }
  return shortened(parts.join('\u0001'))
}

/** Keys that a condition on the leading key field selects: all of them lie in a range of `pk`. */
export interface KeyRange {
  readonly from: string
  /** Where the range ends, not included; undefined when `from` is the only key. */
  readonly before?: string
}

/** Longest leading part for a range: longer ones may be cut in the key. */
const longestLeading = 200

/**
 * The keys whose leading part is a value.
 * @param text the value as its column holds it
 * @returns undefined when no range can tell
 */
export function keyRangeOf(key: readonly KeyPart[], text: string): KeyRange | undefined {
  const [first, ...rest] = key
  const encoding = first === undefined ? undefined : encoded[first.type](text)
  if (encoding === undefined) return undefined
  if (rest.length === 0) return { from: shortened(encoding) }
  return encoding.length > longestLeading ? undefined : { from: `${encoding}\u0001`, before: `${encoding}\u0002` }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the two that lead and join
const plainText = (text: string): string => text.replace(/\u0002([\u0001\u0002])/g, '$1')

/** The value of a key of one part, as text; undefined for a key that was cut, and for a negative integer. */
export function keyValueOf(key: readonly KeyPart[], pk: string): string | undefined {
  const [part, ...more] = key
  if (part === undefined || more.length > 0 || pk.includes('\u0002\u0003')) return undefined
  if (part.type === 'text') return plainText(pk)
  if (pk.startsWith('p')) return pk.slice(3)
  return part.type === 'open' && pk.startsWith('t') ? plainText(pk.slice(1)) : undefined
}
