/** Integers that are written as texts. */
import { partsOf } from '../definition/document.ts'
import type { Field, Fields } from '../definition/fields.ts'
import { isObject } from '../definition/object.ts'

/** A decimal text without a fraction as an integer with all its digits; null for any other text. */
export const integerOf = (text: string): number | bigint | null => {
  if (!/^-?\d{1,30}$/.test(text)) return null
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
}

/** Whether a field is an integer: one that fits a double, or one that can exceed it. */
const isSmall = (field: Field): boolean => Reflect.get(field, 'type') === 'integer'
const isLarge = (field: Field): boolean => Reflect.get(field, 'x-integer') === true

const holdsInteger = (field: Field): boolean => {
  const { properties, items } = partsOf(field)
  return isSmall(field) || isLarge(field) || [...Object.values(properties), ...(items === undefined ? [] : [items])].some(holdsInteger)
}

/** The fields that are integers, or hold some. */
export const integersOf = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]: [string, Field]) => holdsInteger(field)))

const readOne = (field: Field, value: unknown): unknown => {
  if (typeof value === 'string' && (isSmall(field) || isLarge(field))) {
    const integer = integerOf(value)
    return integer === null || (isSmall(field) && typeof integer === 'bigint') ? value : integer
  }
  const { properties, items } = partsOf(field)
  if (Array.isArray(value) && items !== undefined) return value.map((element) => readOne(items, element))
  return isObject(value) ? readIntegers(properties, value) : value
}

/**
 * The same values, with texts of digits as the integers that the fields declare: callers that know ids as texts need not convert them.
 * Every other text stays, and is refused as what it is.
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
