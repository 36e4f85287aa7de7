import { createControl } from '../control.ts'
import { isRecordEdit, mergedEdit, type RecordEdit } from '../edits.ts'
import type { Journal } from '../exchange.ts'
import { createJournal, openStandIn } from '../exchange.ts'
import type { FaultSupply } from '../faults.ts'
import { isObject, json } from '../http.ts'
import type { SwitchControl } from '../switches.ts'
import type { TiktokState } from './api.ts'
import { createApi } from './api.ts'
import type { TiktokWorldFacts } from './facts.ts'
import { factsOf } from './facts.ts'
import { createLimiter } from './limits.ts'
import { findSpot } from './lists.ts'
import type { TiktokSwitches } from './switches.ts'
import { createTiktokSwitches } from './switches.ts'
import { createTokens } from './tokens.ts'
import type { Kind } from './world.ts'
import { editableKinds, editKey } from './world.ts'

/** How a stand-in of the vendor is started; every part is set. */
export interface TiktokOptions {
  readonly host: string
  readonly port: number
  readonly limits: boolean
  readonly clock: () => number
  readonly seed: number
  readonly faults: FaultSupply
}

/** A running stand-in of the vendor. */
export interface RunningTiktok {
  /** One and the same origin. */
  readonly origins: { readonly api: string; readonly oauth: string }
  /** As of the start; collected when they are first asked for. */
  facts(): TiktokWorldFacts
  readonly journal: Journal
  readonly switches: SwitchControl<TiktokSwitches>
  /** @throws RangeError for an id that no object of the kind has */
  edit(kind: Kind, id: string, change: RecordEdit): void
  reset(): void
  close(): Promise<void>
}

function createState({ clock, seed, faults, limits }: TiktokOptions): TiktokState {
  const switches = createTiktokSwitches({ limits })
  return { seed, clock, switches, faults, limiter: createLimiter(clock), tokens: createTokens(clock), edits: new Map() }
}

/** Changes an object; false when there is none. */
function edit(state: TiktokState, of: { readonly kind: Kind; readonly id: string }, change: RecordEdit): boolean {
  const { seed, clock, edits } = state
  const { hugeIds } = state.switches.current()
  const spot = findSpot({ seed, now: clock(), hugeIds, edits: new Map() }, of.kind, of.id)
  if (!spot) return false
  edits.set(editKey(spot), mergedEdit(edits.get(editKey(spot)), change, clock()))
  return true
}

function isEdit(body: unknown): body is RecordEdit & { readonly kind: Kind; readonly id: string } {
  return isObject(body) && editableKinds.some((kind) => kind === body['kind']) && typeof body['id'] === 'string' && isRecordEdit(body)
}

function changeObject(state: TiktokState, body: unknown) {
  if (!isEdit(body)) return json(400, { error: `An edit has kind (${editableKinds.join(', ')}), id, and fields or erased` })
  const { kind, id, ...change } = body
  if (!edit(state, { kind, id }, change)) return json(404, { error: `There is no object ${id} among ${kind}` })
  return json(200, { kind, id, ...change })
}

/**
 * Opens the server of the vendor.
 *
 * @param options - see TiktokOptions
 * @throws the listen error of Node
 */
export async function startTiktok(options: TiktokOptions): Promise<RunningTiktok> {
  const state = createState(options)
  const { clock, seed, faults } = options
  const { switches } = state
  const start = clock()
  const journal = createJournal(clock)
  let collected: TiktokWorldFacts | undefined
  const facts = () => {
    collected ??= factsOf(seed, start)
    return collected
  }
  const reset = () => {
    faults.clear()
    switches.reset()
    state.limiter.reset()
    state.tokens.reset()
    state.edits.clear()
    journal.clear()
  }
  const further = [{ method: 'POST', path: '/_sandbox/records', handle: (body: unknown) => changeObject(state, body) }]
  const control = createControl({ faults, switches, journal, world: facts, reset, further })
  const server = await openStandIn(
    { name: 'tiktok', faults, journal, ...createApi(state), control },
    { host: options.host, port: options.port },
  )
  return {
    origins: { api: server.origin, oauth: server.origin },
    facts,
    journal,
    switches,
    edit(kind, id, change) {
      if (!edit(state, { kind, id }, change)) throw new RangeError(`There is no object ${id} among ${kind}`)
    },
    reset,
    close: () => server.close(),
  }
}
