/** Errors of filters: in a text with line and column, in JSON with a pointer. */
import { type FerruleError, fail, failValidation, joinProblems, type Problem } from '../../errors.ts'

/** Shortens a piece of a filter for a message. */
export const shorten = (piece: string): string => (piece.length > 40 ? `${piece.slice(0, 40)}…` : piece)

/** Finds the position of an index: line and column, both from 1; the column counts UTF-16 code units. */
export function findPosition(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

const formatPosition = ({ line, column }: { readonly line: number; readonly column: number }): string =>
  line === 1 ? `at column ${column}` : `at line ${line}, column ${column}`

const failSize = (problem: Problem): FerruleError => fail('query_too_complex', { reason: joinProblems([problem]) }, { errors: [problem] })

/** Makes the error of a text. @param at index of what is wrong */
export function refuse(text: string, at: number, message: string): FerruleError {
  const position = findPosition(text, at)
  return failValidation([
    { field: '/filter', message: `cannot be read ${formatPosition(position)}: ${message}`, error_code: 'syntax', ...position },
  ])
}

/** Makes the error of a text that exceeds a limit. @param at index of what is too much @param message follows "the filter" */
export function refuseSize(text: string, at: number, message: string): FerruleError {
  const position = findPosition(text, at)
  return failSize({ field: '/filter', message: `${message} ${formatPosition(position)}`, error_code: 'limit', ...position })
}

/** Makes the error of a value that is no filter. @param field JSON pointer to the value */
export const refuseJson = (field: string, message: string): FerruleError => failValidation([{ field, message, error_code: 'type' }])

/** Makes the error of a filter in JSON that exceeds a limit. @param field JSON pointer to what is too much */
export const refuseJsonSize = (field: string, message: string): FerruleError => failSize({ field, message, error_code: 'limit' })
