/** Prints the values of filters as JSON, and refuses what JSON lacks. */
import { isObject } from '../../definition/object.ts'
import { deepestJson } from '../json/depth.ts'
import { pointTo } from '../json/pointer.ts'
import { refuseJson, refuseJsonSize } from './refusals.ts'
import { mostPrintedValues } from './words.ts'

/** State of printing, shared by the whole filter. */
export interface Printing {
  /** Numbers of conditions and values so far. */
  conditions: number
  values: number
}

/** Place of a value. */
interface Place {
  readonly at: string
  /** Number of arrays and objects around the value. */
  readonly depth: number
  readonly printing: Printing
}

const descend = (place: Place, name: string | number): Place => ({ ...place, at: pointTo(place.at, name), depth: place.depth + 1 })

/** Returns whether an object is no instance of a class. Objects of other realms have another `Object`. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function writeScalar(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString()
  const isScalar = value === null || typeof value === 'string' || typeof value === 'boolean'
  const isTime = value instanceof Date && !Number.isNaN(value.getTime())
  return isScalar || isTime || (typeof value === 'number' && Number.isFinite(value)) ? JSON.stringify(value) : undefined
}

function writeValue(value: unknown, place: Place): string {
  place.printing.values += 1
  if (place.printing.values > mostPrintedValues)
    throw refuseJsonSize(place.at, `brings the filter to more than ${mostPrintedValues} values`)
  const scalar = writeScalar(value)
  if (scalar !== undefined) return scalar
  if (!Array.isArray(value) && !isRecord(value)) throw refuseJson(place.at, 'must be a JSON value')
  if (place.depth >= deepestJson) throw refuseJsonSize(place.at, `is nested more than ${deepestJson} deep`)
  if (Array.isArray(value)) return `[${Array.from(value, (each, index) => writeValue(each, descend(place, index))).join()}]`
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${writeValue(each, descend(place, name))}`)
  return `{${members.join()}}`
}

/**
 * Prints a value. What `JSON.stringify` would drop or turn into null is refused.
 * @param at JSON pointer to the value
 * @throws FerruleError `validation_failed`; `query_too_complex` for a value that is too deep, such as one that contains itself
 */
export const formatValue = (value: unknown, at: string, printing: Printing): string => writeValue(value, { at, depth: 0, printing })
