import { isRecordEdit, once, type RecordEdit } from './data.ts'
import { createJournal, type RecordedRequest } from './exchange.ts'
import { type FaultControl, type FaultSupply, faultProblem, isFault } from './faults.ts'
import { findRoute, isObject, json, parseJson, type ReceivedRequest, type Reply } from './http.ts'

/** Reads and changes the switches of a stand-in. */
export interface SwitchControl<S> {
  current(): S
  /** @throws RangeError for an unknown switch or a value that it cannot have */
  set(changes: Partial<S>): void
  reset(): void
  /** Returns what is wrong with a value that should change switches, for example the body of a control request; undefined when nothing is. */
  problem(value: unknown): string | undefined
  /** True for a value that changes switches. */
  accepts(value: unknown): value is Partial<S>
}

interface SwitchRules<S> {
  /** Every switch with its default. */
  readonly factory: S
  /** What differs from the defaults at the start and after a reset. */
  readonly start?: Partial<S>
  /** Allowed values of a switch; a switch left out takes every value of its default's type. */
  readonly choices?: Readonly<Record<string, readonly (string | number)[]>>
  /** Switches that hold an address or nothing. */
  readonly addresses?: readonly string[]
  /** Returns what is wrong with a number. Without it, switches take every number. */
  readonly wrongNumber?: (value: number) => string | undefined
}

/** Returns why a number is no integer from 0 on. */
export const notCounting = (value: number): string | undefined =>
  Number.isInteger(value) && value >= 0 ? undefined : 'must be an integer from 0 on'

/** Returns the switches of one stand-in. */
export function createSwitchControl<S extends object>(rules: SwitchRules<S>): SwitchControl<S> {
  const { factory, start, choices = {}, addresses = [], wrongNumber } = rules
  const defaults = new Map<string, unknown>(Object.entries(factory))
  const wrongWith = (name: string, wanted: unknown): string | undefined => {
    const type = typeof defaults.get(name)
    if (typeof wanted !== type) return `must be a ${type}`
    const allowed = choices[name]
    if (allowed && !allowed.some((choice) => choice === wanted)) return `must be one of ${allowed.join(', ')}`
    if (addresses.includes(name) && wanted && !URL.canParse(String(wanted))) return 'must be empty or an address'
    return typeof wanted === 'number' ? wrongNumber?.(wanted) : undefined
  }
  const problem = (value: unknown): string | undefined => {
    if (!isObject(value)) return 'Switches are a JSON object'
    for (const [name, wanted] of Object.entries(value)) {
      if (!defaults.has(name)) return `${name} is not a switch; there are ${[...defaults.keys()].join(', ')}`
      const wrong = wrongWith(name, wanted)
      if (wrong) return `${name} ${wrong}`
    }
    return undefined
  }
  let now: S = { ...factory, ...start }
  return {
    current: () => now,
    set(changes) {
      const wrong = problem(changes)
      if (wrong) throw new RangeError(wrong)
      now = { ...now, ...changes }
    },
    reset() {
      now = { ...factory, ...start }
    },
    problem,
    accepts: (value): value is Partial<S> => problem(value) === undefined,
  }
}

interface ControlRoute {
  readonly method: string
  readonly path: string
  /** @param body - the JSON body; undefined when the request has no body */
  readonly handle: (body: unknown) => Reply | Promise<Reply>
}

/** How a stand-in is started; every part is set. */
export interface StandInOptions {
  readonly host: string
  readonly port: number
  /** Whether rates and quotas are enforced. */
  readonly limits: boolean
  readonly clock: () => number
  readonly seed: number
  readonly faults: FaultSupply
}

/** The insides of a stand-in that its user and control requests reach. */
interface Inside<S, W> {
  readonly clock: () => number
  readonly faults: FaultControl
  readonly switches: SwitchControl<S>
  /** Returns what is worth knowing about the imitated world as of the start; collected when it is first asked for. */
  world(): W
  /** Brings back to the start what faults, switches and recorded requests are not. */
  reset(): void
  readonly further: readonly ControlRoute[]
}

