/** Parses fields of related records written as text, as commands and agents give them: `primaryUserId.firstName` (docs/search.md). */
import { failValidation, moveProblems } from '../errors.ts'

/** Splits a text before its last name. */
function parseField(text: string): readonly [reference: string, field: string] {
  const at = text.lastIndexOf('.')
  const [reference, field] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()]
  if (reference !== '' && field !== '') return [reference, field]
  throw failValidation([
    { field: '/include', message: 'must be a reference and a field, such as primaryUserId.firstName', error_code: 'syntax' },
  ])
}

/**
 * Parses fields of related records to the `include` of a search.
 * @returns the fields by their reference; undefined without any
 * @throws FerruleError `validation_failed` with the number of the text
 */
export function parseInclude(texts: readonly string[]): Readonly<Record<string, readonly string[]>> | undefined {
  const fields = texts.map((text, index) => moveProblems(`/include/${index}`, () => parseField(text)))
  const byReference = Map.groupBy(fields, ([reference]) => reference)
  return fields.length === 0
    ? undefined
    : Object.fromEntries([...byReference].map(([reference, own]) => [reference, own.map(([, field]) => field)]))
}
