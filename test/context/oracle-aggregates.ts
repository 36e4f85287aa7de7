/** Computes counts and groups in plain code: the tables of docs/decisions/aggregates.md over records in memory, without code of the product. */
import type { Field, Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { isFound } from './oracle.ts'
import { declaredBy, type FieldPath, foundAt, type How, isNumber, isObject, type Json, resolvePath } from './oracle-paths.ts'
import { periodOf, utcOf } from './oracle-times.ts'
import { compareCodePoints, compareDecimals, type Decimal, decimalOfNumber, decimalOfText, kept, momentOf } from './oracle-values.ts'

/** A key of `group_by` as asked. */
export interface AskedGroup {
  readonly field: string
  readonly by?: string
  readonly time_zone?: string
  readonly ranges?: readonly number[]
  readonly as: string
}

/** Parameters of an aggregate, each group with a name. */
export interface AskedAggregate {
  readonly group_by: readonly AskedGroup[]
  readonly measures: Readonly<Record<string, string | Json>>
  readonly having?: Json
  readonly sort?: readonly Record<string, 'asc' | 'desc'>[]
}

/** Rows as JSON with their names, and what was left out. */
export interface ExpectedGroups {
  readonly rows: readonly (readonly (readonly [name: string, value: unknown])[])[]
  readonly skipped: Readonly<Record<string, number>>
}

/** Formats a decimal number without needless zeros. */
function plainDecimal({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale).replace(/0+$/, '')]
  const text = fraction === '' ? whole : `${whole}.${fraction}`
  return units < 0n && text !== '0' ? `-${text}` : text
}

/** Converts a value to one form: numbers in plain notation as objects, and sorted names. */
export function canonicalValue(value: unknown): unknown {
  if (isNumber(value)) return { number: plainDecimal(decimalOfNumber(value)) }
  if (typeof value === 'string') return kept(value)
  if (Array.isArray(value)) return value.map(canonicalValue)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, part]) => [kept(name), canonicalValue(part)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareCodePoints(a, b)))
}

const elementSchema = (schema: Field | undefined): Field | undefined =>
  declaredBy(schema).type === 'array' ? elementSchema(Reflect.get(schema ?? {}, 'items') as Field | undefined) : schema

/** Returns the type of one value at a path. */
export const valueType = ({ schema }: FieldPath): string => declaredBy(elementSchema(schema)).type

/** Returns the values of a record at a path; elements of an array are values of their own. */
const valuesAt = (record: Json, { steps }: FieldPath): unknown[] =>
  foundAt(record, steps)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter((value) => value !== null)

const numberOf = (value: unknown): Decimal | undefined =>
  isNumber(value) ? decimalOfNumber(value) : typeof value === 'string' ? decimalOfText(kept(value)) : undefined
const timeOf = (value: unknown): bigint | undefined => (typeof value === 'string' ? momentOf(kept(value)) : undefined)

const typeRank = (value: unknown): number =>
  typeof value === 'string' ? 1 : isNumber(value) ? 2 : typeof value === 'boolean' ? 3 : Array.isArray(value) ? 4 : isObject(value) ? 5 : 0

const inStorage = (value: Json): (readonly [string, unknown])[] =>
  Object.entries(value)
    .map(([name, part]) => [kept(name), part] as const)
    .toSorted(([a], [b]) => Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b)))

/** Compares JSON values as PostgreSQL orders them: strings, numbers, booleans, arrays, objects; shorter ones first. */
function compareJson(a: unknown, b: unknown, isTop = true): number {
  if (isTop && Array.isArray(a) !== Array.isArray(b) && !isObject(a) && !isObject(b)) {
    if (Array.isArray(a) && a.length === 0) return -1 // an oddity of the database that its authors know
    if (Array.isArray(b) && b.length === 0) return 1
  }
  const rank = typeRank(a) - typeRank(b)
  if (rank !== 0) return rank
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(kept(a), kept(b))
  if (isNumber(a) && isNumber(b)) return compareDecimals(decimalOfNumber(a), decimalOfNumber(b))
  if (Array.isArray(a) && Array.isArray(b))
    return a.length - b.length || firstOrder(a.map((each, index) => compareJson(each, b[index], false)))
  if (!isObject(a) || !isObject(b)) return Number(a) - Number(b)
  const [left, right] = [inStorage(a), inStorage(b)]
  if (left.length !== right.length) return left.length - right.length
  return firstOrder(
    left.flatMap(([name, part], index) => {
      const [other = '', value] = right[index] ?? []
      return [compareCodePoints(name, other), compareJson(part, value, false)]
    }),
  )
}

