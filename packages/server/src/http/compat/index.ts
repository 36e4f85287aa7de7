/** The door for clients of the platform that the specification comes from. Behind it everything has one form. */

import { endpoints } from 'ferrule/wire'
import type { Answer, PrincipalRoute, Route } from '../route.ts'
import { markerHeaders } from './door.ts'
import { changeExchange } from './exchange.ts'
import { type ClientCall, executeForClient } from './execute.ts'
import { listForClient } from './lists.ts'

type Adapter = (call: ClientCall) => Promise<Answer> | Answer

/** Creates a connector as that platform does: unchecked, and with its workspace. Only clients that know no other way come here. */
const createForClient: Adapter = ({ exchange, answer }) => {
  const { body, door } = exchange
  if (door !== 'short' || typeof body !== 'object') return answer(exchange)
  return answer(changeExchange(exchange, { body: { create_workspace: true, check: false, ...body } }))
}

/** Routes with another form for those clients, by the id of their operation. */
const adapters: Partial<Record<keyof typeof endpoints, Adapter>> = {
  execute: executeForClient,
  createConnector: createForClient,
  listConnectors: listForClient,
  listWorkspaces: listForClient,
}
const byRoute: ReadonlyMap<string, Adapter> = new Map(
  Object.entries(adapters).map(([id, adapter]) => {
    const { method, path } = endpoints[id as keyof typeof endpoints] // a key of the table above
    return [`${method} ${path}`, adapter] as const
  }),
)

/** Returns a route that answers those clients in their form, and all others as before. */
export function adaptRoute(route: Route): Route {
  const adapter = byRoute.get(`${route.method} ${route.path}`)
  if (adapter === undefined || route.auth !== 'principal') return route
  const adapted: PrincipalRoute = {
    ...route,
    answer: (exchange, services) => {
      const { door } = exchange
      if (door === 'plain' || door === 'marked') exchange.addVary(markerHeaders.join(', '))
      if (door === 'plain') return route.answer(exchange, services)
      return adapter({ exchange, services, answer: (changed) => route.answer(changed, services) })
    },
  }
  return adapted
}
