/** Finds values that JSON would change without an error: a filter would be missing, or a call would reach another record. */
import { isObject } from '../../definition/object.ts'
import { pointTo } from './pointer.ts'

/** A value that would arrive changed. */
export interface LossyValue {
  /** JSON pointer to the value. */
  readonly field: string
  readonly message: string
  readonly error_code: string
}

function describeLoss(value: unknown): Omit<LossyValue, 'field'> | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? { message: 'must be a valid Date', error_code: 'date' } : undefined
  if (typeof value !== 'number') return undefined
  if (!Number.isFinite(value)) return { message: 'must be a finite number', error_code: 'value' }
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined
  return {
    message: 'is too long for a number and lost digits: write it as a string of digits, in code also as a bigint',
    error_code: 'value',
  }
}

/**
 * Lists the values that JSON would change: invalid dates and infinite numbers become null, whole numbers beyond ±(2^53-1) have lost digits
 * before they are written. A bigint has every digit.
 * @param value what will be written; an object that occurs twice, or within itself, is searched once
 * @param field JSON pointer (RFC 6901) to the value
 * @param seen objects that were searched before; the search adds to it
 */
export function listLossyValues(value: unknown, field = '', seen = new Set<object>()): readonly LossyValue[] {
  const loss = describeLoss(value)
  if (loss !== undefined) return [{ field, ...loss }]
  if ((!isObject(value) && !Array.isArray(value)) || seen.has(value)) return []
  seen.add(value)
  return Object.entries(value).flatMap(([name, inner]) => listLossyValues(inner, pointTo(field, name), seen))
}