const firstOrder = (orders: readonly number[]): number => orders.find((order) => order !== 0) ?? 0

/** A value as a group. */
interface Key {
  /** Equal for equal groups. */
  readonly id: string
  readonly shown: unknown
  /** Text whose commonest form is shown. */
  readonly text?: string
  /** Parts that are compared one after the other; undefined is last in both directions. */
  readonly order: readonly unknown[]
}

/** A value that makes no group. */
const unfit: Key = { id: 'unfit', shown: null, order: [] }
const noValue: Key = { id: 'none', shown: null, order: [] }

function rangeOf(bounds: readonly number[], value: unknown): Key {
  const number = numberOf(value)
  if (number === undefined) return unfit
  const index = bounds.filter((bound) => compareDecimals(number, decimalOfNumber(bound)) >= 0).length
  return { id: String(index), shown: { from: bounds[index - 1] ?? null, to: bounds[index] ?? null }, order: [index] }
}

function timeKey({ by = '', time_zone: zone = 'UTC' }: AskedGroup, value: unknown): Key {
  const micros = timeOf(value)
  if (micros === undefined) return unfit
  const { label, order } = periodOf(by, zone, { micros, isDate: String(value).length === 10 })
  return { id: label, shown: label, order: [order] }
}

const toLower = (text: string): string => kept(text).toLowerCase().replaceAll('ς', 'σ')

function valueKey(how: How, value: unknown): Key {
  const id = JSON.stringify(canonicalValue(value))
  if (how === 'lower' && typeof value === 'string') {
    const lowered = toLower(value)
    return { id: JSON.stringify(lowered), shown: lowered, text: kept(value), order: [lowered] }
  }
  if (how !== 'decimal') return { id, shown: value, order: [value] }
  const number = numberOf(value)
  if (number === undefined) return { id: `no ${id}`, shown: value, order: [undefined, value] }
  return { id: plainDecimal(number), shown: plainDecimal(number), order: [number, undefined] }
}

function keysOf(asked: AskedGroup, path: FieldPath, record: Json): readonly Key[] {
  const keys = new Map<string, Key>()
  for (const value of valuesAt(record, path)) {
    const key =
      asked.by !== undefined ? timeKey(asked, value) : asked.ranges !== undefined ? rangeOf(asked.ranges, value) : valueKey(path.how, value)
    const known = keys.get(key.id)
    if (known === undefined || compareCodePoints(key.text ?? '', known.text ?? '') < 0) keys.set(key.id, key)
  }
  return keys.size === 0 ? [noValue] : [...keys.values()]
}

/** Adds exactly. */
const add = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale)
  return { units: a.units * 10n ** BigInt(scale - a.scale) + b.units * 10n ** BigInt(scale - b.scale), scale }
}

/** Divides a sum, rounded half away from zero to 20 digits after the point. */
function averageOf(sum: Decimal, count: number): Decimal {
  const [size, sign] = sum.units < 0n ? [-sum.units, -1n] : [sum.units, 1n]
  const divisor = BigInt(count) * 10n ** BigInt(sum.scale)
  return { units: (sign * (2n * size * 10n ** 20n + divisor)) / (2n * divisor), scale: 20 }
}

/** Result of a measure: its value, what it compares by, and the values that it does not take. */
interface Measured {
  readonly shown: unknown
  readonly order: unknown
  readonly skipped: number
}

const nothing = { shown: null, order: undefined }

const ofNumber = (number: Decimal | undefined, isText: boolean): Omit<Measured, 'skipped'> => {
  if (number === undefined) return nothing
  const text = plainDecimal(number)
  return { shown: isText ? text : { number: text }, order: number }
}

function distinctKey(how: How, value: unknown): string | undefined {
  if (how === 'instant') return timeOf(value)?.toString()
  return valueKey(how, value).id
}

