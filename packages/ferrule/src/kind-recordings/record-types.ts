/** Checks the types of records against the fields of a kind. Pure. */
import { type Field, type Fields, isExactInteger } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'
import { parseTime } from '../engine/json/vendor-times.ts'
import { show } from './compare.ts'

const isWhole = (value: unknown): boolean => typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))

/** Tests by the names of types. */
const types: Readonly<Record<string, (value: unknown, field: Field) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
  integer: (value, field) => isWhole(value) || (isExactInteger(field) && typeof value === 'bigint'),
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
}

const day = /^\d{4}-\d{2}-\d{2}$/
const decimal = /^-?\d+(?:\.\d+)?$/

/** Returns what a text must be and is not; undefined if it fits. */
function findWrongForm(field: Field, value: string): string | undefined {
  if (field.format === 'date-time' && Number.isNaN(parseTime(value, field))) return 'a date-time'
  if (field.format === 'date' && !day.test(value)) return 'a date'
  return field['x-compare'] === 'decimal' && !decimal.test(value) ? 'a decimal number' : undefined
}

/** Lists what does not fit a field: the place, what is there, and what the kind says. */
function listValueProblems(field: Field, value: unknown, at: string): string[] {
  const named = [field.type ?? []].flat()
  if (value === null && named.length > 0 && !named.includes('null'))
    return [`${at} is null or missing, and the kind says that it is always there: a ? behind its type allows it`]
  if (named.length > 0 && !named.some((type) => types[type]?.(value, field) ?? true))
    return [`${at} is ${show(value)}, and the kind says ${named.join(' or ')}`]
  if (typeof value === 'string') {
    const form = findWrongForm(field, value)
    return form === undefined ? [] : [`${at} is ${show(value)}, and the kind says ${form}`]
  }
  const { items, properties } = field
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((one, index) => listValueProblems(items, one, `${at}[${index}]`))
  return isObject(value) && properties !== undefined ? listTypeProblems(properties, value, `${at}.`) : []
}

/** Lists what does not fit the fields of a record. */
export const listTypeProblems = (fields: Fields, record: Readonly<Record<string, unknown>>, at = ''): string[] =>
  Object.entries(fields).flatMap(([name, field]) => listValueProblems(field, record[name] ?? null, `${at}${name}`))

/** Notes which fields records have, and which of them the kind does not know. */
export class SeenFields {
  readonly #filled = new Set<string>()
  readonly #unknown = new Set<string>()

  /** Notes the fields of a record. */
  add(fields: Fields, record: Readonly<Record<string, unknown>>, at = ''): void {
    for (const [name, value] of Object.entries(record)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field === undefined) this.#unknown.add(`${at}${name}`)
      else if (value !== null) this.#addKnown(field, value, `${at}${name}`)
    }
  }

  #addKnown(field: Field, value: unknown, at: string): void {
    this.#filled.add(at)
    const { properties, items } = field
    if (Array.isArray(value)) for (const one of value) this.#addKnown(items ?? {}, one, at)
    else if (properties !== undefined && isObject(value)) this.add(properties, value, `${at}.`)
  }

  /** Fields of records that the kind does not name. */
  get unknown(): readonly string[] {
    return [...this.#unknown].toSorted()
  }

  /** Lists fields of the kind that no record has, by their paths. Below a field that is missing no more is said. */
  listMissing(fields: Fields, at = ''): readonly string[] {
    return Object.entries(fields).flatMap(([name, field]) => {
      const path = `${at}${name}`
      if (!this.#filled.has(path)) return [path]
      return this.listMissing(field.properties ?? field.items?.properties ?? {}, `${path}.`)
    })
  }
}
