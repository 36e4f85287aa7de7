/** Integers in strings. */
import { readInnerFields } from '../../definition/document.ts'
import type { Field, Fields } from '../../definition/fields.ts'
import { isObject } from '../../definition/object.ts'

/** Parses a decimal string without a fraction to an integer with all its digits; null for any other string. */
export const parseInteger = (text: string): number | bigint | null => {
  if (!/^-?\d{1,30}$/.test(text)) return null
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

/** Returns whether a field is an integer within a double. */
const isSmall = (field: Field): boolean => Reflect.get(field, 'type') === 'integer'
const isLarge = (field: Field): boolean => Reflect.get(field, 'x-integer') === true

const holdsInteger = (field: Field): boolean => {
  const { properties, items } = readInnerFields(field)
  return isSmall(field) || isLarge(field) || [...Object.values(properties), ...(items === undefined ? [] : [items])].some(holdsInteger)
}

/** Finds the fields that are integers or contain integers. */
export const findIntegerFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]: [string, Field]) => holdsInteger(field)))

const readOne = (field: Field, value: unknown): unknown => {
  if (typeof value === 'string' && (isSmall(field) || isLarge(field))) {
    const integer = parseInteger(value)
    return integer === null || (isSmall(field) && typeof integer === 'bigint') ? value : integer
  }
  const { properties, items } = readInnerFields(field)
  if (Array.isArray(value) && items !== undefined) return value.map((element) => readOne(items, element))
  return isObject(value) ? readIntegers(properties, value) : value
}

/**
 * Converts strings of digits to the integers that the fields declare, because callers may know ids as strings. Other strings stay, and
 * validation refuses them.
 */
export function readIntegers(fields: Fields, values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let read = values
  for (const [name, field] of Object.entries(fields) as [string, Field][]) {
    if (!Object.hasOwn(values, name)) continue
    const value = readOne(field, values[name])
    if (value !== values[name]) read = { ...read, [name]: value }
  }
  return read
}
