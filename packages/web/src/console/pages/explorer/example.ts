/** Makes examples of parameters from what the definition of an operation says. */
import { isObject, writeJson } from 'ferrule/internal'
import { completeValue, findKind, readProperties, type Schema } from '../../parts/form/schema.ts'

/** Records of an example's page. */
const fewRecords = 10
/** Largest maximum of a page's size; larger bounds are those of other numbers, such as seconds. */
const largestPage = 1_000

const dates: Readonly<Record<string, string>> = { 'date-time': '2025-03-01T00:00:00Z', date: '2025-03-01' }
const startsWithDate = /^\d{4}-\d{2}-\d{2}/

/** Returns the first example that a schema states. */
function readExample({ examples }: Schema): string | undefined {
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined
  return typeof first === 'string' ? first : undefined
}

/** Makes the start of a window of time. */
function makeStart(schema: Schema): string | undefined {
  const { format } = schema
  const example = readExample(schema)
  if (example !== undefined) return startsWithDate.test(example) ? example : undefined
  return typeof format === 'string' ? dates[format] : undefined
}

/** Makes the size of a page. */
function makeSize({ type, minimum, maximum }: Schema): number | undefined {
  const isSize = type === 'integer' && minimum === 1 && typeof maximum === 'number' && maximum <= largestPage
  return isSize ? Math.min(maximum, fewRecords) : undefined
}

const makeChoice = ({ enum: choices }: Schema): unknown => (Array.isArray(choices) ? choices[0] : undefined)

/** Makes a filter in a string. Lists in strings are left out: their examples are ids of accounts, which others do not have. */
const makeFilter = (schema: Schema): string | undefined =>
  ['json-object', 'json-objects'].includes(String(schema['format'])) ? readExample(schema) : undefined

/** Ways to make a value that says something and runs as it stands. Each is used once: the end of a window says less than its start. */
const makers: readonly ((schema: Schema) => unknown)[] = [makeStart, makeFilter, makeChoice, makeSize]

/** Makes the optional parameters that say most. Ids and positions are left out: only the caller knows them. */
function makeOptional(schema: Schema): Schema {
  const properties = readProperties(schema)
  const inner = properties.flatMap(({ name, schema: each, isRequired }) =>
    isRequired && findKind(each) === 'object' ? [[name, makeOptional(each)] as const] : [],
  )
  const own = makers.flatMap((make) => {
    const found = properties.find(({ schema: each, isRequired }) => !isRequired && make(each) !== undefined)
    return found === undefined ? [] : [[found.name, make(found.schema)] as const]
  })
  return Object.fromEntries([...inner, ...own])
}

/** Returns whether every value of an object is empty. */
const isEmpty = (value: Schema): boolean => Object.values(value).every((each) => isObject(each) && isEmpty(each))

/** Returns whether an object has members that callers must give. */
export const hasRequired = (schema: Schema): boolean =>
  readProperties(schema).some(({ schema: each, isRequired }) => isRequired && (findKind(each) !== 'object' || hasRequired(each)))

/** Returns whether there is an example for parameters. */
export const hasExample = (schema: Schema): boolean => hasRequired(schema) || !isEmpty(makeOptional(schema))

/**
 * Makes an example of parameters.
 * @param smallest the smallest call that is complete, as the reference has it
 */
export const makeExample = (schema: Schema, smallest: Schema): Schema =>
  completeValue(schema, hasRequired(schema) ? smallest : makeOptional(schema))

/** Returns whether an example has placeholders, such as `<id>`. */
export const hasPlaceholders = (params: Schema): boolean => /"<[^"<>]+>"/.test(writeJson(params))
