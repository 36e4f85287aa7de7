import type { RoutePattern } from '../http.ts'
import type { Answer, ApiCall } from './answers.ts'
import { getCall, listCalls } from './calls.ts'
import { getUser, listUsers, listWorkspaces } from './users.ts'

/** One endpoint of the imitated API. */
export interface Route extends RoutePattern {
  /** What a bearer token must allow. */
  readonly scope: string
  readonly handle: (call: ApiCall) => Answer
}

/** The endpoints; literal paths stand before slots. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/v2/users', scope: 'api:users:read', handle: listUsers },
  { method: 'GET', path: '/v2/users/{id}', scope: 'api:users:read', handle: getUser },
  { method: 'GET', path: '/v2/calls', scope: 'api:calls:read:basic', handle: listCalls },
  { method: 'GET', path: '/v2/calls/{id}', scope: 'api:calls:read:basic', handle: getCall },
  { method: 'GET', path: '/v2/workspaces', scope: 'api:workspaces:read', handle: listWorkspaces },
]
