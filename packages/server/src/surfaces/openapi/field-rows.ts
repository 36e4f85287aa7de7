import { isObject } from 'ferrule/internal'
import type { JsonObject } from './types.ts'

/** One field of a schema, for a table. */
export interface FieldRow {
  /** Dotted, `[]` for the elements of an array. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly about: string
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])

function formatType(schema: JsonObject): string {
  if (schema['x-integer'] === true) return 'integer'
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' or ')
  const nullable = texts(schema['type']).includes('null') ? ', or null' : ''
  const [type = 'any'] = texts(schema['type'])
  const items = isObject(schema['items']) ? ` of ${formatType(schema['items'])}` : ''
  const format = typeof schema['format'] === 'string' ? ` (${schema['format']})` : ''
  return `${type}${items}${format}${nullable}`
}

function below(schema: JsonObject, path: string): FieldRow[] {
  if (isObject(schema['properties'])) return fieldRows(schema, `${path}.`)
  return isObject(schema['items']) ? below(schema['items'], `${path}[]`) : []
}

/** All fields of an object schema, outer ones before the fields within them. */
export function fieldRows(schema: unknown, prefix = ''): FieldRow[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return []
  const required = texts(schema['required'])
  return Object.entries(schema['properties']).flatMap(([name, part]) => {
    if (!isObject(part)) return []
    const path = prefix + name
    const deprecated = part['deprecated'] === true ? ' (deprecated)' : ''
    const about = `${typeof part['description'] === 'string' ? part['description'] : ''}${deprecated}`
    return [{ path, type: formatType(part), required: required.includes(name), about }, ...below(part, path)]
  })
}
