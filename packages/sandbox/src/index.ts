import { createFaults, type FaultControl } from './faults.ts'
import { type GongSandbox, startGong } from './gong/gong.ts'
import { type ShopifySandbox, startShopify } from './shopify/api.ts'
import { type SnowflakeSandbox, startSnowflake } from './snowflake/snowflake.ts'
import { startTiktok, type TiktokSandbox } from './tiktok-marketing/api.ts'

export type { SwitchControl } from './control.ts'
export type { RecordEdit } from './data.ts'
export type { RecordedRequest } from './exchange.ts'
export type { CodeFault, Fault, FaultControl, FaultTarget, Moment, OriginName, PageFault, WireFault } from './faults.ts'
export type { GongWorldFacts } from './gong/facts.ts'
export type { GongSandbox } from './gong/gong.ts'
export type { MediaKind } from './gong/media.ts'
export type { GongSwitches } from './gong/switches.ts'
export { sandboxCredentials } from './gong/tokens.ts'
export type { CallEdit } from './gong/world.ts'
export { shopifyCredentials } from './shopify/access.ts'
export type { EditableKind, ShopifySandbox } from './shopify/api.ts'
export type { ShopifyWorldFacts } from './shopify/facts.ts'
export type { ShopifySwitches } from './shopify/switches.ts'
export type { SentWebhook } from './shopify/webhooks/deliveries.ts'
export type { ShopifyWebhooks } from './shopify/webhooks/webhooks.ts'
export type { Hold, HoldFailure, HoldMoment, HoldOptions } from './snowflake/holds.ts'
export type { SnowflakeSandbox, SnowflakeWorldFacts } from './snowflake/snowflake.ts'
export type { ExecutedStatement } from './snowflake/statements.ts'
export type { SnowflakeSwitches } from './snowflake/switches.ts'
export { snowflakeCredentials } from './snowflake/tokens.ts'
export type { TiktokSandbox } from './tiktok-marketing/api.ts'
export type { TiktokWorldFacts } from './tiktok-marketing/facts.ts'
export { tiktokCredentials } from './tiktok-marketing/oauth.ts'
export type { TiktokSwitches } from './tiktok-marketing/switches.ts'
export type { Kind as TiktokKind } from './tiktok-marketing/world.ts'

/** How a sandbox is started; everything can be left out. */
export interface SandboxOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Ports of the servers: three of Gong, one of each other vendor; 0 or left out for a free one. */
  readonly ports?: Readonly<Partial<Record<'api' | 'oauth' | 'media' | 'shopify' | 'tiktok' | 'snowflake', number>>>
  /** Whether rates and quotas are enforced; default true. */
  readonly limits?: boolean
  /** Epoch milliseconds; default Date.now. Not before 2024. */
  readonly clock?: () => number
  /** The same seed gives the same company, store and advertiser accounts; default 1. */
  readonly seed?: number
  /** Size in bytes of the files of the large call; default 12 MiB. They are made while they are sent. */
  readonly mediaBytes?: number | undefined
  /** How many calls Gong knows at most, the first ones; at least 110. Default: all. */
  readonly calls?: number
  /** Public RSA keys in PEM with which SANDBOX_USER of the warehouse signs in; none by default. */
  readonly snowflakePublicKeys?: readonly string[]
}

/** A running sandbox. */
export interface Sandbox {
  /** Where the servers listen, as `http://host:port`. */
  readonly origins: {
    readonly gong: { readonly api: string; readonly oauth: string; readonly media: string }
    readonly shopify: { readonly api: string }
    readonly 'tiktok-marketing': { readonly api: string; readonly oauth: string }
    readonly snowflake: { readonly api: string }
  }
  readonly faults: FaultControl
  readonly gong: GongSandbox
  readonly shopify: ShopifySandbox
  readonly tiktok: TiktokSandbox
  readonly snowflake: SnowflakeSandbox
  /** Stops listening and destroys every socket, also those that a fault holds. */
  close(): Promise<void>
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Awaits servers; when one does not open, those that did are closed. */
async function allOpen<T extends readonly { close(): Promise<void> }[]>(starts: { readonly [I in keyof T]: Promise<T[I]> }): Promise<T> {
  const settled = await Promise.allSettled<{ close(): Promise<void> }>(starts)
  const failed = settled.find((result) => result.status === 'rejected')
  if (!failed) return Promise.all(starts)
  await Promise.all(settled.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)))
  throw failed.reason
}

type Started<F extends (...args: never[]) => Promise<unknown>> = Awaited<ReturnType<F>>
type All = [Started<typeof startGong>, Started<typeof startShopify>, Started<typeof startTiktok>, Started<typeof startSnowflake>]

/**
 * Starts the stand-ins of the vendors; close the sandbox when it is no longer needed.
 * @throws the listen error of Node, for example EADDRINUSE; RangeError for a clock before 2024; Error for a public key that cannot be read
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', ports = {}, limits = true, clock = Date.now, seed = 1, mediaBytes = 12 * 1024 * 1024 } = options
  const faults = createFaults()
  const common = { host, limits, clock, seed, faults }
  const gongPorts = { api: ports.api ?? 0, oauth: ports.oauth ?? 0, media: ports.media ?? 0 }
  const calls = Math.max(110, options.calls ?? Number.POSITIVE_INFINITY)
  const all = await allOpen<All>([
    startGong({ ...common, ports: gongPorts, mediaBytes, calls }),
    startShopify({ ...common, port: ports.shopify ?? 0 }),
    startTiktok({ ...common, port: ports.tiktok ?? 0 }),
    startSnowflake({ ...common, port: ports.snowflake ?? 0, publicKeys: options.snowflakePublicKeys ?? [] }),
  ])
  const [gong, shopify, tiktok, snowflake] = all
  const close = async () => {
    await Promise.all(all.map((vendor) => vendor.close()))
  }
  return {
    origins: { gong: gong.origins, shopify: shopify.origins, 'tiktok-marketing': tiktok.origins, snowflake: snowflake.origins },
    faults,
    gong: gong.sandbox,
    shopify: shopify.sandbox,
    tiktok: tiktok.sandbox,
    snowflake: snowflake.sandbox,
    close,
    [Symbol.asyncDispose]: close,
  }
}
