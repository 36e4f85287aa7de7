/**
 * The words that fields and parameters are written in. Each carries its sentence, which becomes validation,
 * OpenAPI, tool and reference text. Values are JSON Schema (draft 2020-12) made with TypeBox.
 */
import Type, { type Static, type TObject, type TSchema } from 'typebox'

/** Any schema of a field. An object: TypeBox's own type would take a text or a number too. */
export type Field = TSchema & object
/** A map of field or parameter names to their schemas. */
export type Fields = Record<string, Field>

/** Rules of a text: bounds, a pattern (always anchored by its author), a format, and the code that a refusal gets. */
export interface TextRules {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: 'date' | 'date-time' | 'uuid'
  /** What stands in when the value is left out. */
  readonly default?: string
  /** What a refusal says instead of the general sentence, for example "must be a date such as 2025-03-01". */
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

/** A text. */
export const str = (about: string, { says, ...rules }: TextRules = {}) =>
  text(about, { ...rules, ...(says === undefined ? {} : { 'x-says': says }) })
/** A secret text: never returned, logged or echoed. */
export const secret = (about: string) => text(about, { writeOnly: true, minLength: 1 })
/** A moment, ISO 8601 with an offset (RFC 3339). It compares as an instant and is returned as the vendor wrote it. */
export const time = (about: string) => text(about, { format: 'date-time' })
/** A moment in UTC as some vendors write it, `YYYY-MM-DD HH:MM:SS`. It compares as an instant and is returned as the vendor wrote it. */
export const stamp = (about: string) => text(about, { 'x-compare': 'instant' })
/** A decimal number that the vendor sends as a text. It compares as a number and is returned as the vendor wrote it. */
export const decimal = (about: string) => text(about, { 'x-compare': 'decimal' })
/** A calendar day, YYYY-MM-DD. */
export const date = (about: string) => text(about, { format: 'date' })
/** A moment or a calendar day, ISO 8601. */
export const moment = (about: string) =>
  str(about, {
    pattern: '^\\d{4}-\\d{2}-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:?\\d{2})?)?$',
    says: 'must be an ISO 8601 date or date-time such as 2025-03-01T00:00:00Z',
  })
const isJsonArray = (value: string): boolean => {
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) && parsed.length > 0 && parsed.every((item) => typeof item === 'string')
  } catch {
    return false
  }
}
/** A text that holds a JSON array of texts. It is sent as it was given, to the letter. */
export const jsonArray = (about: string) =>
  Type.Refine(
    Type.Unsafe<string>(text(about, { format: 'json-array' })),
    (value) => typeof value !== 'string' || isJsonArray(value),
    () => 'must be a text that holds a JSON array of texts, such as ["a","b"]',
  )
/** An integer that always fits a double. */
export const int = (about: string, more: { minimum?: number; maximum?: number; default?: number } = {}) =>
  Type.Integer({ description: about, ...more })
/**
 * An integer that can exceed 2^53-1: a vendor's id. In TypeScript `number | bigint`, in OpenAPI integer/int64, exact on the wire.
 * A double beyond the safe range is refused: its digits are lost already.
 */
export const id = (about: string) =>
  Type.Refine(
    Type.Unsafe<number | bigint>({ description: about, format: 'int64', 'x-integer': true }),
    isExactInteger,
    () => 'must be an integer',
  )
const isExactInteger = (value: unknown): boolean => typeof value === 'bigint' || Number.isSafeInteger(value)
/** A number. */
export const num = (about: string) => Type.Number({ description: about })
/** A truth value. */
export const bool = (about: string, more: { deprecated?: boolean } = {}) => Type.Boolean({ description: about, ...more })
/** A value that must be exactly `true`. */
export const mustBeTrue = (about: string) => Type.Literal(true, { description: about })
/** One of some texts. */
export const oneOf = <const V extends readonly string[]>(about: string, ...values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description: about })
/**
 * A text of the vendor's that has known values. Others are kept and found too, because vendors add some; equality ignores case, an
 * operand that is neither known nor stored is refused, and the documents list the known ones.
 */
export const known = <const V extends readonly [string, string, ...string[]]>(about: string, ...values: V) =>
  text(`${about}: ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`, { 'x-known-values': [...values] })
/** The known values of a text; undefined where none are known. */
export const knownValuesOf = (schema: Field): readonly string[] | undefined => Reflect.get(schema, 'x-known-values')
/** An array. */
export const list = <T extends Field>(items: T, about: string, rules: ListRules = {}) => Type.Array(items, { description: about, ...rules })
/** An object with known keys. Unknown keys are refused in parameters and kept in records. */
export const obj = <F extends Fields>(fields: F, about: string): TObject<F> =>
  Type.Object(fields, { description: about, additionalProperties: false })
/** An object whose inner shape is the vendor's. */
export const open = (about: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description: about })
/** What the documents call an object and the vendor sends as a list of objects too: either, as it comes. */
export const objectOrList = (about: string) =>
  Type.Unsafe<Record<string, unknown> | readonly Record<string, unknown>[]>({
    type: ['object', 'array'],
    description: about,
    'x-documented': 'object',
  })
