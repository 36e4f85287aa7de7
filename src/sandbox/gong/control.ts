import { createControl } from '../control.ts'
import type { Journal } from '../exchange.ts'
import type { ReceivedRequest, Reply } from '../http.ts'
import { isObject, json } from '../http.ts'
import type { GongWorldFacts } from './facts.ts'
import type { GongState } from './state.ts'
import type { CallEdit } from './world.ts'

/** The insides that a control request reaches. */
export interface Controlled {
  readonly state: GongState
  readonly journal: Journal
  readonly facts: GongWorldFacts
}

/**
 * Brings a sandbox back to how it started: tokens, faults, limits, switches, calls, recorded requests.
 *
 * @param controlled - its insides
 */
export function resetSandbox({ state, journal }: Controlled): void {
  state.tokens.reset()
  state.faults.clear()
  state.limiter.reset()
  state.switches.reset()
  state.world.restore()
  state.selections.clear()
  journal.clear()
}

/**
 * Changes a call from now on.
 *
 * @param state - of the sandbox
 * @param id - of a known call
 * @param change - what differs
 * @throws RangeError when there is no such call
 */
export function editCall(state: GongState, id: string, change: CallEdit): void {
  const call = state.world.callPositions.get(id)
  if (call === undefined) throw new RangeError(`There is no call ${id}`)
  state.world.edit(call, change)
  state.selections.clear()
}

const editTypes: ReadonlyMap<string, string> = new Map([
  ['id', 'string'],
  ['isPrivate', 'boolean'],
  ['title', 'string'],
  ['erased', 'boolean'],
])

function isEdit(body: unknown): body is CallEdit & { readonly id: string } {
  return isObject(body) && 'id' in body && Object.entries(body).every(([name, value]) => typeof value === editTypes.get(name))
}

function changeCall({ state }: Controlled, body: unknown): Reply {
  if (!isEdit(body)) return json(400, { error: 'An edit has id, and isPrivate, title or erased' })
  if (!state.world.callPositions.has(body.id)) return json(404, { error: `There is no call ${body.id}` })
  const { id, ...change } = body
  editCall(state, id, change)
  return json(200, { id, ...change })
}

/**
 * The control requests on the API origin.
 *
 * @param controlled - the insides of the sandbox
 * @returns answers a control request; undefined for every other request
 */
export function createGongControl(controlled: Controlled): (request: ReceivedRequest) => Reply | Promise<Reply> | undefined {
  const { state, journal, facts } = controlled
  return createControl({
    faults: state.faults,
    switches: state.switches,
    journal,
    world: () => facts,
    reset: () => resetSandbox(controlled),
    further: [{ method: 'POST', path: '/_sandbox/calls', handle: (body) => changeCall(controlled, body) }],
  })
}
