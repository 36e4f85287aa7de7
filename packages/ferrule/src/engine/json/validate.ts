/** Validates values by compiled schemas. Every problem has its field and a sentence. */
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Check, Errors } from 'typebox/value'
import { type Field, type Fields, isExactInteger } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'
import { buildObjectSchema } from '../../definition/plain-schema.ts'
import type { Problem } from '../../errors.ts'
import { tryReadJson, writeJson } from '../../values/json/json.ts'
import { pointTo } from '../../values/json/pointer.ts'

type Values = Readonly<Record<string, unknown>>

/** Writes a `Date` as ISO 8601. An invalid `Date` becomes a string that no format accepts. */
const writeDate = (value: unknown): unknown => {
  if (!(value instanceof Date)) return value
  return Number.isNaN(value.getTime()) ? String(value) : value.toISOString()
}

const dayOnly = /^\d{4}-\d{2}-\d{2}$/
const startOfDay = /^(\d{4}-\d{2}-\d{2})T00:00:00(?:\.0{1,9})?Z$/

/** Converts a date to the text of the field. A day as a timestamp is its start in UTC, and only such a timestamp is a day. */
export function convertDate(field: Field, value: unknown): unknown {
  const text = writeDate(value)
  if (typeof text !== 'string') return text
  const { format } = field
  if (format === 'date') return startOfDay.exec(text)?.[1] ?? text
  return format === 'date-time' && dayOnly.test(text) ? `${text}T00:00:00Z` : text
}

/** Writes a list as JSON text. An element that is no string becomes null, which the check of the field refuses. */
const writeList = (value: unknown): unknown =>
  Array.isArray(value) ? JSON.stringify(Array.from(value, (element: unknown) => (typeof element === 'string' ? element : null))) : value

const writeFilter = (value: unknown): unknown => (typeof value === 'object' && value !== null ? writeJson(value) : value)

const isSmall = (field: Field): boolean => field.type === 'integer' && !isExactInteger(field)

/** Converts a string of digits to an integer. Other strings stay, and validation refuses them. */
export const convertDigits = (field: Field, value: unknown): unknown => {
  const integer = typeof value === 'string' ? parseInteger(value) : null
  return integer === null || (isSmall(field) && typeof integer === 'bigint') ? value : integer
}

/** Finds how the values of a field are converted; undefined if they stay. */
function findConversion(field: Field): ((field: Field, value: unknown) => unknown) | undefined {
  if (isSmall(field) || isExactInteger(field)) return convertDigits
  if (field['x-date']) return convertDate
  const { format } = field
  if (format === 'json-object' || format === 'json-objects') return (_field, value) => writeFilter(value)
  return format === 'json-array' ? (_field, value) => writeList(value) : undefined
}

const isConvertible = (field: Field): boolean => {
  const { properties = {}, items } = field
  return findConversion(field) !== undefined || [...Object.values(properties), ...(items === undefined ? [] : [items])].some(isConvertible)
}

/** Finds the fields that have several forms, or contain fields that have. */
export const findConvertible = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]: [string, Field]) => isConvertible(field)))

const convertOne = (field: Field, value: unknown): unknown => {
  const convert = findConversion(field)
  if (convert !== undefined) return convert(field, value)
  const { properties = {}, items } = field
  if (Array.isArray(value) && items !== undefined) return value.map((element) => convertOne(items, element))
  return isObject(value) ? convertForms(properties, value) : value
}

/**
 * Converts values to the form of their fields. Ids may be strings of digits, because callers may know them as strings. A string that is JSON
 * text to the vendor may be a list. Days and timestamps may be of the type `Date`.
 */
export function convertForms(fields: Fields, values: Values): Values {
  let converted = values
  for (const [name, field] of Object.entries(fields) as [string, Field][]) {
    if (!Object.hasOwn(values, name)) continue
    const value = convertOne(field, values[name])
    if (value !== values[name]) converted = { ...converted, [name]: value }
  }
  return converted
}

/** Integers in strings. */

