import type { JsonObject } from './types.ts'

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Marks of the definition language that only the engine reads. */
const isMark = (name: string): boolean => name.startsWith('x-')

/**
 * A schema of the definition language as plain JSON Schema (draft 2020-12), which OpenAPI 3.1 uses: without the engine's marks,
 * and with `integer` written out for ids that can exceed a double.
 */
export function printSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(printSchema)
  if (!isObject(schema)) return schema
  const plain = Object.entries(schema).filter(([name, value]) => !isMark(name) && value !== undefined)
  const printed = Object.fromEntries(
    plain.map(([name, value]) => [name, name === 'properties' ? printProperties(value) : printSchema(value)]),
  )
  return schema['x-integer'] === true ? { type: 'integer', ...printed } : printed
}

/** Names of properties are the vendor's: one that starts with `x-` is no mark. */
const printProperties = (properties: unknown): unknown =>
  isObject(properties) ? Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, printSchema(value)])) : properties
