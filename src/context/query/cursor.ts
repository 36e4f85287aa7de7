/** Cursors of searches: the keys of the last record of a page, signed, and bound to the query that they were made for. */
import { createHash } from 'node:crypto'
import { isObject } from '../../definition/object.ts'
import { fail } from '../../errors.ts'
import type { Position } from './order.ts'
import { cursorLife, readCursor, signedCursor } from './signed-cursor.ts'
import type { SearchQuery } from './tree.ts'

/** Versions of a cursor: the second one holds a place in an order by relevance. */
const versions = { 1: {}, 2: { isRanked: true } } as const
const purpose = 'search'

/** What a cursor belongs to. */
export interface CursorScope {
  /** Key of the signature (HMAC SHA-256). */
  readonly key: Uint8Array
  /** Id of the connector. */
  readonly connector: string
  readonly query: SearchQuery
  /** Milliseconds since 1970. */
  readonly now: number
}

/** JSON whose objects have their keys in order, and integers all their digits. */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value).toSorted()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

/** `limit` is not in it: it may change between pages. */
const digestOf = ({ connector, query: { table, asked } }: CursorScope): string => {
  const bound = [connector, table.kind, table.entity, asked.filter ?? null, asked.sort ?? null, asked.fields ?? null]
  return createHash('sha256').update(canonical(bound)).digest('base64url').slice(0, 16)
}

/** The cursor of the page that begins after a position. */
export function cursorOf(position: Position, scope: CursorScope): string {
  const content = [position.isRanked ? 2 : 1, Math.floor(scope.now / 1000), digestOf(scope), position.pk, ...position.keys]
  return signedCursor(content, { key: scope.key, purpose })
}

type Content = readonly [version: unknown, seconds: number, digest: string, pk: string, ...keys: (string | null)[]]

/**
 * Where the page of a cursor begins.
 * @throws FerruleError `invalid_cursor` with the reason: not made here, older than 24 hours, or of another query, entity or connector
 */
export function positionOfCursor(cursor: string, scope: CursorScope): Position {
  const content = readCursor(cursor, { key: scope.key, purpose }) as Content | undefined // only `cursorOf` signs with it
  const kind = content?.[0] === 1 || content?.[0] === 2 ? versions[content[0]] : undefined
  if (content === undefined || kind === undefined) throw fail('invalid_cursor', { reason: 'it was not made here' })
  const [, seconds, digest, pk, ...keys] = content
  if (digest !== digestOf(scope)) throw fail('invalid_cursor', { reason: 'it belongs to another query, entity or connector' })
  if (scope.now - seconds * 1000 > cursorLife) throw fail('invalid_cursor', { reason: 'it is older than 24 hours' })
  return { pk, keys, ...kind }
}
