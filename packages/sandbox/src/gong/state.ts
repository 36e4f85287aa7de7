import type { createCodes } from '../consent.ts'
import type { SwitchControl } from '../control.ts'
import type { FaultSupply, PageFault } from '../faults.ts'
import type { createBucket, createCounter } from '../limits.ts'
import type { JsonRecord } from './answers.ts'
import type { Media } from './media.ts'
import type { GongSwitches } from './switches.ts'
import type { Customer, Grant, TokenStore } from './tokens.ts'
import type { World } from './world.ts'

/** What an administrator agreed to. */
export interface Consented extends Omit<Grant, 'family'> {
  /** The exchange must name the same address. */
  readonly redirectUri: string
}

/** Everything that the servers of the stand-in share. */
export interface GongState {
  readonly world: World
  readonly clock: () => number
  readonly switches: SwitchControl<GongSwitches>
  readonly faults: FaultSupply
  /** The quota of the company, shared by all its keys and tokens: per second, and per UTC day. */
  readonly quota: { readonly bucket: ReturnType<typeof createBucket>; readonly today: ReturnType<typeof createCounter> }
  readonly tokens: TokenStore
  readonly codes: ReturnType<typeof createCodes<Consented>>
  readonly media: Media
  /** Signs cursors, tokens and media addresses; follows from the seed, so they outlive a restart. */
  readonly secret: string
  /** Origins of the servers, known once they listen. */
  readonly origins: { api: string; oauth: string; media: string }
  /** Selections of calls that are being paged, by their filter. */
  readonly selections: Map<string, readonly number[]>
}

/** The address of the other customer's API; requests for it reach the sandbox with X-Forwarded-Host. */
const otherHome = 'https://company-23.api.gong.io'

/** Returns `api_base_url_for_customer` of a customer. */
export const homeOf = ({ switches, origins }: GongState, customer: Customer): string =>
  customer === 'other' ? otherHome : switches.current().apiBaseUrl || origins.api

/** One authenticated request to a route. */
export interface ApiCall {
  readonly state: GongState
  readonly path: string
  readonly slots: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The JSON object of a POST; empty for a GET. */
  readonly body: JsonRecord
  /** True when this request meets a fault of a page, which is then used up. */
  take(kind: PageFault['kind']): boolean
}
