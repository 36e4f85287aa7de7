import type { Journal } from './exchange.ts'
import type { FaultControl } from './faults.ts'
import { faultProblem, isFault } from './faults.ts'
import type { ReceivedRequest, Reply } from './http.ts'
import { findRoute, json, parseJson } from './http.ts'
import type { SwitchControl } from './switches.ts'

/** One control request beside those that every stand-in has. */
export interface ControlRoute {
  readonly method: string
  readonly path: string
  /** @param body - the JSON body; undefined when there is none */
  readonly handle: (body: unknown) => Reply | Promise<Reply>
}

/** The insides of a stand-in that control requests reach. */
export interface Controlled<S> {
  readonly faults: FaultControl
  readonly switches: SwitchControl<S>
  readonly journal: Journal
  /** What is worth knowing about the imitated world. */
  world(): unknown
  /** Brings the stand-in back to how it started. */
  reset(): void
  readonly further: readonly ControlRoute[]
}

const prefix = '/_sandbox/'

/** Does something and answers 204. */
function then(act: () => void): ControlRoute['handle'] {
  return () => {
    act()
    return { status: 204, headers: {}, body: '' }
  }
}

function faultRoutes({ faults }: Pick<Controlled<object>, 'faults'>): readonly ControlRoute[] {
  const path = '/_sandbox/faults'
  return [
    { method: 'GET', path, handle: () => json(200, { faults: faults.pending() }) },
    {
      method: 'POST',
      path,
      handle(body) {
        if (!isFault(body)) return json(400, { error: faultProblem(body) })
        faults.add(body)
        return json(201, { faults: faults.pending() })
      },
    },
    { method: 'DELETE', path, handle: then(() => faults.clear()) },
  ]
}

function switchRoutes<S>(switches: SwitchControl<S>): readonly ControlRoute[] {
  const path = '/_sandbox/switches'
  return [
    { method: 'GET', path, handle: () => json(200, { switches: switches.current() }) },
    {
      method: 'POST',
      path,
      handle(body) {
        if (!switches.accepts(body)) return json(400, { error: switches.problem(body) })
        switches.set(body)
        return json(200, { switches: switches.current() })
      },
    },
  ]
}

/**
 * The control requests of a stand-in.
 *
 * @param controlled - its insides
 * @returns answers a control request; undefined for every other request
 */
export function createControl<S>(controlled: Controlled<S>): (request: ReceivedRequest) => Reply | Promise<Reply> | undefined {
  const { journal } = controlled
  const routes: readonly ControlRoute[] = [
    ...faultRoutes(controlled),
    ...switchRoutes(controlled.switches),
    ...controlled.further,
    { method: 'POST', path: '/_sandbox/reset', handle: then(() => controlled.reset()) },
    { method: 'GET', path: '/_sandbox/requests', handle: () => json(200, { requests: journal.list() }) },
    { method: 'DELETE', path: '/_sandbox/requests', handle: then(() => journal.clear()) },
    { method: 'GET', path: '/_sandbox/world', handle: () => json(200, { world: controlled.world() }) },
  ]
  return (request) => {
    if (!request.path.startsWith(prefix)) return undefined
    const match = findRoute(routes, request.method, request.path)
    if (match.found === 'route') return match.route.handle(parseJson(request.body))
    return json(match.found === 'path' ? 405 : 404, {
      error: `There are ${routes.map(({ method, path }) => `${method} ${path}`).join(', ')}`,
    })
  }
}
