/** All routes. A route that a file of this folder exports is served. */
import { isObject } from 'ferrule/internal'
import { type Endpoint, endpoints } from 'ferrule/wire'
import { protectedResource } from '../mcp/metadata.ts'
import { authorizationServer } from '../oauth/metadata.ts'
import type { Route } from '../route.ts'
import * as changes from './changes.ts'
import * as checks from './checks.ts'
import * as links from './connect/links.ts'
import * as connectors from './connectors.ts'
import * as contextStore from './context-store.ts'
import * as definitions from './definitions.ts'
import * as execute from './execute/execute.ts'
import * as exports from './export.ts'
import * as organizations from './organizations.ts'
import * as overview from './overview.ts'
import * as skills from './skills.ts'
import * as webhooks from './webhooks.ts'

const files: readonly object[] = [
  changes,
  checks,
  links,
  connectors,
  contextStore,
  definitions,
  execute,
  exports,
  organizations,
  overview,
  skills,
  webhooks,
]

const isRoute = (value: unknown): value is Route => isObject(value) && 'answer' in value

const served: Route[] = []
for (const file of files) for (const value of Object.values(file)) if (isRoute(value)) served.push(value)

const order = Object.values<Endpoint>(endpoints).map(({ method, path }) => `${method} ${path}`)

/** Returns the position in the table of endpoints, whose order the API's document has. What is not documented comes last. */
function findPosition({ method, path }: Route): number {
  const found = order.indexOf(`${method} ${path}`)
  return found === -1 ? order.length : found
}

/** Every route of the service, in the order of the API's document. */
export const routes: readonly Route[] = [
  ...served.toSorted((one, other) => findPosition(one) - findPosition(other)),
  ...protectedResource,
  authorizationServer,
]
