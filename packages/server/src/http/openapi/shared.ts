/** Schemas of the wire as parts of the API's document. */
import { type Field, list, str } from 'ferrule/definition'
import { isObject, toPlainSchema } from 'ferrule/internal'
import { componentName } from 'ferrule/wire'
import type { JsonObject } from './types.ts'

/** Makes a reference to a shared schema, by its name. */
export const ref = (name: string): Field => ({ $ref: `#/components/schemas/${name}` })

/** Paths of the strings that an answer of execute has cut. */
export const truncatedFields = list(str('Path'), 'Strings that were cut on request (skip_truncation: false)')

/** Replaces the named schemas within a schema by references. */
function withReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inDocument)
  if (!isObject(schema)) return schema
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inDocument(value)]))
}

function inDocument(schema: unknown): unknown {
  const name = isObject(schema) ? componentName(schema) : undefined
  return name === undefined ? withReferences(schema) : ref(name)
}

/** Prints a schema where it is used: a reference when the schema has a name. */
export const printSchema = (schema: Field): unknown => toPlainSchema(inDocument(schema))

/**
 * Prints the named schemas within some schemas.
 * @returns JSON Schemas by name
 * @throws Error when two schemas share a name
 */
export function namedSchemas(schemas: readonly unknown[]): Readonly<Record<string, unknown>> {
  const printed = new Map<string, unknown>()
  for (const schema of schemas) collect(schema, printed)
  return Object.fromEntries(printed)
}

function collect(schema: unknown, printed: Map<string, unknown>): void {
  if (typeof schema !== 'object' || schema === null) return
  const name = componentName(schema)
  const own = name === undefined ? undefined : toPlainSchema(withReferences(schema))
  const known = name === undefined ? undefined : printed.get(name)
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(own)) throw new Error(`Two schemas are named ${name}`)
  if (known !== undefined) return
  if (name !== undefined) printed.set(name, own)
  for (const each of Object.values(schema)) collect(each, printed)
}

/** Words of a schema that are about one type only: they go to the branch of that type. */
const wordsOfTypes: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['pattern', 'format', 'minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
}

/**
 * Writes a schema of several types as `anyOf` with one type each, at any depth. Generators for Go and Python refuse a list of types, or crash
 * on it; `[type, 'null']` they know.
 * @param schema JSON Schema, or any part of an OpenAPI document
 */
export function splitTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(splitTypes)
  if (!isObject(schema)) return schema
  const printed: Record<string, unknown> = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, splitTypes(value)]))
  const { type } = printed
  const isSplit = Array.isArray(type) && type.filter((each) => each !== 'null').length > 1
  return isSplit ? splitType(printed, type) : printed
}

function splitType(schema: Readonly<Record<string, unknown>>, types: readonly unknown[]): JsonObject {
  const moved = types.flatMap((type) => wordsOfTypes[String(type)] ?? [])
  const entries = Object.entries(schema)
  const branch = (type: unknown) => Object.fromEntries(entries.filter(([name]) => wordsOfTypes[String(type)]?.includes(name)))
  const kept = entries.filter(([name]) => name !== 'type' && !moved.includes(name))
  const [first, ...others] = types.filter((type) => type !== 'null')
  const isNullable = types.includes('null')
  return {
    ...Object.fromEntries(kept),
    anyOf: [{ type: isNullable ? [first, 'null'] : first, ...branch(first) }, ...others.map((type) => ({ type, ...branch(type) }))],
  }
}
