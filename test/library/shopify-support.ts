/** What the tests of the Shopify connector in the library share. */
import { afterAll } from 'vitest'
import { connect, type Kinds, type LocalConnector, type VendorNotice } from '../../packages/ferrule/src/index.ts'
import { type Sandbox, shopifyCredentials } from '../../packages/sandbox/src/index.ts'

/** A connector of the store. */
export type Shopify = LocalConnector<Kinds['shopify']>

interface More {
  readonly token?: string
  readonly api_version?: string
  readonly limits?: boolean
  readonly onNotice?: (notice: VendorNotice) => void
}

/** Connects to the sandbox's store; the connector is closed with the test file. */
export function connectStore(
  { origins }: Sandbox,
  { token = shopifyCredentials.token, api_version, limits = false, onNotice }: More = {},
): Shopify {
  const shopify = connect('shopify', {
    credentials: { api_key: token },
    config: { shop: shopifyCredentials.shop, ...(api_version === undefined ? {} : { api_version }) },
    origin: origins.shopify,
    limits,
    ...(onNotice === undefined ? {} : { onNotice }),
  })
  afterAll(() => shopify.close())
  return shopify
}

/** An operation named by data: the typed door is tested elsewhere. */
export const execute = (shopify: Shopify, ...args: [entity: string, action: string, params?: unknown, options?: unknown]) =>
  Reflect.apply(shopify.execute, shopify, args) as Promise<{ readonly data: unknown; readonly meta: Readonly<Record<string, unknown>> }>
