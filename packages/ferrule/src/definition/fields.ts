/**
 * The words for fields and parameters. Each takes a sentence, which appears in validation, OpenAPI, tools and reference pages. The values
 * are JSON Schema (draft 2020-12), made with TypeBox.
 */
import type { Static, TObject, TSchema } from 'typebox'
import * as Type from 'typebox'
import { isObject } from './object.ts'

/** Any schema of a field. An object, because TypeBox's own type also accepts strings and numbers. */
export type Field = TSchema & object
/** Field or parameter names with their schemas. */
export type Fields = Record<string, Field>

/** Rules of a string: length, pattern (the author anchors it), format, default and the sentence of a refusal. */
export interface TextRules {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: 'date' | 'date-time' | 'uuid'
  /** Value for an omitted parameter. */
  readonly default?: string
  /** Sentence of a refusal instead of the general one, for example "must be a date such as 2025-03-01". */
  readonly says?: string
  /** Values as callers write them; documents show the first. */
  readonly examples?: readonly string[]
}

/** Bounds of an array. */
export interface ListRules {
  readonly minItems?: number
  readonly maxItems?: number
}

const text = (about: string, more: Record<string, unknown> = {}) => Type.String({ description: about, ...more })

/** Declares a string. */
export const str = (about: string, { says, ...rules }: TextRules = {}) =>
  text(about, { ...rules, ...(says === undefined ? {} : { 'x-says': says }) })
/** Declares a secret string: never returned, logged or echoed. */
export const secret = (about: string) => text(about, { writeOnly: true, minLength: 1 })
/** Declares a timestamp, ISO 8601 with an offset (RFC 3339). Comparisons use the point in time; answers keep the vendor's form. */
export const time = (about: string) => text(about, { format: 'date-time' })
/** Declares a UTC timestamp of the form `YYYY-MM-DD HH:MM:SS`. Comparisons use the point in time; answers keep the vendor's form. */
export const stamp = (about: string) => text(about, { 'x-compare': 'instant' })
/** Declares a decimal number that the vendor sends as a string. Comparisons use the number; answers keep the vendor's form. */
export const decimal = (about: string) => text(about, { 'x-compare': 'decimal' })
/** Lets callers give a date or timestamp as a `Date` too. For parameters and configuration: records have the vendor's string. */
export const orDate = <T extends Field>(schema: T) => Type.Unsafe<Static<T> | Date>(Object.assign(schema, { 'x-date': true }))
/** Returns whether the values of a field are dates or timestamps. */
export const isDateOrTime = (field: Field): boolean => Reflect.get(field, 'x-date') === true
/** Declares a parameter with a calendar day, YYYY-MM-DD. */
export const date = (about: string) => orDate(text(about, { format: 'date' }))
/** Declares a parameter with a timestamp or a calendar day, ISO 8601. */
export const moment = (about: string) =>
  orDate(
    str(about, {
      pattern: '^\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:?\\d{2})?)?$',
      says: 'must be an ISO 8601 date or date-time such as 2025-03-01T00:00:00Z',
      examples: ['2025-03-01T00:00:00Z'],
    }),
  )
const isJsonArray = (value: string): boolean => {
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) && parsed.length > 0 && parsed.every((item) => typeof item === 'string')
  } catch {
    return false
  }
}
/**
 * Declares a parameter with a JSON array of strings in a string. The request carries the string unchanged; callers may also give a list.
 * @param example a value as callers write it
 */
export const jsonArray = (about: string, example = '["a","b"]') =>
  Type.Refine(
    Type.Unsafe<string | readonly string[]>(text(about, { format: 'json-array', examples: [example] })),
    (value) => typeof value !== 'string' || isJsonArray(value),
    () => 'must be a list of strings, or a string that holds a JSON array of strings, such as ["a","b"]',
  )
const isFilter = (value: string, shape: 'object' | 'list'): boolean => {
  try {
    const parsed: unknown = JSON.parse(value)
    return shape === 'list' ? Array.isArray(parsed) && parsed.every(isObject) : isObject(parsed)
  } catch {
    return false
  }
}
/**
 * Declares a parameter with a JSON object, or a JSON list of objects, in a string. The request carries the string unchanged; callers may
 * also give the value itself.
 * @param example a value as callers write it
 */
export const jsonFilter = (about: string, shape: 'object' | 'list', example: string) =>
  Type.Refine(
    Type.Unsafe<string | object>(text(about, { format: shape === 'list' ? 'json-objects' : 'json-object', examples: [example] })),
    (value) => typeof value !== 'string' || isFilter(value, shape),
    () => `must be a JSON ${shape === 'list' ? 'list of objects' : 'object'} in a string, such as ${example}`,
  )
