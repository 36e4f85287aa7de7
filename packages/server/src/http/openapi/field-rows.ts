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

/** Links to the section of a named schema, in Markdown. */
export const printRecordLink = (name: string): string => `[${name}](#${name.toLowerCase()})`

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])

const listAlternatives = (schema: JsonObject): readonly JsonObject[] =>
  [schema['anyOf'], schema['oneOf']].flatMap((each) => (Array.isArray(each) ? each.filter(isObject) : []))

/** Formats the types that a value can have, each once. */
function formatAlternatives(alternatives: readonly JsonObject[]): string {
  const types = [...new Set(alternatives.map(formatType))]
  const named = types.filter((type) => type !== 'null').join(' or ')
  return types.includes('null') ? `${named}, or null` : named
}

function formatType(schema: JsonObject): string {
  const { $ref: reference } = schema
  if (typeof reference === 'string') return printRecordLink(reference.split('/').at(-1) ?? '')
  if (schema['x-integer'] === true) return 'integer'
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' or ')
  const alternatives = listAlternatives(schema)
  if (alternatives.length > 0) return formatAlternatives(alternatives)
  const types = texts(schema['type'])
  if (types.length === 1 && types[0] === 'null') return 'null'
  const nullable = types.includes('null') ? ', or null' : ''
  const type = types.filter((each) => each !== 'null').join(' or ') || 'any'
  const items = isObject(schema['items']) ? ` of ${formatType(schema['items'])}` : ''
  const format = typeof schema['format'] === 'string' ? ` (${schema['format']})` : ''
  return `${type}${items}${format}${nullable}`
}

function below(schema: JsonObject, path: string): FieldRow[] {
  if (isObject(schema['properties'])) return fieldRows(schema, `${path}.`)
  if (isObject(schema['items'])) return below(schema['items'], `${path}[]`)
  return listAlternatives(schema).flatMap((each) => below(each, path))
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