/** Computes a function of the values of a group's records. */
function measured(is: string, { at, path, values }: { at: number; path: FieldPath; values: readonly unknown[] }): Measured {
  const { how } = path
  const type = valueType(path)
  const taken = <T>(form: (value: unknown) => T | undefined): { readonly found: readonly T[]; readonly skipped: number } => {
    const found = values.flatMap((value) => form(value) ?? [])
    return { found: found as T[], skipped: values.length - found.length }
  }
  if (is === 'distinct') {
    const keys = values.map((value) => distinctKey(how, value))
    const size = new Set(keys.filter((key) => key !== undefined)).size
    return { ...ofNumber(decimalOfNumber(size), false), skipped: keys.filter((key) => key === undefined).length }
  }
  if (how === 'instant') {
    const { found, skipped } = taken(timeOf)
    const best = found.toSorted((a, b) => (a < b ? -1 : 1)).at(is === 'min' ? 0 : -1)
    return best === undefined ? { ...nothing, skipped } : { shown: utcOf(best), order: best, skipped }
  }
  if (type === 'string' && how !== 'decimal' && (is === 'min' || is === 'max')) {
    const { found, skipped } = taken((value) => (typeof value === 'string' ? kept(value) : undefined))
    const best = found.toSorted(compareCodePoints).at(is === 'min' ? 0 : -1)
    return best === undefined ? { ...nothing, skipped } : { shown: best, order: best, skipped }
  }
  const { found, skipped } = taken(numberOf)
  const ordered = found.toSorted(compareDecimals)
  const sum = found.reduce(add, { units: 0n, scale: 0 })
  const results: Record<string, () => Decimal | undefined> = {
    sum: () => sum,
    avg: () => averageOf(sum, found.length),
    min: () => ordered[0],
    max: () => ordered.at(-1),
    median: () => ordered[Math.max(0, Math.ceil(0.5 * found.length) - 1)],
    percentile: () => ordered[Math.max(0, Math.ceil(at * found.length) - 1)],
  }
  return { ...ofNumber(found.length === 0 ? undefined : results[is]?.(), type === 'string'), skipped }
}

/** Compares parts of an order; undefined is last in both directions. */
function compareParts(a: unknown, b: unknown, isDescending: boolean): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1
  const isDecimal = (value: unknown): value is Decimal => isObject(value) && typeof value['units'] === 'bigint'
  const order = isDecimal(a) && isDecimal(b) ? compareDecimals(a, b) : compareJson(a, b)
  return isDescending ? -order : order
}

interface Grouped {
  readonly keys: readonly Key[]
  readonly records: Json[]
}

interface Resulting {
  readonly keys: readonly Key[]
  readonly results: readonly Measured[]
}

function compareGroups(a: Resulting, b: Resulting, sorted: readonly { at: number; isMeasure: boolean; isDescending: boolean }[]): number {
  for (const { at, isMeasure, isDescending } of sorted) {
    const parts = (each: Resulting): readonly unknown[] => (isMeasure ? [each.results[at]?.order] : (each.keys[at]?.order ?? []))
    const [left, right] = [parts(a), parts(b)]
    for (let part = 0; part < Math.max(left.length, right.length); part++) {
      const order = compareParts(left[part], right[part], isDescending)
      if (order !== 0) return order
    }
  }
  return 0
}

/** Finds the texts that are shown for keys in lower case: the commonest, of equally common ones the first. */
function commonest(groups: readonly (readonly Key[])[]): ReadonlyMap<string, string> {
  const uses = new Map<string, Map<string, number>>()
  for (const { id, text } of groups.flat())
    if (text !== undefined) {
      const counts = uses.get(id) ?? new Map<string, number>()
      uses.set(id, counts.set(text, (counts.get(text) ?? 0) + 1))
    }
  const best = (counts: ReadonlyMap<string, number>): string =>
    [...counts].toSorted(([a, left], [b, right]) => right - left || compareCodePoints(a, b))[0]?.[0] ?? ''
  return new Map([...uses].map(([id, counts]) => [id, best(counts)]))
}

/** Lists the groups of records: all combinations of their keys. */
const combine = (keys: readonly (readonly Key[])[]): readonly (readonly Key[])[] =>
  keys.reduce<readonly (readonly Key[])[]>((found, each) => found.flatMap((before) => each.map((key) => [...before, key])), [[]])

