/** Signs the cursors of lists. A cursor holds the last id of a page, bound to the list, the organization and the query. */

import { fail } from 'ferrule/internal'
import type { Page } from 'ferrule/wire'
import type { PrincipalView } from './access.ts'
import { asId, type IdSource } from './ids.ts'
import { digestParts } from './secret-text.ts'
import { cursorLife, signCursor, verifyCursor } from './signed-cursor.ts'

/** Key and clock of cursors. */
export interface CursorSource {
  readonly masterKeys: { readonly current: () => { readonly cursors: Uint8Array } }
  readonly source: Pick<IdSource, 'clock'>
}

/** Default page size of the platform's lists. */
export const defaultLimit = 20
const version = 1
const purpose = 'list'

interface Query {
  readonly limit?: number
  readonly cursor?: string
}

/** A list with its query and its caller's view. */
export interface ListScope {
  /** Name of the list, with its owner: `syncs of <connector>`. */
  readonly list: string
  /** Limits the rows beside the query. */
  readonly view: PrincipalView
  readonly query: Query
}

/** Returns a digest of the query without `limit`, which may change between pages. */
function digestQuery({ list, view: { organizationId, workspaceIds, connectorIds }, query }: ListScope): string {
  const asked = Object.entries(query)
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return digestParts(list, organizationId, workspaceIds, connectorIds, asked).slice(0, 16)
}

const getSeal = ({ masterKeys }: Pick<CursorSource, 'masterKeys'>) => ({ key: masterKeys.current().cursors, purpose })

/**
 * Returns the id before the page; undefined for the first page.
 * @throws FerruleError `invalid_cursor` with the reason: not made here, older than 24 hours, or of another list, organization or query
 */
export function readPosition(parts: CursorSource, scope: ListScope): string | undefined {
  const { cursor } = scope.query
  if (cursor === undefined) return undefined
  const [made, seconds, bound, position] = verifyCursor(cursor, getSeal(parts)) ?? []
  const id = typeof position === 'string' ? asId(position) : undefined
  if (made !== version || id === undefined) throw fail('invalid_cursor', { reason: 'it was not made here' })
  if (bound !== digestQuery(scope)) throw fail('invalid_cursor', { reason: 'it belongs to another query, list or organization' })
  if (parts.source.clock() - Number(seconds) * 1_000 > cursorLife) throw fail('invalid_cursor', { reason: 'it is older than 24 hours' })
  return id
}

/** Builds a page from rows that were read with the limit plus one. */
export function buildPage<R extends { readonly id: string }, T>(
  parts: CursorSource,
  scope: ListScope & { readonly rows: readonly R[] },
  map: (row: R) => T,
): Page<T> {
  const { rows, query } = scope
  const limit = query.limit ?? defaultLimit
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const content = [version, Math.floor(parts.source.clock() / 1_000), digestQuery(scope), last?.id]
  return { data: shown.map(map), next: rows.length > limit ? signCursor(content, getSeal(parts)) : null }
}
