/** Reads JSON Schemas of kinds, and makes examples that fit them. */
import { isObject } from '../definition/object.ts'
import type { Schema } from './kind-document.ts'

/** Lists the types that a schema allows. An empty list means that the schema allows every type. */
export function readTypes(schema: Schema): readonly string[] {
  const { type, anyOf, oneOf } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.map(String)
  const branches = [anyOf, oneOf].find(Array.isArray) ?? []
  return branches.filter(isObject).flatMap(readTypes)
}

/** Lists the properties of an object schema. */
export const readProperties = (schema: Schema | null): readonly (readonly [string, Schema])[] => {
  const properties = isObject(schema?.['properties']) ? schema['properties'] : {}
  return Object.entries(properties).flatMap(([name, field]) => (isObject(field) ? [[name, field] as const] : []))
}

/** Returns whether a property is required. */
export const isRequired = (schema: Schema | null, name: string): boolean =>
  Array.isArray(schema?.['required']) && schema['required'].includes(name)

/** Makes a value of an example: the example of the schema, its first choice, or a value of its type. */
function makeValue(name: string, schema: Schema): unknown {
  const { examples, enum: choices, format, items } = schema
  const [first] = [examples, choices].find(Array.isArray) ?? []
  if (first !== undefined) return first
  const [type] = readTypes(schema)
  if (format === 'date-time') return '2026-01-01T00:00:00Z'
  if (format === 'date') return '2026-01-01'
  if (format === 'uuid') return '01c899bb-0000-0001-0000-001000000001'
  if (type === 'integer' || type === 'number') return typeof schema['minimum'] === 'number' ? Math.max(1, schema['minimum']) : 1
  if (type === 'boolean') return true
  if (type === 'array') return [makeValue(name, isObject(items) ? items : {})]
  return type === 'object' ? makeParams(schema) : name.toUpperCase()
}

/** Makes the required parameters of an example. @param also parameters that are required now, although the schema leaves them optional */
export const makeParams = (schema: Schema, also: readonly string[] = []): Schema =>
  Object.fromEntries(
    readProperties(schema).flatMap(([name, field]) =>
      isRequired(schema, name) || also.includes(name) ? [[name, makeValue(name, field)]] : [],
    ),
  )