/** What can be asked of, and done to, every stand-in. */
export interface VendorSandbox<S, W> {
  /** The newest 1,000 requests, oldest first. */
  requests(): readonly RecordedRequest[]
  /** Forgets the recorded requests. */
  clear(): void
  /** Everything as it was at the start: faults, limits, switches, tokens, records, recorded requests. */
  reset(): void
  readonly switches: SwitchControl<S>
  /** What is worth knowing, as of the start. */
  readonly world: W
}

const prefix = '/_sandbox/'

const then =
  (act: () => void): ControlRoute['handle'] =>
  () => {
    act()
    return { status: 204, headers: {}, body: '' }
  }

function faultRoutes(faults: FaultControl): readonly ControlRoute[] {
  const path = '/_sandbox/faults'
  const add = (body: unknown) => {
    if (!isFault(body)) return json(400, { error: faultProblem(body) })
    faults.add(body)
    return json(201, { faults: faults.pending() })
  }
  return [
    { method: 'GET', path, handle: () => json(200, { faults: faults.pending() }) },
    { method: 'POST', path, handle: add },
    { method: 'DELETE', path, handle: then(() => faults.clear()) },
  ]
}

function switchRoutes<S>(switches: SwitchControl<S>): readonly ControlRoute[] {
  const path = '/_sandbox/switches'
  const change = (body: unknown) => {
    if (!switches.accepts(body)) return json(400, { error: switches.problem(body) })
    switches.set(body)
    return json(200, { switches: switches.current() })
  }
  return [
    { method: 'GET', path, handle: () => json(200, { switches: switches.current() }) },
    { method: 'POST', path, handle: change },
  ]
}

function answerControl(routes: readonly ControlRoute[], request: ReceivedRequest): Reply | Promise<Reply> | undefined {
  if (!request.path.startsWith(prefix)) return undefined
  const match = findRoute(routes, request.method, request.path)
  if (match.found === 'route') return match.route.handle(parseJson(request.body))
  const known = routes.map(({ method, path }) => `${method} ${path}`)
  return json(match.found === 'path' ? 405 : 404, { error: `There are ${known.join(', ')}` })
}

/** Returns the side of a stand-in that its user sees, and what answers control requests. */
export function createInside<S, W>(inside: Inside<S, W>) {
  const { clock, faults, switches } = inside
  const journal = createJournal(clock)
  const world = once(() => inside.world())
  const reset = () => {
    faults.clear()
    switches.reset()
    inside.reset()
    journal.clear()
  }
  const routes: readonly ControlRoute[] = [
    ...faultRoutes(faults),
    ...switchRoutes(switches),
    ...inside.further,
    { method: 'POST', path: '/_sandbox/reset', handle: then(reset) },
    { method: 'GET', path: '/_sandbox/requests', handle: () => json(200, { requests: journal.list() }) },
    { method: 'DELETE', path: '/_sandbox/requests', handle: then(() => journal.clear()) },
    { method: 'GET', path: '/_sandbox/world', handle: () => json(200, { world: world() }) },
  ]
  const control = (request: ReceivedRequest) => answerControl(routes, request)
  return { journal, control, world, visible: { requests: journal.list, clear: journal.clear, reset, switches } }
}

/** Returns the control request that changes a record of one of the kinds; `edit` is false for an unknown id. */
export function recordRoute<K extends string, I>(
  kinds: readonly K[],
  isId: (id: unknown) => id is I,
  edit: (kind: K, id: I, change: RecordEdit) => boolean,
): ControlRoute {
  const handle = (body: unknown): Reply => {
    const { kind: named, id, ...change } = isObject(body) ? body : {}
    const kind = kinds.find((each) => each === named)
    if (kind === undefined || !isId(id) || !isRecordEdit(change))
      return json(400, { error: `An edit has kind (${kinds.join(', ')}), id, and fields or erased` })
    return edit(kind, id, change) ? json(200, { kind, id, ...change }) : json(404, { error: `There is no record ${id} among ${kind}` })
  }
  return { method: 'POST', path: '/_sandbox/records', handle }
}
