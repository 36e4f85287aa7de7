import type { SwitchControl } from '../control.ts'
import type { DatedEdit } from '../data.ts'
import type { FaultSupply } from '../faults.ts'
import type { createRates } from '../limits.ts'
import type { CodeStore, TokenStore } from './oauth.ts'
import type { TiktokSwitches } from './switches.ts'

/** Everything that the stand-in keeps between requests. */
export interface TiktokState {
  readonly seed: number
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly switches: SwitchControl<TiktokSwitches>
  readonly faults: FaultSupply
  readonly rates: ReturnType<typeof createRates>
  readonly tokens: TokenStore
  readonly codes: CodeStore
  readonly edits: Map<string, DatedEdit>
}
