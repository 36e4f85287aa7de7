/** Cursors of searches: the sort keys of the last record of a page, signed and bound to their query. */
import { createHash } from 'node:crypto'
import { fail } from 'ferrule/internal'
import { canonicalJson } from '../../values/canonical-json.ts'
import { cursorLife, signCursor, verifyCursor } from '../../values/signed-cursor.ts'
import type { Position } from './order.ts'
import type { SearchQuery } from './tree.ts'

/** Versions of cursors: version 2 is a position in an order by relevance. */
const versions = { 1: {}, 2: { isRanked: true } } as const
const purpose = 'search'

/** What a cursor is bound to. */
export interface CursorScope {
  /** HMAC SHA-256 key. */
  readonly key: Uint8Array
  /** UUID of the connector. */
  readonly connector: string
  readonly query: SearchQuery
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Computes the digest of the query. `limit` is left out because it may change between pages. */
const digestQuery = ({ connector, query: { table, asked } }: CursorScope): string => {
  const { filter = null, text = null, sort = null, fields = null } = asked
  const bound = [connector, table.kind, table.entity, filter, text, sort, fields]
  return createHash('sha256').update(canonicalJson(bound)).digest('base64url').slice(0, 16)
}

/** Creates the cursor of the page after a position. */
export function createCursor(position: Position, scope: CursorScope): string {
  const content = [position.isRanked ? 2 : 1, Math.floor(scope.now / 1000), digestQuery(scope), position.pk, ...position.keys]
  return signCursor(content, { key: scope.key, purpose })
}

type Content = readonly [version: unknown, seconds: number, digest: string, pk: string, ...keys: (string | null)[]]

/**
 * Parses a cursor into the position where its page begins.
 * @throws FerruleError `invalid_cursor`: the signature is wrong, the cursor is older than 24 hours, or belongs to another query, entity
 *   or connector
 */
export function parseCursor(cursor: string, scope: CursorScope): Position {
  const content = verifyCursor(cursor, { key: scope.key, purpose }) as Content | undefined // only `createCursor` signs with this purpose
  const kind = content?.[0] === 1 || content?.[0] === 2 ? versions[content[0]] : undefined
  if (content === undefined || kind === undefined) throw fail('invalid_cursor', { reason: 'it was not made here' })
  const [, seconds, digest, pk, ...keys] = content
  if (digest !== digestQuery(scope)) throw fail('invalid_cursor', { reason: 'it belongs to another query, entity or connector' })
  if (scope.now - seconds * 1000 > cursorLife) throw fail('invalid_cursor', { reason: 'it is older than 24 hours' })
  return { pk, keys, ...kind }
}
