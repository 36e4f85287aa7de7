/** Schemas as documents: plain JSON Schema (draft 2020-12) of what a definition says, for OpenAPI, catalogues and reference pages. */
import Type from 'typebox'
import type { Field, Fields } from './fields.ts'

/** A plain JSON Schema object. */
export type JsonSchema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const own = Object.entries(value).filter(([key]) => !key.startsWith('x-') && !key.startsWith('~'))
  const integer = value['x-integer'] === true ? [['type', 'integer'] as const] : []
  return Object.fromEntries([...own.map(([key, inner]) => [key, plain(inner)] as const), ...integer])
}

/** The plain JSON Schema of a field: our own marks (`x-…`) are left out, exact integers are `integer` with format `int64`. */
export const jsonSchemaOf = (field: Field): JsonSchema => {
  const schema = plain(field)
  return isObject(schema) ? schema : {}
}

/**
 * The plain JSON Schema of an object over fields.
 * @param additional whether further keys may be there: records keep what the vendor adds, parameters refuse it
 */
export const objectSchemaOf = (fields: Fields, { additional }: { readonly additional: boolean }): JsonSchema =>
  jsonSchemaOf(Type.Object(fields, { additionalProperties: additional }))

/** A type of the documents: `string`, `integer`, `number`, `boolean`, `array`, `object`. */
const typesOf = (field: Field): readonly string[] => {
  if (Reflect.get(field, 'x-integer') === true) return ['integer']
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