/** Shortens a number that no filter can hold, so that it compares with all that a filter can hold as before. */
function shortened(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  if (text.length <= 400) return text
  return whole.length > 350 ? `${whole.startsWith('-') ? '-' : ''}1e350` : `${whole}.${fraction.slice(0, 40)}1`
}

/** Returns whether results satisfy `having`. Numbers compare as decimal strings, which keep every digit. */
function isHeld(names: readonly string[], results: readonly Measured[], having: Json | undefined): boolean {
  const shown = results.map(({ shown: value, order }) =>
    isObject(value)
      ? shortened(String(value['number']))
      : typeof value === 'string' && typeof order !== 'string'
        ? shortened(value)
        : value,
  )
  const schemas = results.map(({ order }): Field => {
    if (typeof order === 'bigint') return { type: 'string', format: 'date-time' }
    return typeof order === 'string' ? { type: 'string' } : { type: 'string', 'x-compare': 'decimal' }
  })
  const fields: Fields = Object.fromEntries(names.map((name, index) => [name, schemas[index] ?? {}]))
  return isFound(fields, Object.fromEntries(names.map((name, index) => [name, shown[index]])), having)
}

/** Computes all rows of an aggregate over the records that its filter finds. */
export function groupsOf(fields: Fields, records: readonly Json[], asked: AskedAggregate): ExpectedGroups {
  const scope = { members: fields, schema: undefined }
  const paths = asked.group_by.map(({ field }) => resolvePath(scope, field))
  const keysBy = records.map((record) => asked.group_by.map((each, index) => keysOf(each, paths[index] as FieldPath, record)))
  const texts = asked.group_by.map((_each, index) => commonest(keysBy.map((keys) => keys[index] ?? [])))
  const groups = new Map<string, Grouped>()
  const skipped: Record<string, number> = {}
  const skip = (name: string, count: number): void => {
    if (count > 0) skipped[name] = (skipped[name] ?? 0) + count
  }
  if (asked.group_by.length === 0) groups.set('[]', { keys: [], records: [] })
  for (const [at, record] of records.entries())
    for (const keys of combine(keysBy[at] ?? [])) {
      for (const [index, key] of keys.entries()) if (key === unfit) skip(asked.group_by[index]?.as ?? '', 1)
      if (keys.includes(unfit)) continue
      const id = JSON.stringify(keys.map((key) => key.id))
      const known = groups.get(id) ?? { keys, records: [] }
      groups.set(id, known)
      known.records.push(record)
    }
  const names = Object.keys(asked.measures)
  const resulting = [...groups.values()].map(({ keys, records: own }): Resulting => {
    const results = Object.values(asked.measures).map((measure): Measured => {
      if (!isObject(measure)) return { ...ofNumber(decimalOfNumber(own.length), false), skipped: 0 }
      const { at = 0.5, ...rest } = measure
      const [[is, field] = ['', '']] = Object.entries(rest)
      const path = resolvePath(scope, String(field))
      return measured(is, { at: Number(at), path, values: own.flatMap((record) => valuesAt(record, path)) })
    })
    for (const [index, result] of results.entries()) skip(names[index] ?? '', result.skipped)
    return { keys, results }
  })
  const held = resulting.filter(({ results }) => isHeld(names, results, asked.having))
  const sorted = [
    ...(asked.sort ?? []).flatMap((each) =>
      Object.entries(each).map(([name, way]) => {
        const group = asked.group_by.findIndex(({ as }) => as === name)
        return { at: group < 0 ? names.indexOf(name) : group, isMeasure: group < 0, isDescending: way === 'desc' }
      }),
    ),
    ...asked.group_by.map((_each, at) => ({ at, isMeasure: false, isDescending: false })),
  ]
  const rows = held
    .toSorted((a, b) => compareGroups(a, b, sorted))
    .map(({ keys, results }) => [
      ...keys.map((key, index) => [asked.group_by[index]?.as ?? '', canonicalValue(texts[index]?.get(key.id) ?? key.shown)] as const),
      ...results.map(({ shown }, index) => [names[index] ?? '', shown] as const),
    ])
  return { rows, skipped }
}
