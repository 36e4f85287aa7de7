/** Reduces schemas to what every framework takes, and removes what strict modes add to arguments. */
import { isObject } from '../definition/object.ts'
import { isRequired, readProperties, readTypes } from '../document/read-schema.ts'
import { readText } from './arguments.ts'
import type { JsonSchema } from './types.ts'

/** Words of JSON Schema that every framework takes. */
const safeWords: ReadonlySet<string> = new Set(['type', 'description', 'enum', 'items', 'properties', 'required', 'additionalProperties'])

const dropNull = (type: unknown): unknown => {
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type]
  return types.length === 1 ? types[0] : undefined
}

/** Reduces a schema to what every framework takes. The rest is checked by the operation, whose refusal says what is wrong. */
export function toSafeSchema(schema: unknown): JsonSchema {
  if (!isObject(schema)) return {}
  const { properties, items, type, enum: choices, format, description } = schema
  const single = dropNull(type)
  const words = Object.entries(schema).filter(([name]) => safeWords.has(name) && !['properties', 'items', 'type', 'enum'].includes(name))
  const texts = Array.isArray(choices) && choices.every((choice) => typeof choice === 'string') ? { enum: choices } : {}
  return {
    ...Object.fromEntries(words),
    ...(typeof format === 'string' ? { description: `${typeof description === 'string' ? `${description} ` : ''}(${format})` } : {}),
    ...(single === undefined ? {} : { type: single }),
    ...texts,
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, toSafeSchema(each)])) }
      : {}),
    ...(isObject(items) ? { items: toSafeSchema(items) } : {}),
  }
}

/** Reads a string as what its schema declares: digits, words and JSON. Any other string stays, and the operation refuses it. */
function readDeclared(text: string, schema: JsonSchema): unknown {
  const types = readTypes(schema)
  if (types.length === 0 || types.includes('string')) return text
  const isWhole = /^-?\d+$/.test(text)
  if (isWhole && (types.includes('integer') || types.includes('number')))
    return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
  if (types.includes('number') && /^-?\d{1,12}\.\d{1,3}$/.test(text)) return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  const read = types.includes('object') || types.includes('array') ? readText(text) : text
  if (typeof read !== 'string') return fitToSchema(read, schema)
  return types.includes('array') && text !== '' ? fitToSchema([text], schema) : text
}

/**
 * Fits arguments to their schema: removes each null that it does not name, because strict modes send null for what was left out, and reads
 * strings as what is declared.
 */
export function fitToSchema(value: unknown, schema: JsonSchema): unknown {
  if (typeof value === 'string') return readDeclared(value, schema)
  if (Array.isArray(value)) {
    const items = isObject(schema['items']) ? schema['items'] : {}
    return value.map((element: unknown) => fitToSchema(element, items))
  }
  if (!isObject(value)) return value
  const known = new Map(readProperties(schema))
  const entries = Object.entries(value).map(([name, member]) => [name, fitToSchema(member, known.get(name) ?? {})] as const)
  return Object.fromEntries(entries.filter(([name, member]) => member !== null || readTypes(known.get(name) ?? {}).includes('null')))
}

/** Returns whether a value can be nothing but what a strict mode sends for a parameter that was left out. */
function isFilledIn(value: unknown, field: JsonSchema): boolean {
  const { minimum } = field
  return value === '' || (value === 0 && typeof minimum === 'number' && minimum > 0)
}

/** Removes what strict modes send for optional parameters of a read. A write can mean an empty text. */
export const dropFilledIn = (params: Readonly<Record<string, unknown>>, schema: JsonSchema): Readonly<Record<string, unknown>> => {
  const known = new Map(readProperties(schema))
  const entries = Object.entries(params)
  return Object.fromEntries(entries.filter(([name, value]) => isRequired(schema, name) || !isFilledIn(value, known.get(name) ?? {})))
}
