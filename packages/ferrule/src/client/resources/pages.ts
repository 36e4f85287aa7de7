/** Walks the pages of the service's lists. */
import { fail } from '../../errors.ts'
import type { Endpoint } from '../../wire/endpoints.ts'
import type { Page } from '../../wire/paging.ts'
import { readPathBelow } from '../address.ts'
import type { RequestOptions, RequestParts, Transport } from '../transport.ts'

/** Entries of a page when a caller wants them all: the most that a page can have. */
const largestPage = 100

const elsewhere = () => fail('service_answer_invalid', { reason: 'the address of the next page is not its own' }, { retryable: false })

/** A list of the service. */
export interface ListPlace {
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
  { place, from }: { readonly place: ListPlace; readonly from: ListQuery | string },
  options: RequestOptions,
): Promise<Page<T>> {
  const { endpoint, slots = {} } = place
  if (typeof from !== 'string') return transport.json(endpoint, { slots, query: from, ...options })
  const path = readPathBelow(transport.settings.url, from)
  if (path === undefined) throw elsewhere()
  return transport.json({ method: 'GET', path }, options)
}

/** Yields the entries of all pages. @throws as `readPage` */
export async function* walkPages<T>(
  transport: Transport,
  { place, query }: { readonly place: ListPlace; readonly query: ListQuery },
  options: RequestOptions,
): AsyncGenerator<T, void, undefined> {
  for (let from: ListQuery | string | null = { limit: largestPage, ...query }; from !== null; ) {
    const page: Page<T> = await readPage(transport, { place, from }, options)
    yield* page.data
    if (page.next !== null && page.next === from) throw elsewhere()
    from = page.next
  }
}