/** An object of the vendor's shape, or whatever else it sends there; the documents call it `object|any`. */
export const objectOrAny = (about: string) => Type.Unsafe<unknown>({ description: about, 'x-documented': 'object|any' })
/** A value of several types, in the order of the documents. */
export const mixed = (about: string, ...types: readonly ('string' | 'integer' | 'number' | 'boolean' | 'null')[]) =>
  Type.Unsafe<string | number | bigint | boolean | null>({ description: about, type: [...types], 'x-documented': types.join('|') })
/**
 * A text that is trimmed, put in lower case and cut down before it is checked: the first pattern that matches the whole of it
 * decides, and its first group is what is kept. For values that people paste in several forms.
 */
export const normalised = <T extends Field>(patterns: readonly string[], schema: T): T =>
  Object.assign(schema, { 'x-normalise': [...patterns] })
/** A parameter or field that may be left out. */
export const opt = Type.Optional
/** One value, or a list of 1 to `maxItems` different ones. */
export const oneOrMany = <T extends Field>(schema: T, about: string, { maxItems }: { readonly maxItems: number }) =>
  Type.Unsafe<Static<T> | readonly Static<T>[]>({
    description: about,
    anyOf: [schema, { type: 'array', items: schema, minItems: 1, maxItems, uniqueItems: true }],
    'x-documented': 'string|array',
    'x-says': `${Reflect.get(schema, 'x-says') ?? 'must be one value'}; one, or a list of 1 to ${maxItems} different ones`,
  })
/** What stands in when a value is left out. */
export const byDefault = <T extends Field>(value: string | number | boolean, schema: T): T => Object.assign(schema, { default: value })
/** How a parameter is filled from what the connector knows: one value, where it knows no more; all, as a JSON array in a text; or one if it knows one. */
export interface Fill {
  /** Name among the kind's `known`. */
  readonly known: string
  readonly as: 'one' | 'json_array' | 'if_known'
  /** How many the vendor takes in one call: where the connector knows more, the caller names some. */
  readonly most?: number
}
/**
 * A parameter that the connector supplies when the caller leaves it out. The documents require it, unless it is `if_known`: that
 * one stays away where the connector knows no value.
 */
export const fromConnector = <T extends Field>(known: string, schema: T, how: Fill['as'] | Omit<Fill, 'known'> = 'one') =>
  Type.Optional(Object.assign(schema, { 'x-fill': { known, ...(typeof how === 'string' ? { as: how } : how) } satisfies Fill }))
/** How a parameter is filled; undefined for one that is not. */
export const fillOf = (schema: Field): Fill | undefined => Reflect.get(schema, 'x-fill')

const isExact = (schema: Field): boolean => Reflect.get(schema, 'x-integer') === true
const typeName = (schema: Field): string => (isExact(schema) ? 'integer' : String((schema as { type?: unknown }).type ?? 'any'))
const nullable = <T extends Field>(schema: T, marks: Record<string, unknown>) =>
  isExact(schema)
    ? Type.Refine(
        Type.Unsafe<Static<T> | null>({ ...schema, 'x-nullable': true, ...marks }),
        (value) => value === null || isExactInteger(value),
        () => 'must be an integer or null',
      )
    : Type.Unsafe<Static<T> | null>({ ...schema, type: [typeName(schema), 'null'], ...marks })

/** A record field that the documents call nullable. */
export const orNull = <T extends Field>(schema: T) => nullable(schema, {})
/** A record field that the documents call non-null but the vendor may leave out: it is null then. */
export const absent = <T extends Field>(schema: T) => nullable(schema, { 'x-documented': typeName(schema) })
/** A field that the documents call `<type>|any`: the type, or null where it does not apply. */
export const orAny = <T extends Field>(schema: T) => nullable(schema, { 'x-documented': `${typeName(schema)}|any` })
/** The same schema under several names. */
export const each = <S extends Field, const K extends readonly string[]>(schema: S, ...names: K) => {
  const fields = {} as { [P in K[number]]: S } // the loop below gives it every name
  for (const name of names as readonly K[number][]) fields[name] = schema
  return fields
}
/** An array parameter that is left out of the request when it is empty, for vendors that refuse empty arrays. */
export const emptyIsAbsent = <T extends Field>(schema: T): T => Object.assign(schema, { 'x-empty-is-absent': true })
/** A schema part whose refusal gets its own error code, for example `media_selector_required`. */
export const refuse = <T extends Field>(code: string, schema: T): T => Object.assign(schema, { 'x-refuse': code })
/** The same for a value that is given and wrong; one that is left out is a missing parameter, as everywhere. */
export const refuseGiven = <T extends Field>(code: string, schema: T): T =>
  Object.assign(schema, { 'x-refuse': code, 'x-refuse-given': true })
/** A text parameter whose spaces and line breaks at its ends do not count. */
export const trimmed = <T extends Field>(schema: T): T => Object.assign(schema, { 'x-trim': true })
/** Some of the fields of a map. */
export const pick = <F extends Fields, const K extends readonly (keyof F & string)[]>(fields: F, ...names: K) => {
  const picked = {} as { [P in K[number]]: F[P] } // the loop below gives it every name
  for (const name of names as readonly K[number][]) picked[name] = fields[name]
  return picked
}
