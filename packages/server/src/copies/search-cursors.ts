/** Cursors of searches and aggregates: each is bound to a connector and a query. */
import { type CursorScope, signCursor, verifyCursor } from '../values/cursor.ts'
import { canonicalJson, digestText } from '../values/ids.ts'
import type { AggregateQuery } from './search/aggregates/tree.ts'
import type { Position, SearchQuery } from './search/tree.ts'

/** What a cursor of a search is bound to. */
export interface SearchedBy {
  /** HMAC SHA-256 key. */
  readonly key: Uint8Array
  /** UUID of the connector. */
  readonly connector: string
  readonly query: SearchQuery
  readonly now: number
}

/** Binds cursors to a connector and a query. `limit` is left out because it may change between pages. */
const toCursorScope = ({ key, connector, query: { table, asked }, now }: SearchedBy): CursorScope => {
  const { filter = null, text = null, sort = null, fields = null, include } = asked
  const added = include === undefined ? [] : [include]
  const digest = digestText(canonicalJson([connector, table.kind, table.entity, filter, text, sort, fields, ...added]))
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

/** Binds cursors of an aggregate as those of a search. */
export const toAggregateScope = (by: Omit<SearchedBy, 'query'>, { search: { table }, asked }: AggregateQuery): CursorScope => {
  const digest = digestText(canonicalJson([by.connector, table.kind, table.entity, asked]))
  return { key: by.key, purpose: 'aggregate', digest, belongsTo: 'query, entity or connector', now: by.now }
}
