/** Converts the position of a page to parameters, and checks what goes with it. */
import { cursorName } from '../../definition/page.ts'
import { type FerruleError, fail } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import { buildPrefix, listOwnOrigins } from '../http/origin.ts'
import { findPositionPages, listExcluded } from './meta.ts'
import { findNextPages, readCursor } from './next-pages.ts'
import type { CompiledOperation } from './operation.ts'
import type { Params } from './params.ts'
import { buildPath } from './request.ts'

const failPosition = (name: string, message: string): FerruleError =>
  fail(
    'invalid_parameter',
    { reason: `/params/${name} ${message}` },
    { errors: [{ field: `/params/${name}`, message, error_code: 'position' }] },
  )

/** Returns whether a URL is a page of this list, on the connector's own host. */
function isOwnPage(connection: Connection, operation: CompiledOperation, { url, params }: { url: URL; params: Params }): boolean {
  return (
    listOwnOrigins(connection).includes(url.origin) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '' &&
    url.pathname === buildPrefix(connection) + buildPath(operation, { ...params })
  )
}

const parsePageUrl = (connection: Connection, operation: CompiledOperation, params: Params): Params => {
  const page = findPositionPages(operation)
  const name = page?.url ?? ''
  const given = String(params[name])
  const { [name]: _url, ...rest } = params
  const url = URL.canParse(given) ? new URL(given) : undefined
  const position = url?.searchParams.get(page?.next.from ?? '')
  const wrong = () => failPosition(name, 'is not the URL of a page of this list at this connector')
  if (page === undefined || url === undefined || !position || !isOwnPage(connection, operation, { url, params })) throw wrong()
  const size = Number(url.searchParams.get('limit'))
  const limit = 'limit' in operation.operation.params && rest['limit'] === undefined && size > 0 ? { limit: size } : {}
  const next = { ...rest, ...limit, [page.next.param]: position }
  // Parameters from a URL obey the same rules as a caller's.
  if (operation.params.problems(next).length > 0) throw wrong()
  return next
}

/**
 * Replaces the URL of a next page by its position. The URL is never fetched: only its position and page size are used, on the connector's
 * own base.
 * @throws FerruleError `invalid_parameter` for a filter beside a position, or a URL that is not a page of this list
 */
export function followPosition(connection: Connection, operation: CompiledOperation, params: Params): Params {
  if (findNextPages(operation) !== undefined) return { ...params, [cursorName]: readCursor(connection, operation, params) }
  const page = findPositionPages(operation)
  if (page?.alone === undefined) return params
  const names = [page.next.param, page.url].filter((name) => name !== undefined && params[name] !== undefined)
  const [position] = names
  if (position === undefined) return params
  const [excluded] = listExcluded(operation, position, params)
  if (excluded !== undefined) throw failPosition(excluded, `cannot go with ${position}: the filters of the first page stay in force`)
  return position === page.url ? parsePageUrl(connection, operation, params) : params
}
