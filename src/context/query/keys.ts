/**
 * The column `pk`: the key fields of a record as one text whose byte order is the order of the key.
 *
 * - An integer is `p`, the count of its digits (two digits), and its digits: `p0242`. A negative one is `n` with both complemented to
 *   nines, so that it sorts before, and farther from zero sorts first: -42 is `n9757`.
 * - A text is itself, with U+0001 and U+0002 each led in by U+0002.
 * - A part without a declared type (below an object of the vendor's shape, or a parameter) is an integer when it is written like
 *   one, and else a text led in by `t`: integers come first. So is a part that is declared an integer and is none.
 * - Parts are joined by U+0001, which sorts before everything that a part can hold.
 * - A key of more than 1,000 bytes (an index entry holds 2,700) is cut after 300 characters and ends with its hash.
 */
import { createHash } from 'node:crypto'
import { fieldAt, plainType } from '../../definition/document.ts'
import type { EntityDefinition } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { cleanText } from './text.ts'

/** One part of a primary key. */
export interface KeyPart {
  /** Whether the record or the parameters of the call hold it. */
  readonly from: 'record' | 'params'
  /** Where, as names from the outside in. */
  readonly path: readonly string[]
  /** How it sorts: as declared; `open` when nothing is declared. */
  readonly type: 'integer' | 'text' | 'open'
}

const longestKey = 1000
const keptOfLongKey = 300
const integer = /^-?(0|[1-9]\d{0,97})$/

const keyTypes: Readonly<Record<string, KeyPart['type']>> = { integer: 'integer', string: 'text' }

/** What the key of an entity is made of: from `key`, and the type that search, else the record, declares for it. */
export const keyPartsOf = (definition: EntityDefinition): readonly KeyPart[] =>
  definition.key.map((path) => {
    if (path.startsWith('param.')) return { from: 'params', path: path.slice('param.'.length).split('.'), type: 'open' }
    const schema = definition.context_store_search?.[path] ?? fieldAt(definition.record ?? {}, path)
    const type = schema === undefined ? 'open' : (keyTypes[plainType(schema)] ?? 'open')
    return { from: 'record', path: path.split('.'), type }
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

/** A key value as text; undefined when it is none. */
const keyText = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  return typeof value === 'string' ? value : typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined
}

const partOf = (part: KeyPart, text: string): string => {
  if (part.type === 'text') return textPart(text)
  return integer.test(text) && text !== '-0' ? integerPart(text) : `t${textPart(text)}`
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
 * @returns undefined when a part is null or absent: such a record has no identity
 */
export function primaryKeyOf(key: readonly KeyPart[], record: unknown, params: Readonly<Record<string, unknown>> = {}): string | undefined {
  const parts: string[] = []
  for (const part of key) {
    const text = keyText(valueAt(part.from === 'record' ? record : params, part.path))
    if (text === undefined) return undefined
    parts.push(partOf(part, text))
  }
  return shortened(parts.join('\u0001'))
}
