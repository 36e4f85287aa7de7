import type { Journal, StandIn } from '../exchange.ts'
import { createJournal, openStandIn } from '../exchange.ts'
import type { FaultSupply } from '../faults.ts'
import type { ListeningServer } from '../http.ts'
import type { SwitchControl } from '../switches.ts'
import { createApi } from './api.ts'
import type { Controlled } from './control.ts'
import { createGongControl, editCall, resetSandbox } from './control.ts'
import type { GongWorldFacts } from './facts.ts'
import { factsOf } from './facts.ts'
import { createLimiter } from './limits.ts'
import { createMedia } from './media.ts'
import { createOAuth } from './oauth.ts'
import type { GongState } from './state.ts'
import type { GongSwitches } from './switches.ts'
import { createSwitches } from './switches.ts'
import { createTokens } from './tokens.ts'
import type { CallEdit } from './world.ts'
import { createWorld } from './world.ts'

/** How a stand-in of the vendor is started; every part is set. */
export interface GongOptions {
  readonly host: string
  readonly ports: { readonly api: number; readonly oauth: number; readonly media: number }
  readonly limits: boolean
  readonly clock: () => number
  readonly seed: number
  /** How many calls are known at most. */
  readonly calls: number
  readonly mediaBytes: number
  readonly faults: FaultSupply
}

/** A running stand-in of the vendor. */
export interface RunningGong {
  readonly origins: { readonly api: string; readonly oauth: string; readonly media: string }
  readonly facts: GongWorldFacts
  readonly journal: Journal
  readonly switches: SwitchControl<GongSwitches>
  readonly state: GongState
  /** @throws RangeError for an unknown call */
  editCall(id: string, change: CallEdit): void
  reset(): void
  close(): Promise<void>
}

function createState(options: GongOptions): GongState {
  const { clock, seed } = options
  const world = createWorld(seed, clock(), options.calls)
  const secret = `sandbox ${seed}`
  const origins = { api: '', oauth: '', media: '' }
  const media = createMedia({ world, secret, clock, largeBytes: options.mediaBytes, origin: () => origins.media })
  return {
    world,
    clock,
    secret,
    origins,
    media,
    faults: options.faults,
    switches: createSwitches({ limits: options.limits }),
    limiter: createLimiter(clock),
    tokens: createTokens(secret, clock),
    selections: new Map(),
  }
}

/**
 * Opens the three servers of the vendor: API, OAuth, media.
 *
 * @param options - see GongOptions
 * @throws the listen error of Node; RangeError for a clock before 2024
 */
export async function startGong(options: GongOptions): Promise<RunningGong> {
  const state = createState(options)
  const journal = createJournal(options.clock)
  const controlled: Controlled = { state, journal, facts: factsOf(state.world, options.clock()) }
  const opened: ListeningServer[] = []
  const open = async (name: keyof GongState['origins'], answers: Pick<StandIn, 'answer' | 'refuse' | 'control'>) => {
    const address = { host: options.host, port: options.ports[name] }
    const server = await openStandIn({ name, faults: options.faults, journal, ...answers }, address)
    opened.push(server)
    state.origins[name] = server.origin
  }
  const close = async () => {
    await Promise.all(opened.map((server) => server.close()))
  }
  try {
    await open('api', { ...createApi(state), control: createGongControl(controlled) })
    await open('oauth', createOAuth(state))
    await open('media', state.media)
  } catch (error) {
    await close()
    throw error
  }
  const { facts } = controlled
  return {
    origins: state.origins,
    facts,
    journal,
    switches: state.switches,
    state,
    editCall: (id, change) => editCall(state, id, change),
    reset: () => resetSandbox(controlled),
    close,
  }
}
