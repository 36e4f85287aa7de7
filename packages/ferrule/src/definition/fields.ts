/**
 * The words for fields and parameters. Each takes a sentence, which appears in validation, OpenAPI, tools and reference pages. A field is
 * plain data: JSON Schema (draft 2020-12) with marks that begin with `x-`. The engine compiles the checks of values from it.
 */
/** The data of a field. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly writeOnly?: boolean
  readonly format?: string
  readonly enum?: readonly string[]
  readonly const?: true
  readonly default?: string | number | boolean
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly items?: Field
  readonly anyOf?: readonly Field[]
  readonly properties?: Fields
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  /** A reference of an OpenAPI document. */
  readonly $ref?: string
  /** The field can be left out. */
  readonly 'x-optional'?: true
  /** Type of the documents, where it is another one. */
  readonly 'x-documented'?: string
  /** Sentence of a refusal. */
  readonly 'x-says'?: string
  readonly 'x-compare'?: 'instant' | 'decimal'
  /** Callers may give a `Date`. */
  readonly 'x-date'?: true
  readonly 'x-known-values'?: readonly string[]
  readonly 'x-normalise'?: readonly string[]
  readonly 'x-fill'?: Fill
  readonly 'x-find'?: Finding
  readonly 'x-empty-is-absent'?: true
  /** Error code of a refusal. */
  readonly 'x-refuse'?: string
  /** A field that was left out keeps its own error code. */
  readonly 'x-refuse-given'?: true
  readonly 'x-trim'?: true
  /** Chooses the fields of the records, so that a record lacks the others. */
  readonly 'x-chooses'?: true
  /** A string holds no half of a surrogate pair. */
  readonly 'x-well-formed'?: true
  /** Name of the schema in the API's document. */
  readonly 'x-component'?: string
}
/** A field. @typeParam T type of its values; no data holds it */
export interface Field<T = unknown> extends Schema {
  readonly '~type'?: T
}
/** Field or parameter names with their schemas. */
export type Fields = Readonly<Record<string, Field>>
/** The mark of a field that can be left out. */
export interface Optional {
  readonly 'x-optional': true
}
/** An object with known keys. */
export interface ObjectField<F extends Fields> extends Field<Flat<F>> {
  readonly type: 'object'
  readonly properties: F
}

/** The plain type of the values of a field. */
export type Static<F> = F extends { readonly '~type'?: infer T } ? T : unknown
type OptionalKeys<F> = { [K in keyof F]: F[K] extends Optional ? K : never }[keyof F]
type Evaluate<T> = { [K in keyof T]: T[K] } & {}
/** The plain type of a map of fields. */
export type Flat<F> = F extends Fields
  ? Evaluate<{ -readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Static<F[K]> } & { -readonly [K in OptionalKeys<F>]?: Static<F[K]> }>
  : Record<never, never>

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

const text = (about: string, more: Schema = {}): Field<string> => ({ type: 'string', description: about, ...more })

/** Declares a string. */
export const str = (about: string, { says, ...rules }: TextRules = {}): Field<string> =>
  text(about, says === undefined ? rules : { ...rules, 'x-says': says })
/** Declares a secret string: never returned, logged or echoed. */
export const secret = (about: string) => text(about, { writeOnly: true, minLength: 1 })
/** Declares a timestamp, ISO 8601 with an offset (RFC 3339). Comparisons use the point in time; answers keep the vendor's form. */
export const time = (about: string) => text(about, { format: 'date-time' })
/** Declares a UTC timestamp of the form `YYYY-MM-DD HH:MM:SS`. Comparisons use the point in time; answers keep the vendor's form. */
export const stamp = (about: string) => text(about, { 'x-compare': 'instant' })
/** Declares a decimal number that the vendor sends as a string. Comparisons use the number; answers keep the vendor's form. */
export const decimal = (about: string) => text(about, { 'x-compare': 'decimal' })
/** Lets callers give a date or timestamp as a `Date` too. For parameters and configuration: records have the vendor's string. */
export const orDate = <T>(field: Field<T>): Field<T | Date> => ({ ...field, 'x-date': true })
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
/**
 * Declares a parameter with a JSON array of strings in a string. The request carries the string unchanged; callers may also give a list.
 * @param example a value as callers write it
 */
export const jsonArray = (about: string, example = '["a","b"]'): Field<string | readonly string[]> =>
  text(about, { format: 'json-array', examples: [example] })
