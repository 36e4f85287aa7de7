/** What the tests of the Shopify kind share: a connector that points at a test's server, and pages of its lists. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Connection, VendorNotice } from '../../packages/ferrule/src/engine/connection.ts'
import { fixed, type Reply } from './support.ts'

export const shop = 'nordlicht-test'
export const token = 'shpat_00000000000000000000000000000001'
export const host = `https://${shop}.myshopify.com`
export const base = '/admin/api/2026-07'

/** A connector; without an origin its requests would go to the vendor. */
export const shopifyAt = (
  origin: string | undefined,
  more: {
    configuration?: Readonly<Record<string, unknown>>
    api_key?: string
    notice?: (notice: VendorNotice) => void
  } = {},
): Connection => ({
  kind: kinds.shopify,
  configuration: more.configuration ?? { shop },
  credentials: fixed({ api_key: more.api_key ?? token }),
  ...(origin === undefined ? {} : { origin: { api: origin } }),
  ...(more.notice === undefined ? {} : { notice: more.notice }),
})

/** The URL of a page of a list, as the vendor writes it. */
export const pageUrl = (path: string, position: string, limit = 2): string => `${host}${base}${path}?limit=${limit}&page_info=${position}`

/** One page of customers, with a next one when there is a position. */
export const customersPage = (ids: readonly number[], next?: string): Exclude<Reply, (...args: never[]) => unknown> => ({
  headers: next === undefined ? {} : { link: `<${pageUrl('/customers.json', next)}>; rel="next"` },
  body: { customers: ids.map((id) => ({ id, email: null })) },
})

/** Origins of all requests that this process makes until it is disposed of, in order. */
export function watchRequests(): Disposable & { readonly origins: readonly string[] } {
  const origins: string[] = []
  const onRequest = (message: unknown): void => {
    const request: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'request') : undefined
    if (typeof request === 'object' && request !== null) origins.push(String(Reflect.get(request, 'origin')))
  }
  subscribe('undici:request:create', onRequest)
  return { origins, [Symbol.dispose]: () => unsubscribe('undici:request:create', onRequest) }
}
