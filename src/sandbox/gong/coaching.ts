import { at } from '../at.ts'
import { callsBetween } from './activity.ts'
import type { Answer, ApiCall } from './answers.ts'
import { ok, refused } from './answers.ts'
import { managerOf } from './people.ts'
import { parseMoment } from './time.ts'
import type { World } from './world.ts'

const metricNames: readonly (readonly [string, number])[] = [
  ['callsListenedTo', 0.35],
  ['callsManagerAttended', 0.15],
  ['callsWithFeedback', 0.2],
  ['callsManagerCommentedOn', 0.2],
  ['callsWithScorecardFilled', 0.1],
]

function person(world: World, index: number): Record<string, unknown> {
  const { id, emailAddress, firstName, lastName, title } = at(world.users, index)
  return { id, emailAddress, firstName, lastName, title }
}

/** Per metric the ids of the calls of a report that the manager did something with. */
function metricsOf(world: World, calls: readonly number[]): Record<string, readonly string[]> {
  const chosen = (name: string, probability: number) =>
    calls.filter((call) => world.random('coaching', name, call).chance(probability)).map((call) => at(world.calendar.ids, call))
  return Object.fromEntries(metricNames.map(([name, probability]) => [name, chosen(name, probability)]))
}

const required = ['workspace-id', 'manager-id', 'from', 'to']

/** GET /v2/coaching: a manager and the direct reports; nobody for a user who leads nobody. */
export function listCoaching(call: ApiCall): Answer {
  const { world } = call.state
  const missing = required.filter((name) => !call.query.get(name))
  if (missing.length > 0) return refused(400, `Bad request: ${missing.join(', ')} is required`)
  const [workspaceId, managerId, fromText, toText] = required.map((name) => call.query.get(name) ?? '')
  const from = parseMoment(fromText ?? '')
  const to = parseMoment(toText ?? '')
  if (from === undefined || to === undefined) return refused(400, 'Bad request: from and to must be ISO-8601 date-times with an offset')
  const workspace = world.workspaces.findIndex((entry) => entry.id === workspaceId)
  const manager = world.userPositions.get(managerId ?? '')
  const reports = world.users.map((_, index) => index).filter((index) => manager !== undefined && managerOf(index) === manager)
  if (workspace < 0 || manager === undefined || reports.length === 0) return ok({ coachingData: [] })
  const calls = callsBetween(world, from, to).filter((position) => world.workspaceOf[position] === workspace)
  const directReportsMetrics = reports.map((report) => ({
    report: person(world, report),
    metrics: metricsOf(
      world,
      calls.filter((position) => world.hostOf[position] === report),
    ),
  }))
  return ok({ coachingData: [{ manager: person(world, manager), directReportsMetrics }] })
}
