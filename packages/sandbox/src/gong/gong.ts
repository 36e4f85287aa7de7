import { consentChoices as choices, createCodes } from '../consent.ts'
import { createInside, createSwitchControl, type StandInOptions, type VendorSandbox } from '../control.ts'
import { openStandIn, type StandIn } from '../exchange.ts'
import { isObject, json, type ListeningServer, type Reply } from '../http.ts'
import { createBucket, createCounter } from '../limits.ts'
import { createApi } from './api.ts'
import { factsOf, type GongWorldFacts } from './facts.ts'
import { createMedia, type MediaKind } from './media.ts'
import { createOAuth } from './oauth.ts'
import type { Consented, GongState } from './state.ts'
import { factory, type GongSwitches } from './switches.ts'
import { day } from './time.ts'
import { createTokens } from './tokens.ts'
import { type CallEdit, createWorld } from './world.ts'

/** What can be asked of, and done to, the stand-in of Gong: its API, its OAuth and its media. */
export interface GongSandbox extends VendorSandbox<GongSwitches, GongWorldFacts> {
  /** Changes a call from now on: hides it, renames it, erases it. @throws RangeError for an unknown call */
  editCall(callId: string, change: CallEdit): void
  /** Returns bytes of a file, to compare a download with. @throws RangeError for an unknown call */
  mediaBytes(callId: string, kind: MediaKind, range?: { readonly offset: number; readonly length: number }): Uint8Array
}

/** How the stand-in is started. */
interface GongOptions extends Omit<StandInOptions, 'port'> {
  readonly ports: { readonly api: number; readonly oauth: number; readonly media: number }
  /** How many calls are known at most. */
  readonly calls: number
  readonly mediaBytes: number
}

const editTypes = new Map(Object.entries({ id: 'string', isPrivate: 'boolean', title: 'string', erased: 'boolean' }))

function isEdit(body: unknown): body is CallEdit & { readonly id: string } {
  return isObject(body) && 'id' in body && Object.entries(body).every(([name, value]) => typeof value === editTypes.get(name))
}

/** Changes a call; false when the call does not exist. */
function editCall({ world, selections }: GongState, id: string, change: CallEdit): boolean {
  const call = world.callPositions.get(id)
  if (call === undefined) return false
  world.edit(call, change)
  selections.clear()
  return true
}

function changeCall(state: GongState, body: unknown): Reply {
  if (!isEdit(body)) return json(400, { error: 'An edit has id, and isPrivate, title or erased' })
  const { id, ...change } = body
  return editCall(state, id, change) ? json(200, { id, ...change }) : json(404, { error: `There is no call ${id}` })
}

function createState({ clock, seed, calls, faults, limits, mediaBytes }: GongOptions): GongState {
  const world = createWorld(seed, clock(), calls)
  const secret = `sandbox ${seed}`
  const origins = { api: '', oauth: '', media: '' }
  const media = createMedia({ world, secret, clock, largeBytes: mediaBytes, origin: () => origins.media })
  const switches = createSwitchControl({ factory, start: { limits }, choices, addresses: ['apiBaseUrl'] })
  const quota = { bucket: createBucket(clock), today: createCounter(day) }
  const given = { tokens: createTokens(secret, clock), codes: createCodes<Consented>(clock) }
  return { world, clock, secret, origins, media, faults, switches, quota, ...given, selections: new Map() }
}

function createGongInside(state: GongState) {
  const { clock, faults, switches, world } = state
  const facts = factsOf(world, clock())
  const reset = () => {
    state.tokens.reset()
    state.codes.reset()
    state.quota.bucket.reset()
    state.quota.today.reset()
    world.restore()
    state.selections.clear()
  }
  const further = [{ method: 'POST', path: '/_sandbox/calls', handle: (body: unknown) => changeCall(state, body) }]
  return createInside({ clock, faults, switches, world: () => facts, reset, further })
}

/** Opens the three servers of the vendor. @throws the listen error of Node; RangeError for a clock before 2024 */
export async function startGong(options: GongOptions) {
  const state = createState(options)
  const { journal, control, visible, world } = createGongInside(state)
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
    await open('api', { ...createApi(state), control })
    await open('oauth', createOAuth(state))
    await open('media', state.media)
  } catch (error) {
    await close()
    throw error
  }
  const sandbox: GongSandbox = {
    ...visible,
    world: world(),
    editCall(id, change) {
      if (!editCall(state, id, change)) throw new RangeError(`There is no call ${id}`)
    },
    mediaBytes(callId, kind, range) {
      const call = state.world.callPositions.get(callId)
      if (call === undefined) throw new RangeError(`There is no call ${callId}`)
      const source = state.media.source(call, kind)
      return source.read(range?.offset ?? 0, range?.length ?? source.size)
    },
  }
  return { origins: state.origins, sandbox, close }
}
