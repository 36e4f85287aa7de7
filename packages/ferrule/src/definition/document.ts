/** Converts the schemas of definitions to plain JSON Schema (draft 2020-12) for OpenAPI, catalogues and reference pages. */
import * as Type from 'typebox'
import type { Field, Fields } from './fields.ts'
import { isObject } from './object.ts'

/** Returns the type of an integer beyond the range of a double. The schema lacks it, because the engine checks such integers itself. */
const readExactType = (schema: Record<string, unknown>): readonly (readonly [string, unknown])[] =>
  schema['x-integer'] === true ? [['type', schema['x-nullable'] === true ? ['integer', 'null'] : 'integer']] : []

/** Builds an object schema over fields. The schema refuses unknown keys. */
export const buildObjectSchema = (fields: Fields): Field => Type.Object(fields, { additionalProperties: false })

/** Converts the schemas of properties. Property names are the vendor's: a name that starts with `x-` is no mark here. */
const toPlainProperties = (properties: unknown): unknown =>
  isObject(properties) ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toPlainSchema(schema)])) : properties

/**
 * Marks that documents show. Known values are no `enum`, because vendors add values and answers contain them. `x-find` states where people
 * find the value.
 */
const shownMarks: readonly string[] = ['x-known-values', 'x-find']

/**
 * Converts a schema of the definition language to plain JSON Schema. Removes the engine's own marks and adds the type of exact integers.
 */
export function toPlainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toPlainSchema)
  if (!isObject(schema)) return schema
  const isShown = (name: string): boolean => shownMarks.includes(name) || !(name.startsWith('x-') || name.startsWith('~'))
  const shown = Object.entries(schema).filter(([name, value]) => isShown(name) && value !== undefined)
  const printed = shown.map(([name, value]) => [name, name === 'properties' ? toPlainProperties(value) : toPlainSchema(value)] as const)
  return Object.fromEntries([...readExactType(schema), ...printed])
}

/** Reads the JSON types of a field, `null` included. */
const readTypes = (field: Field): readonly string[] => {
  if (Reflect.get(field, 'x-integer') === true) return Reflect.get(field, 'x-nullable') === true ? ['integer', 'null'] : ['integer']
  const type: unknown = Reflect.get(field, 'type')
  return Array.isArray(type) ? type.map(String) : [String(type)]
}

/** Formats the type as the documents write it: the name, with `?` if the value can be null. */
export const formatDocumentedType = (field: Field): string => {
  const documented: unknown = Reflect.get(field, 'x-documented')
  if (typeof documented === 'string') return documented
  const types = readTypes(field)
  return `${types.find((type) => type !== 'null') ?? 'any'}${types.includes('null') ? '?' : ''}`
}

/** Formats the type without its nullability. */
export const formatPlainType = (field: Field): string => formatDocumentedType(field).replace('?', '')

/** Reads the schemas below a field: the properties of an object, and the items of an array. */
export const readInnerFields = (field: Field): { readonly properties: Fields; readonly items: Field | undefined } => {
  const properties: unknown = Reflect.get(field, 'properties')
  const items: unknown = Reflect.get(field, 'items')
  return { properties: isObject(properties) ? (properties as Fields) : {}, items: isObject(items) ? (items as Field) : undefined }
}

/** Returns whether a parameter can be omitted. */
export const isOptional = (fields: Fields, name: string): boolean => {
  const required: unknown = Reflect.get(Type.Object(fields), 'required')
  return !Array.isArray(required) || !required.includes(name)
}

/** Finds the field at a dotted path (`filter.callIds`) of nested objects; undefined if it does not exist. */
export const findField = (fields: Fields, path: string): Field | undefined => {
  const [first = '', ...rest] = path.split('.')
  const field = fields[first]
  return field === undefined || rest.length === 0 ? field : findField(readInnerFields(field).properties, rest.join('.'))
}
