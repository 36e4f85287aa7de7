import { createCodes } from '../consent.ts'
import { createInside, createSwitchControl, notCounting, recordRoute, type StandInOptions, type VendorSandbox } from '../control.ts'
import { mergedEdit, type RecordEdit } from '../data.ts'
import { openStandIn } from '../exchange.ts'
import { createRates } from '../limits.ts'
import { createApi } from './api.ts'
import { factsOf, type TiktokWorldFacts } from './facts.ts'
import { findSpot } from './lists.ts'
import { type Access, createTokens } from './oauth.ts'
import type { TiktokState } from './state.ts'
import { choices, factory, type TiktokSwitches } from './switches.ts'
import { editableKinds, editKey, type Kind } from './world.ts'

/** What can be asked of, and done to, the stand-in of TikTok. Ids in `world` are those of the main account. */
export interface TiktokSandbox extends VendorSandbox<TiktokSwitches, TiktokWorldFacts> {
  /**
   * Changes an object from now on: other fields, or its deletion. Campaigns, ad groups and ads count as modified now.
   * @throws RangeError for an id that no object of the kind has
   */
  edit(kind: Kind, id: string, change: RecordEdit): void
}

/** Changes an object; false when the object does not exist. */
function edit({ seed, clock, edits, switches }: TiktokState, of: { kind: Kind; id: string }, change: RecordEdit): boolean {
  const { hugeIds } = switches.current()
  const spot = findSpot({ seed, now: clock(), hugeIds, edits: new Map() }, of.kind, of.id)
  if (spot) edits.set(editKey(spot), mergedEdit(edits.get(editKey(spot)), change, clock()))
  return spot !== undefined
}

/** Opens the server of the vendor. @throws the listen error of Node */
export async function startTiktok({ host, port, limits, clock, seed, faults }: StandInOptions) {
  const switches = createSwitchControl({ factory, start: { limits }, choices, wrongNumber: notCounting })
  const given = { tokens: createTokens(), codes: createCodes<Access>(clock) }
  const state: TiktokState = { seed, clock, switches, faults, rates: createRates(clock), ...given, edits: new Map() }
  const start = clock()
  const reset = () => {
    state.rates.reset()
    state.tokens.reset()
    state.codes.reset()
    state.edits.clear()
  }
  const isId = (id: unknown) => typeof id === 'string'
  const further = [recordRoute(editableKinds, isId, (kind, id, change) => edit(state, { kind, id }, change))]
  const { journal, control, world, visible } = createInside({ clock, faults, switches, world: () => factsOf(seed, start), reset, further })
  const server = await openStandIn({ name: 'tiktok', faults, journal, ...createApi(state), control }, { host, port })
  const sandbox: TiktokSandbox = {
    ...visible,
    get world() {
      return world()
    },
    edit(kind, id, change) {
      if (!edit(state, { kind, id }, change)) throw new RangeError(`There is no object ${id} among ${kind}`)
    },
  }
  return { origins: { api: server.origin, oauth: server.origin }, sandbox, close: () => server.close() }
}
