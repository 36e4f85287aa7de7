import type { Journal } from '../exchange.ts'
import { faultProblem, isFault } from '../faults.ts'
import type { ReceivedRequest, Reply } from '../http.ts'
import { findRoute, isObject, json, parseJson } from '../http.ts'
import type { GongWorldFacts } from './facts.ts'
import type { GongState } from './state.ts'
import { isSwitches, switchProblem } from './switches.ts'
import type { CallEdit } from './world.ts'

const prefix = '/_sandbox/'

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

function addFault({ state }: Controlled, body: unknown): Reply {
  if (!isFault(body)) return json(400, { error: faultProblem(body) })
  state.faults.add(body)
  return json(201, { faults: state.faults.pending() })
}

function setSwitches({ state }: Controlled, body: unknown): Reply {
  if (!isSwitches(body)) return json(400, { error: switchProblem(body) })
  state.switches.set(body)
  return json(200, { switches: state.switches.current() })
}

interface ControlRoute {
  readonly method: string
  readonly path: string
  readonly handle: (controlled: Controlled, body: unknown) => Reply
}

/** Does something and answers 204. */
function then(act: (controlled: Controlled) => void): ControlRoute['handle'] {
  return (controlled) => {
    act(controlled)
    return { status: 204, headers: {}, body: '' }
  }
}

const controlRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/_sandbox/faults', handle: ({ state }) => json(200, { faults: state.faults.pending() }) },
  { method: 'POST', path: '/_sandbox/faults', handle: addFault },
  { method: 'DELETE', path: '/_sandbox/faults', handle: then(({ state }) => state.faults.clear()) },
  { method: 'GET', path: '/_sandbox/switches', handle: ({ state }) => json(200, { switches: state.switches.current() }) },
  { method: 'POST', path: '/_sandbox/switches', handle: setSwitches },
  { method: 'POST', path: '/_sandbox/calls', handle: changeCall },
  { method: 'POST', path: '/_sandbox/reset', handle: then(resetSandbox) },
  { method: 'GET', path: '/_sandbox/requests', handle: ({ journal }) => json(200, { requests: journal.list() }) },
  { method: 'DELETE', path: '/_sandbox/requests', handle: then(({ journal }) => journal.clear()) },
  { method: 'GET', path: '/_sandbox/world', handle: ({ facts }) => json(200, { world: facts }) },
]

/**
 * Answers a control request on the API origin; undefined for every other request.
 *
 * @param controlled - the insides of the sandbox
 * @param request - any request to the API origin
 */
export function answerControl(controlled: Controlled, request: ReceivedRequest): Reply | undefined {
  if (!request.path.startsWith(prefix)) return undefined
  const match = findRoute(controlRoutes, request.method, request.path)
  if (match.found === 'route') return match.route.handle(controlled, parseJson(request.body))
  return json(match.found === 'path' ? 405 : 404, {
    error: `There are ${controlRoutes.map(({ method, path }) => `${method} ${path}`).join(', ')}`,
  })
}
