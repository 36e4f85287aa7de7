import type { FaultSupply } from '../faults.ts'
import type { SwitchControl } from '../switches.ts'
import type { Limiter } from './limits.ts'
import type { Media } from './media.ts'
import type { GongSwitches } from './switches.ts'
import type { TokenStore } from './tokens.ts'
import type { World } from './world.ts'

/** Everything that the servers of the stand-in share. */
export interface GongState {
  readonly world: World
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly switches: SwitchControl<GongSwitches>
  readonly faults: FaultSupply
  readonly limiter: Limiter
  readonly tokens: TokenStore
  readonly media: Media
  /** Signs cursors, tokens and media addresses; follows from the seed, so they outlive a restart. */
  readonly secret: string
  /** Origins of the servers, known once they listen. */
  readonly origins: { api: string; oauth: string; media: string }
  /** Selections of calls that are being paged, by their filter. */
  readonly selections: Map<string, readonly number[]>
}
