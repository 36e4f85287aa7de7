/** Builds examples of values and of calls from the schemas of definitions. */
import { isObject } from '../definition/object.ts'
import type { Schema } from './kind-document.ts'

/** An example of a call. */
export interface CallExample {
  readonly summary: string
  /** Body of `execute`. */
  readonly value: { readonly entity: string; readonly action: string; readonly params?: Schema }
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2025-03-01T00:00:00Z',
  date: '2025-03-01',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** Examples for a string with a pattern; the first match is used. */
const candidates = [...Object.values(formats), 'bytes=0-1023', '1', 'example']

function textExample(schema: Schema, name: string): string {
  const { format, pattern } = schema
  const placeholder = `<${name}>`
  const known = typeof format === 'string' ? formats[format] : undefined
  if (known !== undefined || typeof pattern !== 'string') return known ?? placeholder
  const matcher = new RegExp(pattern)
  return [placeholder, ...candidates].find((candidate) => matcher.test(candidate)) ?? placeholder
}

/** Values of the required members only: the smallest call that is complete. */
function objectExample(schema: Schema): Schema {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  return Object.fromEntries(required.map((name) => [name, buildExample(properties[name], name)]))
}

/** Builds an example of a schema's values. @param name placeholder in angle brackets, where only the caller knows the value */
export function buildExample(schema: unknown, name: string): unknown {
  if (!isObject(schema)) return null
  if (Array.isArray(schema['examples'])) return schema['examples'][0]
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (type === 'object') return objectExample(schema)
  if (type === 'array') return typeof schema['minItems'] === 'number' ? [buildExample(schema['items'], name)] : []
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1
  return textExample(schema, name)
}
