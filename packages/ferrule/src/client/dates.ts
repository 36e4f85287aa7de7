/** Refuses invalid dates, which JSON would write as null: a filter would be missing without a word. */
import { type FerruleError, fail } from '../errors.ts'
import { pointTo } from '../json/pointer.ts'

/** Finds the place of an invalid `Date`; undefined if all are valid. */
function findInvalidDate(value: unknown, at: string): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? at : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = findInvalidDate(inner, pointTo(at, name))
    if (found !== undefined) return found
  }
  return undefined
}

const failInvalidDate = (field: string): FerruleError => {
  const message = 'must be a valid Date'
  return fail('invalid_parameter', { reason: `${field} ${message}` }, { errors: [{ field, message, error_code: 'date' }] })
}

/**
 * Checks the dates of parameters.
 * @throws FerruleError `invalid_parameter` with the place of an invalid `Date`
 */
export function checkDates(params: Readonly<Record<string, unknown>> | undefined): void {
  const found = findInvalidDate(params, '/params')
  if (found !== undefined) throw failInvalidDate(found)
}
