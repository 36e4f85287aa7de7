/** Reads JSON Schemas as forms show them, and what fields of text mean: numbers with every digit, and times in the zone of the reader. */
import { isObject } from 'ferrule/internal'

/** A JSON Schema, as the service prints it. */
export type Schema = Readonly<Record<string, unknown>>

/** How a value is entered. */
export type FieldKind =
  | 'fixed'
  | 'choice'
  | 'boolean'
  | 'secret'
  | 'secretLines'
  | 'date'
  | 'dateTime'
  | 'integer'
  | 'number'
  | 'text'
  | 'lines'
  | 'list'
  | 'objects'
  | 'object'
  | 'json'

/** A property of an object schema. */
export interface Property {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** Examples of this length and more are statements or texts: they get a field of several lines. */
const longExampleCharacters = 24

/** Reads the types that a schema allows, without null; none: any. */
export function readTypes(schema: Schema): readonly string[] {
  const { type } = schema
  return (Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)]).filter((each) => each !== 'null')
}

/** Finds the schema of a list in a schema: its own, or that of a branch that takes one value or many. */
function findListSchema(schema: Schema): Schema | undefined {
  if (readTypes(schema)[0] === 'array') return schema
  const branches = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? []
  return branches.filter(isObject).find((branch) => readTypes(branch)[0] === 'array')
}

/** Returns the schema of the items of a list. */
export function readItems(schema: Schema): Schema {
  const items = findListSchema(schema)?.['items']
  return isObject(items) ? items : { type: 'string' }
}

/** Lists the properties of an object schema, the required ones first. */
export function readProperties(schema: Schema): readonly Property[] {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const read = properties.flatMap(([name, each]) => (isObject(each) ? [{ name, schema: each, isRequired: required.includes(name) }] : []))
  return [...read.filter(({ isRequired }) => isRequired), ...read.filter(({ isRequired }) => !isRequired)]
}

const hasLongExample = ({ examples }: Schema): boolean =>
  Array.isArray(examples) && examples.some((each) => String(each).length >= longExampleCharacters && String(each).includes(' '))
const isSecret = ({ writeOnly }: Schema): boolean => writeOnly === true
const isList = (schema: Schema): boolean => findListSchema(schema) !== undefined || schema['format'] === 'json-array'
const hasType = (type: string) => (schema: Schema) => readTypes(schema).length === 1 && readTypes(schema)[0] === type

/** Kinds of fields; the first that fits a schema is taken. */
const rules: readonly (readonly [kind: FieldKind, fits: (schema: Schema) => boolean])[] = [
  ['fixed', (schema) => 'const' in schema],
  ['choice', (schema) => Array.isArray(schema['enum'])],
  ['objects', (schema) => isList(schema) && readProperties(readItems(schema)).length > 0],
  ['list', isList],
  ['boolean', hasType('boolean')],
  // A key in PEM has lines, which a field of one line would lose.
  ['secretLines', (schema) => isSecret(schema) && /\bPEM\b/.test(String(schema['description']))],
  ['secret', isSecret],
  ['date', ({ format }) => format === 'date'],
  ['dateTime', ({ format }) => format === 'date-time'],
  ['integer', hasType('integer')],
  ['number', hasType('number')],
  ['lines', (schema) => hasType('string')(schema) && hasLongExample(schema)],
  ['text', hasType('string')],
  ['object', (schema) => readProperties(schema).length > 0],
]

/** Returns how a value of a schema is entered; what no rule knows is entered as JSON. */
export const findKind = (schema: Schema): FieldKind => rules.find(([, fits]) => fits(schema))?.[0] ?? 'json'

/** Returns whether a form of a schema asks for a secret: its value must not be shown as JSON, or kept in an address. */
export const hasSecrets = (schema: Schema): boolean =>
  isSecret(schema) || readProperties(schema).some(({ schema: inner }) => hasSecrets(inner))

/**
 * Adds what a value must have and nobody has to choose: required objects, and constants that are required.
 * @param value an object; members that it has stay as they are
 */
export function completeValue(schema: Schema, value: Schema): Schema {
  const added = readProperties(schema).flatMap(({ name, schema: inner, isRequired }): readonly (readonly [string, unknown])[] => {
    const given = value[name]
    if (isObject(given)) return [[name, completeValue(inner, given)]]
    if (given !== undefined || !isRequired) return []
    if ('const' in inner) return [[name, inner['const']]]
    return findKind(inner) === 'object' ? [[name, completeValue(inner, {})]] : []
  })
  return { ...value, ...Object.fromEntries(added) }
}

/** Puts `<name>` instead of secrets, for texts that are shown or copied. @param value an object */
export function hideSecrets(schema: Schema, value: Schema): Schema {
  const hidden = readProperties(schema).flatMap(({ name, schema: inner }): readonly (readonly [string, unknown])[] => {
    const given = value[name]
    if (given === undefined) return []
    if (isSecret(inner)) return [[name, `<${name}>`]]
    return isObject(given) ? [[name, hideSecrets(inner, given)]] : []
  })
  return { ...value, ...Object.fromEntries(hidden) }
}

/** Reads a member of a schema that is text; undefined for any other. */
export const readText = (schema: Schema, name: string): string | undefined => {
  const value = schema[name]
  return typeof value === 'string' ? value : undefined
}

/** Parses a whole number. What a double cannot hold becomes a bigint; other text stays, and the service refuses it at its field. */
export function parseInteger(text: string): number | bigint | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (!/^-?\d+$/.test(trimmed)) return trimmed
  const number = Number(trimmed)
  return Number.isSafeInteger(number) ? number : BigInt(trimmed)
}

/** Parses a number. A whole number keeps its digits; other text stays, and the service refuses it at its field. */
export function parseNumber(text: string): number | bigint | string | undefined {
  const whole = parseInteger(text)
  if (typeof whole !== 'string') return whole
  return /^-?\d*\.?\d+(e[+-]?\d+)?$/i.test(whole) ? Number(whole) : whole
}

/** Prints a value of one line: text as it is, nothing for a missing value. */
export const printPlain = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')

/** Prints a timestamp in the reader's zone, for a field of the type `datetime-local`; '' for other text. */
export function printLocal(value: string): string {
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) return ''
  const day = `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return `${day}T${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

/** Reads what such a field holds, as a timestamp in UTC; undefined when it is empty. */
export function parseLocal(text: string): string | undefined {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z')
}
