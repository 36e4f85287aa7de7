import { at } from '../at.ts'
import type { Answer, ApiCall } from './answers.ts'
import { isAnswer, ok, refused } from './answers.ts'
import { openPage } from './pages.ts'

/** GET /v2/users: ascending by id. */
export function listUsers(call: ApiCall): Answer {
  const { users } = call.state.world
  const filter = { includeAvatars: call.query.get('includeAvatars') }
  const page = openPage(call, { cursor: call.query.get('cursor'), filter, total: users.length })
  if (isAnswer(page)) return page
  return ok({ records: page.records({ id: at(users, page.to - 1).id }), users: users.slice(page.from, page.to) })
}

/** GET /v2/users/{id} */
export function getUser(call: ApiCall): Answer {
  const { users, userPositions } = call.state.world
  const position = userPositions.get(call.slots['id'] ?? '')
  return position === undefined ? refused(404, 'User not found') : ok({ user: at(users, position) })
}

/** GET /v2/workspaces */
export function listWorkspaces(call: ApiCall): Answer {
  return ok({ workspaces: call.state.world.workspaces })
}
