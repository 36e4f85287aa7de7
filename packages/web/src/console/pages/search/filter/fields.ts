/** The fields that a filter can name, from the schema of an entity. */
import { isObject, type SearchFieldType } from 'ferrule/internal'
import type { DefinitionReference } from 'ferrule/wire'
import { readProperties, readTypes, type Schema } from '../../../parts/form/schema.ts'

/** How the fields of an entity are searched, from the reference of its kind. */
export type DescribedFields = DefinitionReference['searches'][number]['fields']

/** What the fields of an entity refer to, from the reference of its kind. */
export type DescribedReferences = DefinitionReference['searches'][number]['references']

/** A path that a filter can name. */
export interface FilterField {
  /** Such as `settings.emailsImported`; a path through an array names its elements. */
  readonly path: string
  readonly type: SearchFieldType
  /** How values compare; `instant`: dates and timestamps, `decimal`: texts that are numbers. */
  readonly compares: DescribedFields[number]['compares']
  /** Values that the vendor is known to send. */
  readonly choices: readonly string[]
  readonly about: string
  /** Schema of the elements of an array; undefined: it is no array. */
  readonly elements?: Schema
}

/** Levels of objects and arrays below a field that are offered; deeper paths are typed. */
const deepest = 5

const typeNames: Readonly<Record<string, SearchFieldType>> = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
}

/** Finds the type of a schema's values; `any`: several, or none is said. */
export function findType(schema: Schema): SearchFieldType {
  const types = readTypes(schema)
  const [only = ''] = types
  return types.length === 1 ? (typeNames[only] ?? 'any') : 'any'
}

const readStrings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

const readItems = ({ items }: Schema): Schema => (isObject(items) ? items : {})

function listBelow(path: string, schema: Schema, depth: number): readonly FilterField[] {
  const holder = findType(schema) === 'array' ? readItems(schema) : schema
  if (depth >= deepest) return []
  return readProperties(holder).flatMap(({ name, schema: inner }) => listField(`${path}.${name}`, inner, depth + 1))
}

function listField(path: string, schema: Schema, depth: number): readonly FilterField[] {
  const type = findType(schema)
  const value = type === 'array' ? readItems(schema) : schema
  const field: FilterField = {
    path,
    type,
    compares: ['date', 'date-time'].includes(String(value['format'])) ? 'instant' : 'text',
    choices: [...readStrings(value['enum']), ...readStrings(value['x-known-values'])],
    about: typeof schema['description'] === 'string' ? schema['description'] : '',
    ...(type === 'array' ? { elements: value } : {}),
  }
  return [field, ...listBelow(path, schema, depth)]
}

/** Lists the paths of a schema: its fields, and what lies below them. @param schema of the searchable fields, or of an element */
export const listFields = (schema: Schema): readonly FilterField[] =>
  readProperties(schema).flatMap(({ name, schema: inner }) => listField(name, inner, 1))

/** Adds what the reference knows of fields: a vendor's schema rarely says which texts are times or numbers. */
export function describeFields(fields: readonly FilterField[], described: DescribedFields): readonly FilterField[] {
  const known = new Map(described.map(({ field, compares }) => [field, compares]))
  return fields.map((field) => ({ ...field, compares: known.get(field.path) ?? field.compares }))
}
