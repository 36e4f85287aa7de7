import { type Sandbox, type SandboxOptions, type ShopifyWorldFacts, shopifyCredentials } from '../../packages/sandbox/src/index.ts'
import { type Answered, ask, get, openSandbox, rows } from './client.ts'

/** A day on which the store's clock is at UTC+1 and versions 2026-01 to 2026-10 are supported. */
export const start = Date.UTC(2026, 10, 20, 12)

/** One day in milliseconds. */
export const day = 86_400_000

/** Leaves somewhat more than ten thousand of the store's orders: a walk over all of them would take half as long again. */
export const manyOrders = { created_at_min: new Date(start - 3_100 * day).toISOString() } as const

/** A sandbox with a clock that a test can move, and short ways to ask its store. */
export interface Store {
  readonly sandbox: Sandbox
  readonly shopify: Sandbox['shopify']
  readonly facts: ShopifyWorldFacts
  readonly origin: string
  readonly clock: { now: number }
  /** GET below `/admin/api/2026-01`, `.json` and query included, with the token that may do everything or other headers. */
  read(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>
}

/** Headers of a request with a token. */
export function withToken(token: string): Readonly<Record<string, string>> {
  return { 'x-shopify-access-token': token }
}

/** Opens a store. */
export async function openStore(options: SandboxOptions = {}): Promise<Store> {
  const { sandbox, clock } = await openSandbox('shopify', start, options)
  const origin = sandbox.origins.shopify.api
  return {
    sandbox,
    shopify: sandbox.shopify,
    facts: sandbox.shopify.world,
    origin,
    clock,
    read: (path, headers = withToken(shopifyCredentials.token)) => ask(`${origin}/admin/api/2026-01${path}`, { headers }),
  }
}

/** Counts the orders that a filter leaves, as the store counts them. */
export async function countOrders(origin: string, filter: Readonly<Record<string, string>>): Promise<number> {
  const query = new URLSearchParams({ status: 'any', ...filter })
  const { body } = await ask(`${origin}/admin/api/2026-01/orders/count.json?${query}`, { headers: withToken(shopifyCredentials.token) })
  return Number(get(body, 'count'))
}

/** Returns the address of another page as a path for `read`; undefined without another page. */
export function linkOf(answer: Answered, rel: 'next' | 'previous'): string | undefined {
  const found = (answer.headers.get('link') ?? '').split(/,\s*(?=<)/).find((part) => part.includes(`rel="${rel}"`))
  return found && /<[^>]+\/admin\/api\/[\d-]+([^>]+)>/.exec(found)?.[1]
}

/** The ids of the records under a key. */
export function idsOf(answer: Answered, key: string): readonly number[] {
  return rows(answer.body, key).map((record) => Number(get(record, 'id')))
}

/** All pages of a list from a path on, at most 100. */
export async function walkLinks(read: Store['read'], path: string): Promise<readonly Answered[]> {
  const pages: Answered[] = []
  let next: string | undefined = path
  while (next !== undefined && pages.length < 100) {
    const page: Answered = await read(next)
    pages.push(page)
    next = linkOf(page, 'next')
  }
  return pages
}
