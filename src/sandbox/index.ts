import type { RecordEdit } from './edits.ts'
import type { RecordedRequest } from './exchange.ts'
import type { FaultControl } from './faults.ts'
import { createFaults } from './faults.ts'
import type { GongWorldFacts } from './gong/facts.ts'
import type { RunningGong } from './gong/gong.ts'
import { startGong } from './gong/gong.ts'
import type { MediaKind } from './gong/media.ts'
import type { GongSwitches } from './gong/switches.ts'
import type { CallEdit } from './gong/world.ts'
import type { ShopifyWorldFacts } from './shopify/facts.ts'
import type { EditableKind, RunningShopify } from './shopify/shopify.ts'
import { startShopify } from './shopify/shopify.ts'
import type { ShopifySwitches } from './shopify/switches.ts'
import type { SnowflakeSandbox } from './snowflake/sandbox.ts'
import { snowflakeSandbox } from './snowflake/sandbox.ts'
import type { RunningSnowflake } from './snowflake/snowflake.ts'
import { startSnowflake } from './snowflake/snowflake.ts'
import type { SwitchControl } from './switches.ts'
import type { TiktokWorldFacts } from './tiktok-marketing/facts.ts'
import type { TiktokSwitches } from './tiktok-marketing/switches.ts'
import type { RunningTiktok } from './tiktok-marketing/tiktok.ts'
import { startTiktok } from './tiktok-marketing/tiktok.ts'
import type { Kind as TiktokKind } from './tiktok-marketing/world.ts'

export type { RecordEdit } from './edits.ts'
export type { RecordedRequest } from './exchange.ts'
export type { CodeFault, Fault, FaultControl, FaultTarget, Moment, OriginName, PageFault, WireFault } from './faults.ts'
export type { GongWorldFacts } from './gong/facts.ts'
export type { MediaKind } from './gong/media.ts'
export type { GongSwitches } from './gong/switches.ts'
export { sandboxCredentials } from './gong/tokens.ts'
export type { CallEdit } from './gong/world.ts'
export type { ShopifyWorldFacts } from './shopify/facts.ts'
export type { EditableKind } from './shopify/shopify.ts'
export type { ShopifySwitches } from './shopify/switches.ts'
export { shopifyCredentials } from './shopify/tokens.ts'
export type { ExecutedStatement } from './snowflake/executed.ts'
export type { SnowflakeWorldFacts } from './snowflake/facts.ts'
export type { Hold, HoldFailure, HoldMoment, HoldOptions } from './snowflake/holds.ts'
export type { SnowflakeSandbox } from './snowflake/sandbox.ts'
export type { SnowflakeSwitches } from './snowflake/switches.ts'
export { snowflakeCredentials } from './snowflake/tokens.ts'
export type { SwitchControl } from './switches.ts'
export type { TiktokWorldFacts } from './tiktok-marketing/facts.ts'
export type { TiktokSwitches } from './tiktok-marketing/switches.ts'
export { tiktokCredentials } from './tiktok-marketing/tokens.ts'
export type { Kind as TiktokKind } from './tiktok-marketing/world.ts'

/** How a sandbox is started; everything can be left out. */
export interface SandboxOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string
  /** Ports of the servers: three of Gong, one of each other vendor; 0 or left out for a free one. */
  readonly ports?: {
    readonly api?: number
    readonly oauth?: number
    readonly media?: number
    readonly shopify?: number
    readonly tiktok?: number
    readonly snowflake?: number
  }
  /** Whether rates and quotas are enforced; default true. */
  readonly limits?: boolean
  /** Epoch milliseconds; default Date.now. Not before 2024. */
  readonly clock?: () => number
  /** The same seed gives the same company, store and advertiser accounts; default 1. */
  readonly seed?: number
  /** Size in bytes of the files of the large call; default 12 MiB. They are made while they are sent. */
  readonly mediaBytes?: number
  /** How many calls Gong knows at most, the first ones; at least 110. Default: all. */
  readonly calls?: number
  /** Public RSA keys in PEM with which SANDBOX_USER of the warehouse signs in; none by default. */
  readonly snowflakePublicKeys?: readonly string[]
}

/** What can be asked of, and done to, the stand-in of Gong. */
export interface GongSandbox {
  /** The newest 1,000 requests to its three servers, oldest first. */
  requests(): readonly RecordedRequest[]
  /** Forgets the recorded requests. */
  clear(): void
  /** Tokens, faults, limits, switches, calls and recorded requests as they were at the start. */
  reset(): void
  /**
   * Changes a call from now on: hides it, renames it, erases it.
   *
   * @throws RangeError for an unknown call
   */
  editCall(callId: string, change: CallEdit): void
  readonly switches: SwitchControl<GongSwitches>
  readonly world: GongWorldFacts
  /**
   * Bytes of a file, to compare a download with.
   *
   * @throws RangeError for an unknown call
   */
  mediaBytes(callId: string, kind: MediaKind, range?: { readonly offset: number; readonly length: number }): Uint8Array
}

