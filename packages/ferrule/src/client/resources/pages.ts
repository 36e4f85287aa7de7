/** Walks the pages of the service's lists. */
import { fail } from '../../errors.ts'
import type { Endpoint } from '../../wire/endpoints.ts'
import type { Page } from '../../wire/paging.ts'
import type { ScopedTokenRequest } from '../../wire/tokens.ts'
import type { RequestOptions, RequestParts, Transport } from '../transport.ts'

/** Entries of a page when a caller wants them all: the most that a page can have. */
const largestPage = 100

const elsewhere = () => fail('service_answer_invalid', { reason: 'the address of the next page is not its own' }, { retryable: false })

/** A list of the service. */
export interface ListAddress {
  readonly endpoint: Endpoint
  readonly slots?: Readonly<Record<string, string>>
}

/** A query of a list, with the size of its pages. */
export type ListQuery = NonNullable<RequestParts['query']>

/**
 * Reads one page.
 * @param from a query, or `next` of the page before
 * @throws FerruleError `service_answer_invalid` when `next` leads away from the service; as every request
 */
export async function readPage<T>(
  transport: Transport,
  { address, from }: { readonly address: ListAddress; readonly from: ListQuery | string },
  options: RequestOptions,
): Promise<Page<T>> {
  const { endpoint, slots = {} } = address
  if (typeof from !== 'string') return transport.json(endpoint, { slots, query: from, ...options })
  const path = readPathBelow(transport.settings.url, from)
  if (path === undefined) throw elsewhere()
  return transport.json({ method: 'GET', path }, options)
}

/** Yields the entries of all pages. @throws as `readPage` */
export async function* walkPages<T>(
  transport: Transport,
  { address, query }: { readonly address: ListAddress; readonly query: ListQuery },
  options: RequestOptions,
): AsyncGenerator<T, void, undefined> {
  for (let from: ListQuery | string | null = { limit: largestPage, ...query }; from !== null; ) {
    const page: Page<T> = await readPage(transport, { address, from }, options)
    yield* page.data
    if (page.next !== null && page.next === from) throw elsewhere()
    from = page.next
  }
}

/** Adds the client's workspace to a body that names no workspace, under none of the names that the service knows. */
export const addWorkspaceName = <B extends ScopedTokenRequest>({ settings }: Transport, body: B): B =>
  (body.workspace_name ?? body.customer_name ?? body.external_user_id) === undefined
    ? { ...body, workspace_name: settings.workspace }
    : body

/**
 * Reads an address below the service's own.
 * @param base the service's address without a slash at its end
 * @param address a path from the service's address on, or a whole address
 * @returns path and query from the service's address on; undefined when the address leads elsewhere
 */
export function readPathBelow(base: string, address: string): string | undefined {
  const path = address.startsWith(`${base}/`) ? address.slice(base.length) : address
  if (!path.startsWith('/') || path.startsWith('//') || !URL.canParse(`${base}${path}`)) return undefined
  const root = new URL(`${base}/`)
  const target = new URL(`${base}${path}`) // folds dots, written out or as %2e, as fetch does
  const isBelow = target.origin === root.origin && target.pathname.startsWith(root.pathname)
  return isBelow ? `${target.pathname.slice(root.pathname.length - 1)}${target.search}` : undefined
}
