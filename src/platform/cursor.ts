/** Cursors of lists: the last id of a page, bound to the query that it was made for. */
import { createHash } from 'node:crypto'
import { fail } from '../errors.ts'
import { asId } from './ids.ts'
import type { Page } from './records.ts'

/** Page size of the platform's lists when the query has none. */
export const defaultLimit = 20

const digest = (query: object): string => {
  const bound = Object.entries(query)
    .filter(([key]) => key !== 'limit' && key !== 'cursor')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(bound)).digest('base64url').slice(0, 12)
}

/**
 * The id that the next page begins after; undefined for the first page.
 * @throws FerruleError `invalid_cursor` when it was not made by `pageOf` for this query; `limit` may change between pages
 */
export function positionOf(query: { readonly cursor?: string }): string | undefined {
  if (query.cursor === undefined) return undefined
  const [position, bound] = Buffer.from(query.cursor, 'base64url').toString().split('.')
  const id = asId(position)
  if (id === undefined) throw fail('invalid_cursor', { reason: 'it was not made here' })
  if (bound !== digest(query)) throw fail('invalid_cursor', { reason: 'it belongs to another query' })
  return id
}

/** A page of rows that were read with one more than the limit. */
export function pageOf<R extends { readonly id: string }, T>(
  query: { readonly limit?: number },
  rows: readonly R[],
  map: (row: R) => T,
): Page<T> {
  const limit = query.limit ?? defaultLimit
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const next = rows.length > limit && last !== undefined ? Buffer.from(`${last.id}.${digest(query)}`).toString('base64url') : null
  return { data: shown.map(map), next }
}
