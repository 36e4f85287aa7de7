/** Reduces schemas to what every framework takes, and removes what strict modes add to arguments. */

import { isObject } from '../definition/object.ts'
import { readProperties, readTypes } from '../document/schema.ts'
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

/** Removes each null that its schema does not name: strict modes send null for what was left out. */
export function dropNulls(value: unknown, schema: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const items = isObject(schema['items']) ? schema['items'] : {}
    return value.map((element: unknown) => dropNulls(element, items))
  }
  if (!isObject(value)) return value
  const known = new Map(readProperties(schema))
  const entries = Object.entries(value).map(([name, member]) => [name, dropNulls(member, known.get(name) ?? {})] as const)
  return Object.fromEntries(entries.filter(([name, member]) => member !== null || readTypes(known.get(name) ?? {}).includes('null')))
}