/**
 * Declares a parameter with a JSON object, or a JSON list of objects, in a string. The request carries the string unchanged; callers may
 * also give the value itself.
 * @param example a value as callers write it
 */
export const jsonFilter = (about: string, shape: 'object' | 'list', example: string): Field<string | object> =>
  text(about, { format: shape === 'list' ? 'json-objects' : 'json-object', examples: [example] })
/** Declares an integer within the exact range of a double. */
export const int = (about: string, more: { minimum?: number; maximum?: number; default?: number } = {}): Field<number> => ({
  type: 'integer',
  description: about,
  ...more,
})
/**
 * Declares an integer that can exceed 2^53-1, such as a vendor's id. TypeScript: `number | bigint`; OpenAPI: `integer`/`int64`. A double
 * beyond the safe range is refused, because its digits are already lost.
 */
export const id = (about: string): Field<number | bigint> => ({ type: 'integer', description: about, format: 'int64' })
/** Declares a time as seconds since 1970, exact as an id. Comparisons use the number. */
export const unixTime = (about: string): Field<number | bigint> => ({ type: 'integer', description: about, format: 'unix-time' })
/** Declares a time as milliseconds since 1970, exact as an id. Comparisons use the number. */
export const unixTimeMs = (about: string): Field<number | bigint> => ({ type: 'integer', description: about, format: 'unix-time-ms' })
const exactFormats: ReadonlySet<unknown> = new Set(['int64', 'unix-time', 'unix-time-ms'])
/** Returns whether a field is an integer that can exceed 2^53-1. */
export const isExactInteger = ({ type, format }: Schema): boolean => exactFormats.has(format) && [type].flat().includes('integer')
/** Declares a number. */
export const num = (about: string): Field<number> => ({ type: 'number', description: about })
/** Declares a boolean. */
export const bool = (about: string, more: { deprecated?: boolean } = {}): Field<boolean> => ({
  type: 'boolean',
  description: about,
  ...more,
})
/** Declares a value that must be exactly `true`. */
export const mustBeTrue = (about: string): Field<true> => ({ type: 'boolean', const: true, description: about })
/** Declares a string with a fixed set of values. */
export const oneOf = <const V extends readonly string[]>(about: string, ...values: V): Field<V[number]> => ({
  type: 'string',
  enum: [...values],
  description: about,
})
/**
 * Declares a vendor's string with known values, which the documents list. Other values are stored and found, because vendors add values.
 * Equality ignores case; a search for a value that is neither known nor stored is refused.
 */
export const known = <const V extends readonly [string, string, ...string[]]>(about: string, ...values: V) =>
  text(`${about}: ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`, { 'x-known-values': [...values] })
/** Declares an array. */
export const list = <T>(items: Field<T>, about: string, rules: ListRules = {}): Field<T[]> => ({
  type: 'array',
  items,
  description: about,
  ...rules,
})
/** Lists the names of the fields that cannot be left out. Without such fields there is no list, as JSON Schema has it. */
export const listRequired = (fields: Fields): { readonly required?: readonly string[] } => {
  const required = Object.keys(fields).filter((name) => !isOptional(fields, name))
  return required.length === 0 ? {} : { required }
}
/** Returns whether a field can be left out; one that does not exist can. */
export const isOptional = (fields: Fields, name: string): boolean => !Object.hasOwn(fields, name) || fields[name]?.['x-optional'] === true
/** Declares an object with known keys. Parameters refuse unknown keys; records keep them. */
export const obj = <F extends Fields>(fields: F, about: string): ObjectField<F> => ({
  type: 'object',
  ...listRequired(fields),
  properties: fields,
  description: about,
  additionalProperties: false,
})
/** Declares an object with a vendor-defined shape. */
export const open = (about: string): Field<Record<string, unknown>> => ({ type: 'object', description: about })
/** Declares an object that the vendor sometimes sends as a list of objects. Both forms pass unchanged. */
export const objectOrList = (about: string): Field<Record<string, unknown> | readonly Record<string, unknown>[]> => ({
  type: ['object', 'array'],
  items: { type: 'object' },
  description: about,
  'x-documented': 'object',
})
/** Declares a vendor-defined object or any other value; the documents call it `object|any`. */
export const objectOrAny = (about: string): Field => ({ description: about, 'x-documented': 'object|any' })
/** Declares a value of several types, in the order of the documents. */
export const mixed = (
  about: string,
  ...types: readonly ('string' | 'integer' | 'number' | 'boolean' | 'null')[]
): Field<string | number | bigint | boolean | null> => ({ description: about, type: [...types], 'x-documented': types.join('|') })
/**
 * Normalises a string before its check: trims it and converts it to lower case. The first pattern that matches the whole string decides,
 * and its first group is kept. For values that people paste in several forms.
 */
