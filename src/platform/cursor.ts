/** Cursors of lists: the last id of a page, signed, and bound to the list, the organization and the query that it was made for. */
import { createHash } from 'node:crypto'
import { cursorLife, readCursor, signedCursor } from '../context/query/signed-cursor.ts'
import { fail } from '../errors.ts'
import { asId } from './ids.ts'
import type { Parts } from './parts.ts'
import type { Page } from './records.ts'

/** Page size of the platform's lists when the query has none. */
export const defaultLimit = 20
const version = 1
const purpose = 'list'

interface Query {
  readonly limit?: number
  readonly cursor?: string
}

/** One list, as one caller sees it. */
export interface ListScope {
  /** Name of the list, with what it is of: `syncs of <connector>`. */
  readonly list: string
  /** What decides on the rows beside the query. */
  readonly view: { readonly organizationId: string; readonly workspaceId: string | null }
  readonly query: Query
}

/** `limit` is not in it: it may change between pages. */
function digestOf({ list, view: { organizationId, workspaceId }, query }: ListScope): string {
  const asked = Object.entries(query)
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([list, organizationId, workspaceId, asked]))
    .digest('base64url')
    .slice(0, 16)
}

const sealOf = ({ masterKeys }: Pick<Parts, 'masterKeys'>) => ({ key: masterKeys.current().cursors, purpose })

/**
 * The id that the next page begins after; undefined for the first page.
 * @throws FerruleError `invalid_cursor` with the reason: not made here, older than 24 hours, or of another list, organization or query
 */
export function positionOf(parts: Pick<Parts, 'masterKeys' | 'source'>, scope: ListScope): string | undefined {
  const { cursor } = scope.query
  if (cursor === undefined) return undefined
  const [made, seconds, bound, position] = readCursor(cursor, sealOf(parts)) ?? []
  const id = typeof position === 'string' ? asId(position) : undefined
  if (made !== version || id === undefined) throw fail('invalid_cursor', { reason: 'it was not made here' })
  if (bound !== digestOf(scope)) throw fail('invalid_cursor', { reason: 'it belongs to another query, list or organization' })
  if (parts.source.clock() - Number(seconds) * 1_000 > cursorLife) throw fail('invalid_cursor', { reason: 'it is older than 24 hours' })
  return id
}

/** A page of rows that were read with one more than the limit. */
export function pageOf<R extends { readonly id: string }, T>(
  parts: Pick<Parts, 'masterKeys' | 'source'>,
  scope: ListScope & { readonly rows: readonly R[] },
  map: (row: R) => T,
): Page<T> {
  const { rows, query } = scope
  const limit = query.limit ?? defaultLimit
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const content = [version, Math.floor(parts.source.clock() / 1_000), digestOf(scope), last?.id]
  return { data: shown.map(map), next: rows.length > limit ? signedCursor(content, sealOf(parts)) : null }
}
