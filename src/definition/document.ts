/** Schemas as documents: plain JSON Schema (draft 2020-12) of what a definition says, for OpenAPI, catalogues and reference pages. */
import Type from 'typebox'
import type { Field, Fields } from './fields.ts'
import { isObject } from './object.ts'

/** The type of an integer that can exceed a double: the engine checks it itself, so it is not in the schema. */
const exactType = (schema: Record<string, unknown>): readonly (readonly [string, unknown])[] =>
  schema['x-integer'] === true ? [['type', schema['x-nullable'] === true ? ['integer', 'null'] : 'integer']] : []

/** Names of properties are the vendor's: one that starts with `x-` is no mark. */
const plainProperties = (properties: unknown): unknown =>
  isObject(properties) ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plainSchema(schema)])) : properties

/** Marks that are shown: known values are no `enum`, because vendors add some and answers have those too. */
const shownMarks: readonly string[] = ['x-known-values']

/**
 * A schema of the definition language as plain JSON Schema, as OpenAPI 3.1 and catalogues show it: without the marks that only
 * the engine reads, and with the type of exact integers written out.
 */
export function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema)
  if (!isObject(schema)) return schema
  const isShown = (name: string): boolean => shownMarks.includes(name) || !(name.startsWith('x-') || name.startsWith('~'))
  const shown = Object.entries(schema).filter(([name, value]) => isShown(name) && value !== undefined)
  const printed = shown.map(([name, value]) => [name, name === 'properties' ? plainProperties(value) : plainSchema(value)] as const)
  return Object.fromEntries([...exactType(schema), ...printed])
}

/** A type of the documents: `string`, `integer`, `number`, `boolean`, `array`, `object`. */
const typesOf = (field: Field): readonly string[] => {
  if (Reflect.get(field, 'x-integer') === true) return Reflect.get(field, 'x-nullable') === true ? ['integer', 'null'] : ['integer']
  const type: unknown = Reflect.get(field, 'type')
  return Array.isArray(type) ? type.map(String) : [String(type)]
}

/** The type as the documents write it: the name, with `?` when it can be null. */
export const documentedType = (field: Field): string => {
  const documented: unknown = Reflect.get(field, 'x-documented')
  if (typeof documented === 'string') return documented
  const types = typesOf(field)
  return `${types.find((type) => type !== 'null') ?? 'any'}${types.includes('null') ? '?' : ''}`
}

/** The type without its nullability. */
export const plainType = (field: Field): string => documentedType(field).replace('?', '')

/** The schemas below a field: properties of an object, and the items of an array. */
export const partsOf = (field: Field): { readonly properties: Fields; readonly items: Field | undefined } => {
  const properties: unknown = Reflect.get(field, 'properties')
  const items: unknown = Reflect.get(field, 'items')
  return { properties: isObject(properties) ? (properties as Fields) : {}, items: isObject(items) ? (items as Field) : undefined }
}

/** Whether a parameter may be left out. */
export const isOptional = (fields: Fields, name: string): boolean => {
  const required: unknown = Reflect.get(Type.Object(fields), 'required')
  return !Array.isArray(required) || !required.includes(name)
}

/** The field at a dotted path (`filter.callIds`) of nested objects. */
export const fieldAt = (fields: Fields, path: string): Field | undefined => {
  const [first = '', ...rest] = path.split('.')
  const field = fields[first]
  return field === undefined || rest.length === 0 ? field : fieldAt(partsOf(field).properties, rest.join('.'))
}