export const normalised = <T extends Field>(patterns: readonly string[], field: T): T => ({ ...field, 'x-normalise': [...patterns] })
/** Makes a parameter or field optional. */
export const opt = <T extends Field>(field: T): T & Optional => ({ ...field, 'x-optional': true })
/** Declares one value, or a list of 1 to `maxItems` different values. */
export const oneOrMany = <T>(field: Field<T>, about: string, { maxItems }: { readonly maxItems: number }): Field<T | readonly T[]> => ({
  description: about,
  anyOf: [field, { type: 'array', items: field, minItems: 1, maxItems, uniqueItems: true }],
  'x-documented': 'string|array',
  'x-says': `${field['x-says'] ?? 'must be one value'}; one, or a list of 1 to ${maxItems} different ones`,
})
/** Sets the value for an omitted parameter. */
export const byDefault = <T extends Field>(value: string | number | boolean, field: T): T => ({ ...field, default: value })
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
export const fromConnector = <T extends Field>(known: string, field: T, how: Fill['as'] | Omit<Fill, 'known'> = 'one'): T & Optional =>
  opt({ ...field, 'x-fill': { known, ...(typeof how === 'string' ? { as: how } : how) } })

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
export const find = <T extends Field>(finding: Finding, field: T): T => ({ ...field, 'x-find': finding })

const readTypeName = ({ type }: Schema): string => String(type ?? 'any')
const nullable = <T>(field: Field<T>, marks: Schema): Field<T | null> => ({ ...field, type: [readTypeName(field), 'null'], ...marks })

/** Declares a record field that the documents call nullable. */
export const orNull = <T>(field: Field<T>): Field<T | null> => nullable(field, {})
/** Declares a record field that the documents call non-null and the vendor can omit. An omitted field is null. */
export const absent = <T>(field: Field<T>): Field<T | null> => nullable(field, { 'x-documented': readTypeName(field) })
/** Declares a field that the documents call `<type>|any`: the type, or null if it does not apply. */
export const orAny = <T>(field: Field<T>): Field<T | null> => nullable(field, { 'x-documented': `${readTypeName(field)}|any` })
/** Declares the same value, such as a schema, under several names. */
export const each = <S extends object, const K extends readonly string[]>(schema: S, ...names: K) => {
  const fields = {} as { [P in K[number]]: S } // the loop below sets every name
  for (const name of names as readonly K[number][]) fields[name] = schema
  return fields
}
/** Omits an empty array parameter from the request, for vendors that refuse empty arrays. */
export const emptyIsAbsent = <T extends Field>(field: T): T => ({ ...field, 'x-empty-is-absent': true })
/** Gives the refusal of a schema its own error code, for example `media_selector_required`. */
export const refuse = <T extends Field>(code: string, field: T): T => ({ ...field, 'x-refuse': code })
/** Gives the refusal of a wrong value its own error code. An omitted value stays a missing parameter. */
export const refuseGiven = <T extends Field>(code: string, field: T): T => ({
  ...field,
  'x-refuse': code,
  'x-refuse-given': true,
})
/** Removes spaces and line breaks at both ends of a string parameter. */
export const trimmed = <T extends Field>(field: T): T => ({ ...field, 'x-trim': true })
/** Refuses half of a surrogate pair in a string: it is no character, and a database would store another value. */
export const wellFormed = <T extends Field>(field: T): T => ({ ...field, 'x-well-formed': true })
/** Picks some fields of a map. */
export const pick = <F extends Fields, const K extends readonly (keyof F & string)[]>(fields: F, ...names: K) => {
  const picked = {} as { [P in K[number]]: F[P] } // the loop below sets every name
  for (const name of names as readonly K[number][]) picked[name] = fields[name]
  return picked
}

/** Splits a path at its dots. A dot within a name has a backslash before it. */
export const splitSteps = (path: string): readonly string[] => path.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'))

/** The first step of a path. */
export const readFirstStep = (path: string): string => splitSteps(path)[0]?.split('[')[0] ?? ''

/** Returns whether the first step of a path is one of the fields. */
export const hasField = (fields: Fields | undefined, path: string): boolean => fields !== undefined && readFirstStep(path) in fields