/** What can be asked of, and done to, the stand-in of Shopify. */
export interface ShopifySandbox {
  /** The newest 1,000 requests, oldest first. */
  requests(): readonly RecordedRequest[]
  /** Forgets the recorded requests. */
  clear(): void
  /** Faults, limits, switches, records and recorded requests as they were at the start. */
  reset(): void
  /**
   * Changes a record from now on: other fields, or its end. It counts as updated now.
   *
   * @throws RangeError for an id that no record of the kind has
   */
  edit(kind: EditableKind, id: number, change: RecordEdit): void
  readonly switches: SwitchControl<ShopifySwitches>
  /** Ids worth knowing, as of the start. */
  readonly world: ShopifyWorldFacts
}

/** What can be asked of, and done to, the stand-in of TikTok. */
export interface TiktokSandbox {
  /** The newest 1,000 requests, oldest first. */
  requests(): readonly RecordedRequest[]
  /** Forgets the recorded requests. */
  clear(): void
  /** Tokens, faults, limits, switches, objects and recorded requests as they were at the start. */
  reset(): void
  /**
   * Changes an object from now on: other fields, or its deletion. Campaigns, ad groups and ads count as modified now.
   *
   * @throws RangeError for an id that no object of the kind has
   */
  edit(kind: TiktokKind, id: string, change: RecordEdit): void
  readonly switches: SwitchControl<TiktokSwitches>
  /** Ids worth knowing, as of the start. */
  readonly world: TiktokWorldFacts
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

function gongSandbox(gong: RunningGong): GongSandbox {
  return {
    requests: () => gong.journal.list(),
    clear: () => gong.journal.clear(),
    reset: () => gong.reset(),
    editCall: (callId, change) => gong.editCall(callId, change),
    switches: gong.switches,
    world: gong.facts,
    mediaBytes(callId, kind, range) {
      const call = gong.state.world.callPositions.get(callId)
      if (call === undefined) throw new RangeError(`There is no call ${callId}`)
      const source = gong.state.media.source(call, kind)
      return source.read(range?.offset ?? 0, range?.length ?? source.size)
    },
  }
}

function shopifySandbox(shopify: RunningShopify): ShopifySandbox {
  return {
    requests: () => shopify.journal.list(),
    clear: () => shopify.journal.clear(),
    reset: () => shopify.reset(),
    edit: (kind, id, change) => shopify.edit(kind, id, change),
    switches: shopify.switches,
    get world() {
      return shopify.facts()
    },
  }
}

function tiktokSandbox(tiktok: RunningTiktok): TiktokSandbox {
  return {
    requests: () => tiktok.journal.list(),
    clear: () => tiktok.journal.clear(),
    reset: () => tiktok.reset(),
    edit: (kind, id, change) => tiktok.edit(kind, id, change),
    switches: tiktok.switches,
    get world() {
      return tiktok.facts()
    },
  }
}

/** Awaits servers; when one does not open, those that did are closed. */
async function allOpen<T extends readonly { close(): Promise<void> }[]>(starts: { readonly [I in keyof T]: Promise<T[I]> }): Promise<T> {
  const settled = await Promise.allSettled<{ close(): Promise<void> }>(starts)
  const failed = settled.find((result) => result.status === 'rejected')
  if (!failed) return Promise.all(starts)
  await Promise.all(settled.map((result) => (result.status === 'fulfilled' ? result.value.close() : undefined)))
  throw failed.reason
}

/**
 * Starts the stand-ins of the vendors.
 *
 * @param options - see SandboxOptions
 * @returns the running sandbox; close it when it is no longer needed
 * @throws the listen error of Node, for example EADDRINUSE; RangeError for a clock before 2024; Error for a public key that is none
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', ports = {}, limits = true, clock = Date.now, seed = 1, mediaBytes = 12 * 1024 * 1024 } = options
  const faults = createFaults()
  const common = { host, limits, clock, seed, faults }
  const gongPorts = { api: ports.api ?? 0, oauth: ports.oauth ?? 0, media: ports.media ?? 0 }
  const publicKeys = options.snowflakePublicKeys ?? []
  const calls = Math.max(110, options.calls ?? Number.POSITIVE_INFINITY)
  const [gong, shopify, tiktok, snowflake] = await allOpen<[RunningGong, RunningShopify, RunningTiktok, RunningSnowflake]>([
    startGong({ ...common, ports: gongPorts, mediaBytes, calls }),
    startShopify({ ...common, port: ports.shopify ?? 0 }),
    startTiktok({ ...common, port: ports.tiktok ?? 0 }),
    startSnowflake({ ...common, port: ports.snowflake ?? 0, publicKeys }),
  ])
  const close = async () => {
    await Promise.all([gong.close(), shopify.close(), tiktok.close(), snowflake.close()])
  }
  return {
    origins: { gong: gong.origins, shopify: shopify.origins, 'tiktok-marketing': tiktok.origins, snowflake: snowflake.origins },
    faults,
    gong: gongSandbox(gong),
    shopify: shopifySandbox(shopify),
    tiktok: tiktokSandbox(tiktok),
    snowflake: snowflakeSandbox(snowflake),
    close,
    [Symbol.asyncDispose]: close,
  }
}
