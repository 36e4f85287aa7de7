/** Cursors of searches: the sort keys of the last record of a page. */
import { canonicalJson } from '../../values/canonical-json.ts'
import { type CursorScope, signCursor, verifyCursor } from '../../values/cursor.ts'
import { digestText } from '../../values/secret-text.ts'
import type { Position, SearchQuery } from './tree.ts'

/** What a cursor of a search is bound to. */
export interface SearchedBy {
  /** HMAC SHA-256 key. */
  readonly key: Uint8Array
  /** UUID of the connector. */
  readonly connector: string
  readonly query: SearchQuery
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Binds cursors to a connector and a query. `limit` is left out because it may change between pages. */
const toCursorScope = ({ key, connector, query: { table, asked }, now }: SearchedBy): CursorScope => {
  const { filter = null, text = null, sort = null, fields = null } = asked
  const digest = digestText(canonicalJson([connector, table.kind, table.entity, filter, text, sort, fields]))
  return { key, purpose: 'search', digest, belongsTo: 'query, entity or connector', now }
}

/** Form of a position in an order by relevance. */
const ranked = 2

/** Creates the cursor of the page after a position. */
export const createCursor = ({ pk, keys, isRanked }: Position, by: SearchedBy): string =>
  signCursor([isRanked ? ranked : 1, pk, ...keys], toCursorScope(by))

/** Parses a cursor into the position where its page begins. @throws FerruleError as `verifyCursor` */
export function parseCursor(cursor: string, by: SearchedBy): Position {
  const [form, pk, ...keys] = verifyCursor(cursor, toCursorScope(by))
  return { pk: pk ?? '', keys, ...(form === ranked ? { isRanked: true } : {}) }
}
