/** The door for clients of the platform that the specification comes from. Behind it everything has one form. */
import { isObject } from 'ferrule/internal'
import { endpoints } from 'ferrule/wire'
import { type Answer, markerHeaders, type PrincipalRoute, prefix, type Route } from '../route.ts'
import { type ClientCall, changeExchange, executeForClient } from './execute.ts'

/** Entries of a page, the most that lists take. */
const pageSize = '100'
/** Entries that are put together at most; what follows has its address in `next`. */
const mostEntries = 1_000

const readPage = (answer: Answer): { readonly data: readonly unknown[]; readonly next: unknown } | undefined => {
  const page = 'json' in answer && isObject(answer.json) ? answer.json : {}
  return Array.isArray(page['data']) ? { data: page['data'], next: page['next'] } : undefined
}

/** Finds the cursor in the address of a next page. */
const readCursor = (next: unknown): string | null =>
  typeof next === 'string' ? new URLSearchParams(next.split('?')[1]).get('cursor') : null

/** Answers a list. Without `limit` and `cursor` its pages are put together. */
async function listForClient({ exchange, answer }: ClientCall): Promise<Answer> {
  const { query, door } = exchange
  const isPaged = query['limit'] !== undefined || query['cursor'] !== undefined
  const data: unknown[] = []
  let [cursor, next]: [string | null, unknown] = [null, null]
  do {
    const more = isPaged ? query : { ...query, limit: pageSize, ...(cursor === null ? {} : { cursor }) }
    const given = await answer(changeExchange(exchange, { query: more }))
    const page = readPage(given)
    if (page === undefined) return given
    data.push(...page.data)
    next = page.next
    cursor = readCursor(next)
  } while (!isPaged && cursor !== null && data.length < mostEntries)
  return { json: { data, next: typeof next === 'string' && door !== 'marked' ? prefix + next : next } }
}

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
