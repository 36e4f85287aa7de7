/** The position of a page as parameters: what may go with it, and a URL of the next page taken apart. */
import { type FerruleError, fail } from '../errors.ts'
import type { Connection } from './connection.ts'
import { positionsOf } from './meta.ts'
import type { CompiledOperation } from './operation.ts'
import { ownOriginOf, prefixOf } from './origin.ts'
import type { Params } from './params.ts'
import { pathOf } from './request.ts'

const refused = (name: string, message: string): FerruleError =>
  fail(
    'invalid_parameter',
    { reason: `/params/${name} ${message}` },
    { errors: [{ field: `/params/${name}`, message, error_code: 'position' }] },
  )

/** The names that may not go with a position. */
function excludedBy(operation: CompiledOperation, position: string, params: Params): string[] {
  const kept = new Set([position, ...(positionsOf(operation)?.alone ?? []), ...operation.required])
  return Object.keys(params).filter((name) => !kept.has(name))
}

/** Whether a URL is a page of this very list, on the connector's own host. */
function isOwnPage(connection: Connection, operation: CompiledOperation, { url, params }: { url: URL; params: Params }): boolean {
  const hosts = [ownOriginOf(connection), ...(connection.origin === undefined ? [] : [connection.origin.api])].map(
    (origin) => new URL(origin).origin,
  )
  return (
    hosts.includes(url.origin) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '' &&
    url.pathname === prefixOf(connection) + pathOf(operation, { ...params })
  )
}

const takenApart = (connection: Connection, operation: CompiledOperation, params: Params): Params => {
  const page = positionsOf(operation)
  const name = page?.url ?? ''
  const given = String(params[name])
  const { [name]: _url, ...rest } = params
  const url = URL.canParse(given) ? new URL(given) : undefined
  const position = url?.searchParams.get(page?.next.from ?? '')
  const wrong = () => refused(name, 'is not the URL of a page of this list at this connector')
  if (page === undefined || url === undefined || !position || !isOwnPage(connection, operation, { url, params })) throw wrong()
  const size = Number(url.searchParams.get('limit'))
  const limit = 'limit' in operation.operation.params && rest['limit'] === undefined && size > 0 ? { limit: size } : {}
  const next = { ...rest, ...limit, [page.next.param]: position }
  // What the URL holds obeys the same rules as what a caller writes.
  if (operation.params.problems(next).length > 0) throw wrong()
  return next
}

/**
 * The parameters with the position as the vendor takes it. A URL of the next page is never fetched: only its position and page
 * size are used, on the connector's own base.
 * @throws FerruleError `invalid_parameter` for a filter beside a position, or a URL that is not a page of this list
 */
export function followed(connection: Connection, operation: CompiledOperation, params: Params): Params {
  const page = positionsOf(operation)
  if (page?.alone === undefined) return params
  const names = [page.next.param, page.url].filter((name) => name !== undefined && params[name] !== undefined)
  const [position] = names
  if (position === undefined) return params
  const [excluded] = excludedBy(operation, position, params)
  if (excluded !== undefined) throw refused(excluded, `cannot go with ${position}: the filters of the first page stay in force`)
  return position === page.url ? takenApart(connection, operation, params) : params
}