/** Parses a decimal string without a fraction to an integer with all its digits; null for any other string. */
export const parseInteger = (text: string): number | bigint | null => {
  if (!/^-?\d{1,30}$/.test(text)) return null
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

/** Parses a decimal string to a double; null for another string, and for a number beyond a double. */
export const parseDecimal = (text: string): number | null => {
  const value = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : null
}

/**
 * Parses a timestamp (ISO 8601) to milliseconds since 1970; NaN for anything else. `Date.parse` refuses leap seconds (`23:59:60Z`, which
 * RFC 3339 allows): they count as the next second, as in POSIX time.
 */
export function parseTimestamp(value: unknown): number {
  const text = String(value)
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59')) + 1000 : milliseconds
}

/**
 * A compiled schema. `problems` is empty exactly for a valid value. TypeBox stops after eight findings; all missing names of one object
 * count as one. Fields are JSON pointers below `base`.
 */
export interface Validator {
  problems(value: unknown, base?: string): Problem[]
  /** Returns the code of the first broken schema that `refuse` marks; undefined without one. */
  refusal(value: unknown): string | undefined
}

interface RawError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Finds the inner schema at a `schemaPath` (`#/properties/a/items`). */
const findSchemaPart = (schema: unknown, schemaPath: string): unknown =>
  schemaPath
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (part, step) =>
        typeof part === 'object' && part !== null
          ? Reflect.get(part, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
          : undefined,
      schema,
    )

const listKnownNames = (part: unknown): string => {
  const properties = typeof part === 'object' && part !== null ? Reflect.get(part, 'properties') : undefined
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).join(', ') : ''
}

