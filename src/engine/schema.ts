/** Validation: a schema compiled once, and every problem with its place and a sentence. */
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { Field, Fields } from '../definition/fields.ts'
import type { Problem } from '../errors.ts'

/**
 * A compiled schema. `problems` returns the problems of a value, none exactly when it is valid; TypeBox stops after eight findings,
 * where all missing names of one object are one. Places are JSON pointers below `base`.
 */
export interface Validator {
  problems(value: unknown, base?: string): Problem[]
  /** Code of the first part marked with `refuse` that the value breaks. */
  refusal(value: unknown): string | undefined
}

interface RawError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

/** An object schema over fields that refuses unknown keys. */
export const objectOf = (fields: Fields): Field => Type.Object(fields, { additionalProperties: false })

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** The schema part that `schemaPath` (`#/properties/a/items`) points at. */
const partAt = (schema: unknown, schemaPath: string): unknown =>
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

const known = (part: unknown): string => {
  const properties = typeof part === 'object' && part !== null ? Reflect.get(part, 'properties') : undefined
  return typeof properties === 'object' && properties !== null ? Object.keys(properties).join(', ') : ''
}

const sentence = (error: RawError, part: unknown): string => {
  const says = typeof part === 'object' && part !== null ? Reflect.get(part, 'x-says') : undefined
  if (typeof says === 'string' && error.keyword !== 'type' && error.keyword !== '~refine') return says
  if (error.keyword === 'enum') return `must be one of: ${list(error.params['allowedValues']).join(', ')}`
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params['allowedValue'])}`
  if (error.keyword === 'format') return formats[String(error.params['format'])] ?? error.message
  return error.message
}
const formats: Readonly<Record<string, string>> = {
  'date-time': 'must be a date-time with an offset, such as 2025-03-01T00:00:00Z',
  date: 'must be a date such as 2025-03-01',
  uuid: 'must be a UUID',
}

const unknownNames = '/additionalProperties'

/**
 * `additionalProperties: false` reports "schema is false" at each unknown name, and then all names together. The second report is
 * dropped: where there are many it is the one that no longer comes.
 */
const isUnknownName = (error: RawError): boolean => error.keyword === 'boolean' && error.schemaPath.endsWith(unknownNames)

const expand = (error: RawError, schema: unknown, base: string): Problem[] => {
  const part = partAt(schema, error.schemaPath)
  const at = base + error.instancePath
  if (error.keyword === 'required')
    return list(error.params['requiredProperties']).map((name) => ({
      field: `${at}/${escapeKey(String(name))}`,
      message: 'is required',
      error_code: 'required',
    }))
  if (isUnknownName(error)) {
    const holder = partAt(schema, error.schemaPath.slice(0, -unknownNames.length))
    return [{ field: at, message: `is not known here; known: ${known(holder) || 'none'}`, error_code: 'unknown' }]
  }
  return [{ field: at, message: sentence(error, part), error_code: error.keyword }]
}

interface Refusal {
  readonly path: string
  readonly code: string
  /** Only a value that is given gets the code. */
  readonly given: boolean
}

const refusalsOf = (schema: unknown, path: string[] = []): Refusal[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const own = Reflect.get(schema, 'x-refuse')
  const properties: unknown = Reflect.get(schema, 'properties')
  const inner =
    typeof properties === 'object' && properties !== null
      ? Object.entries(properties).flatMap(([key, part]) => refusalsOf(part, [...path, escapeKey(key)]))
      : []
  if (typeof own !== 'string') return inner
  const given = Reflect.get(schema, 'x-refuse-given') === true
  return [{ path: path.map((step) => `/${step}`).join(''), code: own, given }, ...inner]
}

/** Compiles a schema. Compiling costs about 0.1 ms; keep the result. */
export function compileSchema(schema: Field): Validator {
  const compiled = Compile(schema)
  const refusals = refusalsOf(schema)
  const problems = (value: unknown, base = ''): Problem[] => {
    if (compiled.Check(value)) return []
    const found = compiled.Errors(value) as readonly RawError[] // the union of keywords is wider than what we read
    // Of a value with several forms only the sentence for all of them is told.
    const forms = found.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath)
    const isOfForm = ({ keyword, instancePath }: RawError) =>
      keyword !== 'anyOf' && forms.some((form) => instancePath === form || instancePath.startsWith(`${form}/`))
    const told = found
      .filter((error) => error.keyword !== 'additionalProperties' && !isOfForm(error))
      .flatMap((error) => expand(error, schema, base))
    return told.length > 0 ? told : [{ field: base, message: 'is not valid', error_code: 'invalid' }]
  }
  const refusal = (value: unknown): string | undefined => {
    if (refusals.length === 0) return undefined
    const found = problems(value)
    const isOf = ({ path, given }: Refusal, { field, error_code }: Problem): boolean => {
      if (field === path) return !(given && error_code === 'required')
      return field.startsWith(`${path}/`) || path.startsWith(`${field}/`)
    }
    return refusals.find((refusal) => found.some((problem) => isOf(refusal, problem)))?.code
  }
  return { problems, refusal }
}

const compiledSchemas = new WeakMap<object, Validator>()

/** The compiled form of an object over these fields; compiled on first use, then kept as long as the fields are. */
export function validatorOf(fields: Fields): Validator {
  const kept = compiledSchemas.get(fields)
  if (kept !== undefined) return kept
  const made = compileSchema(objectOf(fields))
  compiledSchemas.set(fields, made)
  return made
}
