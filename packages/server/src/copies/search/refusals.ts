/** Refusals of a search: the error code, a sentence, and a JSON pointer into the request body. */
import type { FerruleError } from 'ferrule'
import { fail, pointTo } from 'ferrule/internal'
import type { SearchTable } from './columns.ts'

/** Pointer to a value of the request. */
export interface RequestPointer {
  /** JSON pointer (RFC 6901), for example `/params/query/filter/eq/title`. */
  readonly at: string
}

/** Returns the pointer to a value below another. */
export const appendPointer = (pointer: RequestPointer, ...names: readonly (string | number)[]): RequestPointer => ({
  at: pointTo(pointer.at, ...names),
})

const problem = ({ at }: RequestPointer, message: string, error_code: string) => ({ errors: [{ field: at, message, error_code }] })

/**
 * Creates the error for an invalid value.
 * @param how code of the problem, and a hint when there is more to say than "correct it"
 */
export function invalid(
  pointer: RequestPointer,
  message: string,
  how: string | { readonly code: string; readonly hint: string } = 'type',
): FerruleError {
  const { code, ...more } = typeof how === 'string' ? { code: how } : how
  return fail('invalid_parameter', { reason: `${pointer.at} ${message}` }, { ...problem(pointer, message, code), ...more })
}

/** Creates the error for a missing parameter. */
export const missing = (pointer: RequestPointer): FerruleError =>
  fail('missing_parameter', { reason: `${pointer.at} is required` }, problem(pointer, 'is required', 'required'))

/** Creates the error for a field that the entity does not offer for search. */
export const notSearchable = (pointer: RequestPointer & { readonly asked: string }, table: SearchTable): FerruleError => {
  const known = table.columns.map(({ name }) => name).join(', ')
  return fail(
    'field_not_searchable',
    { field: pointer.asked, entity: table.entity, known },
    problem(pointer, `is no searchable field of ${table.entity}; known: ${known}`, 'unknown'),
  )
}

/** Creates the error for an operator that is unknown, or that the field's type does not support. */
export const notSupported = (pointer: RequestPointer, operator: string, reason: string): FerruleError =>
  fail('operator_not_supported', { operator, reason }, problem(pointer, `cannot be used here: ${reason}`, 'operator'))

/** Creates the error for a query that exceeds a limit. */
export const tooComplex = (pointer: RequestPointer, reason: string): FerruleError =>
  fail('query_too_complex', { reason: `${pointer.at} ${reason}` }, problem(pointer, reason, 'limit'))