const describeError = (error: RawError, part: unknown): string => {
  const says = typeof part === 'object' && part !== null ? Reflect.get(part, 'x-says') : undefined
  if (typeof says === 'string' && error.keyword !== 'type' && error.keyword !== '~refine') return says
  if (error.keyword === 'enum') return `must be one of: ${list(error.params['allowedValues']).join(', ')}`
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params['allowedValue'])}`
  if (error.keyword === 'format') return formats[String(error.params['format'])] ?? error.message
  return sentences[error.keyword]?.(error.params) ?? error.message
}

/** Adds the article of a type: `string` → `a string`. */
const addArticle = (type: unknown): string => (type === 'null' ? 'null' : `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`)
const count = (limit: unknown, thing: string): string => `${String(limit)} ${thing}${limit === 1 ? '' : 's'}`
const sentences: Readonly<Record<string, (params: RawError['params']) => string>> = {
  type: ({ type }) => `must be ${(Array.isArray(type) ? type : [type]).map(addArticle).join(' or ')}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: ({ limit }) => `must have at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
}
const formats: Readonly<Record<string, string>> = {
  'date-time': 'must be a date-time with an offset, such as 2025-03-01T00:00:00Z',
  date: 'must be a date such as 2025-03-01',
  uuid: 'must be a UUID',
}

const unknownNames = '/additionalProperties'

/**
 * Returns whether an error names one unknown key. TypeBox reports each unknown key, then all keys together; the second report is dropped,
 * because it is missing if there are many.
 */
const isUnknownName = (error: RawError): boolean => error.keyword === 'boolean' && error.schemaPath.endsWith(unknownNames)

const expand = (error: RawError, schema: unknown, base: string): Problem[] => {
  const part = findSchemaPart(schema, error.schemaPath)
  const at = base + error.instancePath
  if (error.keyword === 'required')
    return list(error.params['requiredProperties']).map((name) => ({
      field: pointTo(at, String(name)),
      message: 'is required',
      error_code: 'required',
    }))
  if (isUnknownName(error)) {
    const holder = findSchemaPart(schema, error.schemaPath.slice(0, -unknownNames.length))
    return [{ field: at, message: `is not known here; known: ${listKnownNames(holder) || 'none'}`, error_code: 'unknown' }]
  }
  return [{ field: at, message: describeError(error, part), error_code: error.keyword }]
}

interface Refusal {
  readonly path: string
  readonly code: string
  /** True if only a given value gets the code. */
  readonly given: boolean
}

const listRefusals = ({ 'x-refuse': code, 'x-refuse-given': given, properties = {} }: Field, path = ''): Refusal[] => {
  const inner = Object.entries(properties).flatMap(([name, part]) => listRefusals(part, pointTo(path, name)))
  return code === undefined ? inner : [{ path, code, given: given === true }, ...inner]
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
const isExact = (value: unknown): boolean => typeof value === 'bigint' || Number.isSafeInteger(value)

/** A check that JSON Schema has no word for. */
interface Extra {
  readonly accepts: (value: unknown, field: Field) => boolean
  readonly says: (field: Field) => string
}
const ofText =
  (accepts: (text: string) => boolean): Extra['accepts'] =>
  (value) =>
    typeof value !== 'string' || accepts(value)
const firstExample = ({ examples = [] }: Field): string => String(examples[0])

/** Checks by the format or mark of a field. */
const extras: Readonly<Record<string, Extra>> = {
  exact: {
    accepts: (value, { type }) => isExact(value) || (value === null && type !== 'integer'),
    says: ({ type }) => (type === 'integer' ? 'must be an integer' : 'must be an integer or null'),
  },
  'json-array': {
    accepts: ofText((text) => isTexts(tryReadJson(text))),
    says: () => 'must be a list of strings, or a string that holds a JSON array of strings, such as ["a","b"]',
  },
  'json-object': {
    accepts: ofText((text) => isObject(tryReadJson(text))),
    says: (field) => `must be a JSON object in a string, such as ${firstExample(field)}`,
  },
  'json-objects': {
    accepts: ofText((text) => {
      const value = tryReadJson(text)
      return Array.isArray(value) && value.every(isObject)
    }),
    says: (field) => `must be a JSON list of objects in a string, such as ${firstExample(field)}`,
  },
  'well-formed': { accepts: ofText((text) => text.isWellFormed()), says: () => 'must not hold half of a surrogate pair' },
}

/** Makes a schema for TypeBox, with the checks that JSON Schema has no word for. */
function toChecked(field: Field): Type.TSchema {
  const { format = '', type, properties, items, anyOf, ...rest } = field
  const schema = {
    ...rest,
    // TypeBox knows no bigint.
    ...(isExactInteger(field) ? {} : { type, format: format || undefined }),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, toChecked(inner)])) }),
    ...(items && { items: toChecked(items) }),
    ...(anyOf && { anyOf: anyOf.map(toChecked) }),
  }
  const extra = extras[field['x-well-formed'] ? 'well-formed' : isExactInteger(field) ? 'exact' : format]
  const made = Type.Unsafe(Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined)))
  return extra === undefined
    ? made
    : Type.Refine(
        made,
        (value) => extra.accepts(value, field),
        () => extra.says(field),
      )
}

interface Checker {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly unknown[]
}

/** Makes what checks values: code, or for schemas of strangers a walk over the schema, so that nothing of theirs becomes code. */
const makeChecker = (schema: Type.TSchema, isForeign: boolean): Checker =>
  isForeign ? { Check: (value) => Check(schema, value), Errors: (value) => Errors(schema, value) } : Compile(schema)

/** Compiles a schema in about 0.1 ms; keep the result. @param isForeign whether a stranger wrote it */
export function compileSchema(field: Field, isForeign = false): Validator {
  const schema = toChecked(field)
  const compiled = makeChecker(schema, isForeign)
  const refusals = listRefusals(field)
  const problems = (value: unknown, base = ''): Problem[] => {
    if (compiled.Check(value)) return []
    const found = compiled.Errors(value) as readonly RawError[] // the union of keywords is wider than what we read
    // A value with several forms is reported once, by the sentence for all forms.
    const forms = found.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath)
    const isOfForm = ({ keyword, instancePath }: RawError) =>
      keyword !== 'anyOf' && forms.some((form) => instancePath === form || instancePath.startsWith(`${form}/`))
    const told = found
      .filter((error) => error.keyword !== 'additionalProperties' && !isOfForm(error))
      .flatMap((error) => expand(error, schema, base))
      // One sentence may stand for several rules of a value.
      .filter(({ field, message }, index, all) => all.findIndex((other) => other.field === field && other.message === message) === index)
    return told.length > 0 ? told : [{ field: base, message: 'is not valid', error_code: 'invalid' }]
  }
  const refusal = (value: unknown): string | undefined => {
    if (refusals.length === 0) return undefined
    const found = problems(value)
    const breaks = ({ path, given }: Refusal, { field, error_code }: Problem): boolean => {
      if (field === path) return !(given && error_code === 'required')
      return field.startsWith(`${path}/`) || path.startsWith(`${field}/`)
    }
    return refusals.find((refusal) => found.some((problem) => breaks(refusal, problem)))?.code
  }
  return { problems, refusal }
}

const compiledSchemas = new WeakMap<object, Validator>()

/** Compiles an object schema over fields on first use, and keeps it as long as the fields live. @param isForeign as for `compileSchema` */
export function compileFields(fields: Fields, isForeign = false): Validator {
  const kept = compiledSchemas.get(fields)
  if (kept !== undefined) return kept
  const made = compileSchema(buildObjectSchema(fields), isForeign)
  compiledSchemas.set(fields, made)
  return made
}
