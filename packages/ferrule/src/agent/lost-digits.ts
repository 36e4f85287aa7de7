/** Numbers that lost digits before they came here: frameworks read the arguments of a model as doubles. */
import { isObject } from '../definition/object.ts'
import type { Problem } from '../errors.ts'

/** Deepest level that is searched; no operation has parameters of more levels. */
const deepest = 64

/**
 * Finds whole numbers that a double may have changed. A call with such an id would reach another record.
 * @param given arguments; digits in a string are exact
 * @param field JSON pointer to them
 */
export function findLostDigits(given: unknown, field = ''): readonly Problem[] {
  if (typeof given === 'number' && Number.isInteger(given) && !Number.isSafeInteger(given))
    return [{ field, message: 'is too long for a number and lost digits: write it as a string of digits', error_code: 'value' }]
  if ((!isObject(given) && !Array.isArray(given)) || field.split('/').length > deepest) return []
  return Object.entries(given).flatMap(([name, value]) =>
    findLostDigits(value, `${field}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
}
