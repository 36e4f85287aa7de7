/** What a search is refused with: the code, a sentence, and the place (JSON pointer from the request body). */
import { type FerruleError, fail } from '../../errors.ts'
import type { SearchTable } from './columns.ts'

/** A place in the request. */
export interface Spot {
  /** JSON pointer (RFC 6901), for example `/params/query/filter/eq/title`. */
  readonly at: string
}

/** A place below another. */
export const below = (spot: Spot, ...names: readonly (string | number)[]): Spot => ({
  at: names.reduce<string>((at, name) => `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`, spot.at),
})

const problem = ({ at }: Spot, message: string, error_code: string) => ({ errors: [{ field: at, message, error_code }] })

/** A value that is not what it must be; `how` is the code of the problem, and what to do next where there is more to say than "correct it". */
export function invalid(
  spot: Spot,
  message: string,
  how: string | { readonly code: string; readonly hint: string } = 'type',
): FerruleError {
  const { code, ...more } = typeof how === 'string' ? { code: how } : how
  return fail('invalid_parameter', { reason: `${spot.at} ${message}` }, { ...problem(spot, message, code), ...more })
}

/** A parameter that is needed and absent. */
export const missing = (spot: Spot): FerruleError =>
  fail('missing_parameter', { reason: `${spot.at} is required` }, problem(spot, 'is required', 'required'))

/** A field that the entity does not offer for search. */
export const notSearchable = (spot: Spot & { readonly asked: string }, table: SearchTable): FerruleError => {
  const known = table.columns.map(({ name }) => name).join(', ')
  return fail(
    'field_not_searchable',
    { field: spot.asked, entity: table.entity, known },
    problem(spot, `is no searchable field of ${table.entity}`, 'unknown'),
  )
}

/** An operator that is unknown, or does not suit the type of its field. */
export const notSupported = (spot: Spot, operator: string, reason: string): FerruleError =>
  fail('operator_not_supported', { operator, reason }, problem(spot, reason, 'operator'))

/** More than a search may have. */
export const tooComplex = (spot: Spot, reason: string): FerruleError =>
  fail('query_too_complex', { reason: `${spot.at} ${reason}` }, problem(spot, reason, 'limit'))
