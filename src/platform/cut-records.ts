/** Cuts what is answered to what the caller asked for: fields of the records, and the length of their texts. */
import { JsonText, parseJson } from '../engine/json.ts'
import type { ExecuteRequest } from './execute-request.ts'
import type { Cut, Found } from './executed.ts'
import { fieldProjection } from './project-fields.ts'
import { shortenTexts } from './shorten-text.ts'

/** The part of a request that says what is wanted of the records. */
export type Wish = Pick<ExecuteRequest, 'select_fields' | 'exclude_fields' | 'skip_truncation'>

const projectionOf = (wish: Wish) => fieldProjection({ select: wish.select_fields, exclude: wish.exclude_fields })

/** Cuts the records of a list. */
export function cutRecords(records: readonly unknown[], wish: Wish): { readonly data: readonly unknown[] } & Cut {
  const project = projectionOf(wish)
  const data = project === undefined ? records : records.map(project)
  if (wish.skip_truncation !== false) return { data }
  const shortened = shortenTexts(data)
  return { data: shortened.records, truncatedFields: shortened.paths }
}

/** Whether records go out as they are. */
export const isWhole = (wish: Wish): boolean => projectionOf(wish) === undefined

/** Cuts a single record, which keeps its texts. */
export const cutRecord = (record: unknown, wish: Wish): unknown => projectionOf(wish)?.(record) ?? record

/** Cuts what a search found; its JSON is taken apart only where something has to be cut. */
export function cutFound(found: Found, wish: Wish): Found {
  const isUntouched = isWhole(wish) && wish.skip_truncation !== false
  if (isUntouched || !(found.data instanceof JsonText)) return found
  const records = parseJson(found.data.text)
  return Array.isArray(records) ? { ...found, ...cutRecords(records, wish) } : found
}
