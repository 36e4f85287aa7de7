/** Converts the schemas of definitions to plain JSON Schema (draft 2020-12) for OpenAPI, catalogues and reference pages. */
import { type Field, type Fields, listRequired, splitSteps } from './fields.ts'
import { isObject } from './object.ts'

/** Builds an object schema over fields. The schema refuses unknown keys. */
export const buildObjectSchema = (fields: Fields): Field => ({
  type: 'object',
  ...listRequired(fields),
  properties: fields,
  additionalProperties: false,
})

/** Converts the schemas of properties. Property names are the vendor's: a name that starts with `x-` is no mark here. */
const toPlainProperties = (properties: unknown): unknown =>
  isObject(properties) ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, toPlainSchema(schema)])) : properties

/**
 * Marks that documents show. Known values are no `enum`, because vendors add values and answers contain them. `x-find` states where people
 * find the value.
 */
const shownMarks: readonly string[] = ['x-known-values', 'x-find']

/** Converts a schema of the definition language to plain JSON Schema: removes the engine's own marks. */
export function toPlainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toPlainSchema)
  if (!isObject(schema)) return schema
  const isShown = (name: string): boolean => shownMarks.includes(name) || !name.startsWith('x-')
  const shown = Object.entries(schema).filter(([name, value]) => isShown(name) && value !== undefined)
  const printed = shown.map(([name, value]) => [name, name === 'properties' ? toPlainProperties(value) : toPlainSchema(value)] as const)
  return Object.fromEntries(printed)
}

/** Formats the type as the documents write it: the name, with `?` if the value can be null. */
export const formatDocumentedType = ({ type = 'any', 'x-documented': documented }: Field): string => {
  if (documented !== undefined) return documented
  const types = [type].flat()
  return `${types.find((each) => each !== 'null') ?? 'any'}${types.includes('null') ? '?' : ''}`
}

/** Formats the type without its nullability. */
export const formatPlainType = (field: Field): string => formatDocumentedType(field).replace('?', '')

/** Finds the field at a dotted path (`filter.callIds`) of nested objects; undefined if it does not exist. */
export const findField = (fields: Fields, path: string): Field | undefined => {
  const [first = '', ...rest] = splitSteps(path)
  return rest.reduce<Field | undefined>((field, step) => field?.properties?.[step], fields[first])
}

/**
 * How two strings compare: by code points, as timestamps, or as decimal numbers if both are. `lower` tests equality in lower case and
 * orders by code points.
 */
export type Comparison = 'text' | 'instant' | 'decimal' | 'lower'

/** Reads how values of a schema compare: from the mark `x-compare`, else from the format. */
export const readComparison = (schema: Field): Comparison => {
  const { 'x-compare': mark, 'x-known-values': known, format } = schema
  if (mark !== undefined) return mark
  if (known !== undefined) return 'lower'
  return format === 'date-time' || format === 'date' ? 'instant' : 'text'
}