/** Declares an integer within the exact range of a double. */
export const int = (about: string, more: { minimum?: number; maximum?: number; default?: number } = {}) =>
  Type.Integer({ description: about, ...more })
/**
 * Declares an integer that can exceed 2^53-1, such as a vendor's id. TypeScript:
 * `number | bigint`; OpenAPI: `integer`/`int64`. A double beyond the safe range is refused, because its digits are already lost.
 */
export const id = (about: string) =>
  Type.Refine(
    Type.Unsafe<number | bigint>({ description: about, format: 'int64', 'x-integer': true }),
    isExactInteger,
    () => 'must be an integer',
  )
const isExactInteger = (value: unknown): boolean => typeof value === 'bigint' || Number.isSafeInteger(value)
/** Declares a number. */
export const num = (about: string) => Type.Number({ description: about })
/** Declares a boolean. */
export const bool = (about: string, more: { deprecated?: boolean } = {}) => Type.Boolean({ description: about, ...more })
/** Declares a value that must be exactly `true`. */
export const mustBeTrue = (about: string) => Type.Literal(true, { description: about })
/** Declares a string with a fixed set of values. */
export const oneOf = <const V extends readonly string[]>(about: string, ...values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description: about })
/**
 * Declares a vendor's string with known values, which the documents list. Other values are stored and found, because vendors add values.
 * Equality ignores case; a search for a value that is neither known nor stored is refused.
 */
export const known = <const V extends readonly [string, string, ...string[]]>(about: string, ...values: V) =>
  text(`${about}: ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`, { 'x-known-values': [...values] })
/** Reads the known values of a string; undefined if the field declares none. */
export const readKnownValues = (schema: Field): readonly string[] | undefined => Reflect.get(schema, 'x-known-values')
/** Declares an array. */
export const list = <T extends Field>(items: T, about: string, rules: ListRules = {}) => Type.Array(items, { description: about, ...rules })
/** Declares an object with known keys. Parameters refuse unknown keys; records keep them. */
export const obj = <F extends Fields>(fields: F, about: string): TObject<F> =>
  Type.Object(fields, { description: about, additionalProperties: false })
/** Declares an object with a vendor-defined shape. */
export const open = (about: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description: about })
/** Declares an object that the vendor sometimes sends as a list of objects. Both forms pass unchanged. */
export const objectOrList = (about: string) =>
  Type.Unsafe<Record<string, unknown> | readonly Record<string, unknown>[]>({
    type: ['object', 'array'],
    items: { type: 'object' },
    description: about,
    'x-documented': 'object',
  })
/** Declares a vendor-defined object or any other value; the documents call it `object|any`. */
export const objectOrAny = (about: string) => Type.Unsafe<unknown>({ description: about, 'x-documented': 'object|any' })
/** Declares a value of several types, in the order of the documents. */
export const mixed = (about: string, ...types: readonly ('string' | 'integer' | 'number' | 'boolean' | 'null')[]) =>
  Type.Unsafe<string | number | bigint | boolean | null>({ description: about, type: [...types], 'x-documented': types.join('|') })
/**
 * Normalises a string before its check: trims it and converts it to lower case. The first pattern that matches the whole string decides,
 * and its first group is kept. For values that people paste in several forms.
 */
export const normalised = <T extends Field>(patterns: readonly string[], schema: T): T =>
  Object.assign(schema, { 'x-normalise': [...patterns] })
/** Makes a parameter or field optional. */
export const opt = Type.Optional
/** Declares one value, or a list of 1 to `maxItems` different values. */
export const oneOrMany = <T extends Field>(schema: T, about: string, { maxItems }: { readonly maxItems: number }) =>
  Type.Unsafe<Static<T> | readonly Static<T>[]>({
    description: about,
    anyOf: [schema, { type: 'array', items: schema, minItems: 1, maxItems, uniqueItems: true }],
    'x-documented': 'string|array',
    'x-says': `${Reflect.get(schema, 'x-says') ?? 'must be one value'}; one, or a list of 1 to ${maxItems} different ones`,
  })
/** Sets the value for an omitted parameter. */
export const byDefault = <T extends Field>(value: string | number | boolean, schema: T): T => Object.assign(schema, { default: value })
/**
 * How the connector fills a parameter. `one`: the only known value; `json_array`: all known values as a JSON array in a string; `if_known`:
 * the only known value, or nothing.
 */
