/** Schemas of arguments, as the types of frameworks want them. */
import type { JsonSchema } from '../agent/index.ts'
import { isObject } from '../definition/object.ts'

/** A JSON Schema of an object, with the members that frameworks ask for by type. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Record<string, Record<string, unknown>>
  readonly required: string[]
}

/**
 * Copies the members of a tool's schema, because frameworks write into what they get.
 * @param schema schema of a tool's arguments: an object at its root
 */
export function toObjectSchema({ properties, required }: JsonSchema): ObjectSchema {
  const entries = Object.entries(isObject(properties) ? structuredClone(properties) : {}).filter(
    (entry): entry is [string, Record<string, unknown>] => isObject(entry[1]),
  )
  return { type: 'object', properties: Object.fromEntries(entries), required: Array.isArray(required) ? required.map(String) : [] }
}
