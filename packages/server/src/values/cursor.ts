/**
 * Signs cursors: the position after a page, bound to its list, as base64url. A JSON array after its signature (HMAC SHA-256, cut to 16
 * bytes): form of the position, seconds since 1970, digest of the list, position.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { fail } from 'ferrule/internal'
import type { Page } from 'ferrule/wire'
import type { PrincipalView } from './access.ts'
import { asId, digestParts, type IdSource } from './ids.ts'

/** Lifetime of a cursor in milliseconds. */
const cursorLife = 24 * 60 * 60 * 1_000
const macLength = 16
const digestLength = 16

/** The position after a page; its form says how to read it. */
export type CursorPosition = readonly [form: number, ...position: readonly (string | null)[]]

/** What a cursor is bound to. */
export interface CursorScope {
  readonly key: Uint8Array
  /** Separates uses of one key: a cursor is valid for its purpose only. */
  readonly purpose: string
  /** Digest of the list and the query. */
  readonly digest: string
  /** What another digest means, for the error. */
  readonly belongsTo: string
  readonly now: number
  /** Milliseconds for which a cursor is valid; default: `cursorLife`. */
  readonly life?: number
}

type CursorContent = readonly [form: number, seconds: number, digest: string, ...position: (string | null)[]]

const computeMac = ({ key, purpose }: CursorScope, payload: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`ferrule ${purpose} cursor\n`).update(payload).digest().subarray(0, macLength)

/** Signs a position. */
export function signCursor([form, ...position]: CursorPosition, scope: CursorScope): string {
  const payload = Buffer.from(JSON.stringify([form, Math.floor(scope.now / 1_000), scope.digest.slice(0, digestLength), ...position]))
  return Buffer.concat([computeMac(scope, payload), payload]).toString('base64url')
}

/**
 * Returns the position of a cursor.
 * @throws FerruleError `invalid_cursor` with the reason: not made here, too old, or of another list or query
 */
export function verifyCursor(cursor: string, scope: CursorScope): CursorPosition {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, payload] = [bytes.subarray(0, macLength), bytes.subarray(macLength)]
  if (mac.length !== macLength || !timingSafeEqual(mac, computeMac(scope, payload))) throw failCursor('it was not made here')
  const [form, seconds, digest, ...position] = JSON.parse(payload.toString()) as CursorContent // only `signCursor` signs
  if (digest !== scope.digest.slice(0, digestLength)) throw failCursor(`it belongs to another ${scope.belongsTo}`)
  const { life = cursorLife } = scope
  if (scope.now - seconds * 1_000 > life) throw failCursor('it is older than 24 hours')
  return [form, ...position]
}

const failCursor = (reason: string) => fail('invalid_cursor', { reason })

/** Key and clock of cursors. */
export interface CursorSource {
  readonly masterKeys: { readonly current: () => { readonly cursors: Uint8Array } }
  readonly source: Pick<IdSource, 'clock'>
}

/** Default page size of the platform's lists. */
export const defaultLimit = 20

/** A list with its query and its caller's view. */
export interface ListScope {
  /** Name of the list, with its owner: `syncs of <connector>`. */
  readonly list: string
  /** Limits the rows beside the query. */
  readonly view: PrincipalView
  readonly query: { readonly limit?: number; readonly cursor?: string }
}

/** Binds cursors to a list and its query without `limit`, which may change between pages. */
function toCursorScope({ masterKeys, source }: CursorSource, { list, view, query }: ListScope): CursorScope {
  const asked = Object.entries(query)
    .filter(([name]) => name !== 'limit' && name !== 'cursor')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const digest = digestParts(list, view.organizationId, view.workspaceIds, view.connectorIds, asked)
  return { key: masterKeys.current().cursors, purpose: 'list', digest, belongsTo: 'query, list or organization', now: source.clock() }
}

/** Returns the id before the page; undefined for the first page. @throws FerruleError as `verifyCursor` */
export function readPosition(parts: CursorSource, scope: ListScope): string | undefined {
  const { cursor } = scope.query
  if (cursor === undefined) return undefined
  const [, id] = verifyCursor(cursor, toCursorScope(parts, scope))
  return asId(id)
}

/** Builds a page from rows that were read with the limit plus one. */
export function buildPage<R extends { readonly id: string }, T>(
  parts: CursorSource,
  scope: ListScope & { readonly rows: readonly R[] },
  map: (row: R) => T,
): Page<T> {
  const { rows, query } = scope
  const shown = rows.slice(0, query.limit ?? defaultLimit)
  const last = shown.at(-1)
  const hasMore = last !== undefined && rows.length > shown.length
  return { data: shown.map(map), next: hasMore ? signCursor([1, last.id], toCursorScope(parts, scope)) : null }
}
