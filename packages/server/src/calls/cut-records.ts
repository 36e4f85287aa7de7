/** Cuts records to the fields and string lengths of a request. */

import { JsonText, parseJson } from 'ferrule/engine'
import type { ExecuteRequest } from 'ferrule/wire'
import type { Cut, Found } from './executed.ts'
import { fieldProjection } from './project-fields.ts'
import { shortenTexts } from './shorten-text.ts'

/** The members of a request that select parts of records. */
export type Wish = Pick<ExecuteRequest, 'select_fields' | 'exclude_fields' | 'skip_truncation'>

const buildProjection = (wish: Wish) => fieldProjection({ select: wish.select_fields, exclude: wish.exclude_fields })

/** Cuts the records of a list. */
export function cutRecords(records: readonly unknown[], wish: Wish): { readonly data: readonly unknown[] } & Cut {
  const project = buildProjection(wish)
  const data = project === undefined ? records : records.map(project)
  if (wish.skip_truncation !== false) return { data }
  const shortened = shortenTexts(data)
  return { data: shortened.records, truncatedFields: shortened.paths }
}

/** Returns whether records keep all fields. */
export const isWhole = (wish: Wish): boolean => buildProjection(wish) === undefined

/** Cuts a single record, which keeps its long strings. */
export const cutRecord = (record: unknown, wish: Wish): unknown => buildProjection(wish)?.(record) ?? record

/** Cuts the result of a search. Parses its JSON only when a record must be cut. */
export function cutFound(found: Found, wish: Wish): Found {
  const isUntouched = isWhole(wish) && wish.skip_truncation !== false
  if (isUntouched || !(found.data instanceof JsonText)) return found
  const records = parseJson(found.data.text)
  return Array.isArray(records) ? { ...found, ...cutRecords(records, wish) } : found
}
