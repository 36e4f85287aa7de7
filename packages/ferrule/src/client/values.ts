/** Refuses values that would arrive changed at the service. */
import { fail } from '../errors.ts'
import { listLossyValues } from '../values/json/lossy.ts'

/**
 * Checks what will be sent as JSON.
 * @param field JSON pointer to the value, as the service names it
 * @throws FerruleError `invalid_parameter` with the place of each invalid `Date`, infinite number, and number that has lost digits
 */
export function checkValues(value: unknown, field = ''): void {
  const errors = listLossyValues(value, field)
  const [first] = errors
  if (first !== undefined) throw fail('invalid_parameter', { reason: `${first.field} ${first.message}` }, { errors })
}
