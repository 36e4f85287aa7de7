/** Parses which fields of a record a search returns. */
import type { SearchTable } from './columns.ts'
import { parseListedPath } from './field-paths.ts'
import { appendPointer, invalid, type RequestPointer, tooComplex } from './refusals.ts'
import type { SearchQuery, Selection } from './tree.ts'

/** Maximum number of elements of `fields`. */
const mostFields = 1000

/** Adds a path to a selection. Selecting a whole value overrides selecting parts of it. */
const addToSelection = (selection: Selection | undefined, [first, ...rest]: readonly string[]): Selection => {
  if (first === undefined || selection === true) return true
  const known = selection ?? {}
  return { ...known, [first]: addToSelection(Object.hasOwn(known, first) ? known[first] : undefined, rest) }
}

/**
 * Parses the paths of fields to return.
 * @param isOther returns whether an element is no path, and left to the caller
 * @returns undefined for all fields
 * @throws FerruleError `invalid_parameter`, `query_too_complex`, `field_not_searchable`
 */
export function parseSelection(
  table: SearchTable,
  value: unknown,
  pointer: RequestPointer,
  isOther: (element: unknown) => boolean = () => false,
): SearchQuery['selection'] {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw invalid(pointer, 'must be an array of paths')
  if (value.length > mostFields) throw tooComplex(pointer, `has more than ${mostFields} elements`)
  const found = new Map<SearchTable['columns'][number], Selection>()
  for (const [index, path] of value.entries()) {
    if (isOther(path)) continue
    const isNames = Array.isArray(path) && path.length > 0 && path.every((name) => typeof name === 'string')
    if (typeof path !== 'string' && !isNames)
      throw invalid(appendPointer(pointer, index), 'must be a path such as "user.name" or ["user", "name"]')
    const { column, steps } = parseListedPath(table, path, appendPointer(pointer, index))
    const names = steps.filter((step) => step !== null)
    if (column !== undefined) found.set(column, addToSelection(found.get(column), names))
  }
  if (found.size === 0) return undefined
  return new Map(table.columns.flatMap((column) => (found.has(column) ? [[column, found.get(column) ?? true] as const] : [])))
}