export interface Fill {
  /** Name among the kind's `known`. */
  readonly known: string
  readonly as: 'one' | 'json_array' | 'if_known'
  /** Maximum number of values per call. If the connector knows more, the caller must name some. */
  readonly most?: number
  /**
   * Regular expression over the vendor's message. The vendor refuses all values because of one: a sync then asks for them in halves, and
   * leaves out the refused ones. Other callers get the refusal.
   */
  readonly refusal?: string
}
/**
 * Declares a parameter that the connector supplies if the caller omits it. The documents require the parameter unless it is `if_known`,
 * which stays absent without a known value.
 * @param known name among the kind's `known`
 */
export const fromConnector = <T extends Field>(known: string, schema: T, how: Fill['as'] | Omit<Fill, 'known'> = 'one') =>
  Type.Optional(Object.assign(schema, { 'x-fill': { known, ...(typeof how === 'string' ? { as: how } : how) } satisfies Fill }))
/** Reads how the connector fills a parameter; undefined if it does not. */
export const readFill = (schema: Field): Fill | undefined => Reflect.get(schema, 'x-fill')

/** Where people find the value of a credential or configuration field. Facts of the vendor's pages only. */
export interface Finding {
  /** What the vendor shows, or what the value looks like, in one sentence. */
  readonly says: string
  /** Path through the vendor's menus: `Admin center > Settings > Ecosystem > API`. */
  readonly menu?: string
  /** The vendor's page, https. */
  readonly url?: string
  /** Role at the vendor that a person needs to see the value. */
  readonly role?: string
}
/** States where people find the value of a field. Every credential and configuration field needs it. */
export const find = <T extends Field>(finding: Finding, schema: T): T => Object.assign(schema, { 'x-find': finding })
/** Reads where people find the value of a field; undefined if the field does not state it. */
export const readFinding = (schema: Field): Finding | undefined => Reflect.get(schema, 'x-find')

const isExact = (schema: Field): boolean => Reflect.get(schema, 'x-integer') === true
const readTypeName = (schema: Field): string => (isExact(schema) ? 'integer' : String((schema as { type?: unknown }).type ?? 'any'))
const nullable = <T extends Field>(schema: T, marks: Record<string, unknown>) =>
  isExact(schema)
    ? Type.Refine(
        Type.Unsafe<Static<T> | null>({ ...schema, 'x-nullable': true, ...marks }),
        (value) => value === null || isExactInteger(value),
        () => 'must be an integer or null',
      )
    : Type.Unsafe<Static<T> | null>({ ...schema, type: [readTypeName(schema), 'null'], ...marks })

/** Declares a record field that the documents call nullable. */
export const orNull = <T extends Field>(schema: T) => nullable(schema, {})
/** Declares a record field that the documents call non-null and the vendor can omit. An omitted field is null. */
export const absent = <T extends Field>(schema: T) => nullable(schema, { 'x-documented': readTypeName(schema) })
/** Declares a field that the documents call `<type>|any`: the type, or null if it does not apply. */
export const orAny = <T extends Field>(schema: T) => nullable(schema, { 'x-documented': `${readTypeName(schema)}|any` })
/** Declares the same schema under several names. */
export const each = <S extends Field, const K extends readonly string[]>(schema: S, ...names: K) => {
  const fields = {} as { [P in K[number]]: S } // the loop below sets every name
  for (const name of names as readonly K[number][]) fields[name] = schema
  return fields
}
/** Omits an empty array parameter from the request, for vendors that refuse empty arrays. */
export const emptyIsAbsent = <T extends Field>(schema: T): T => Object.assign(schema, { 'x-empty-is-absent': true })
/** Gives the refusal of a schema its own error code, for example `media_selector_required`. */
export const refuse = <T extends Field>(code: string, schema: T): T => Object.assign(schema, { 'x-refuse': code })
/** Gives the refusal of a wrong value its own error code. An omitted value stays a missing parameter. */
export const refuseGiven = <T extends Field>(code: string, schema: T): T =>
  Object.assign(schema, { 'x-refuse': code, 'x-refuse-given': true })
/** Removes spaces and line breaks at both ends of a string parameter. */
export const trimmed = <T extends Field>(schema: T): T => Object.assign(schema, { 'x-trim': true })
/** Picks some fields of a map. */
export const pick = <F extends Fields, const K extends readonly (keyof F & string)[]>(fields: F, ...names: K) => {
  const picked = {} as { [P in K[number]]: F[P] } // the loop below sets every name
  for (const name of names as readonly K[number][]) picked[name] = fields[name]
  return picked
}
