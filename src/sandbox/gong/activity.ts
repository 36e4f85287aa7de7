import { at } from '../at.ts'
import { managerOf } from './people.ts'
import type { World } from './world.ts'

/** The fifteen figures of a user's activity, in the vendor's order. */
export const activityNames = [
  'callsAsHost',
  'callsGaveFeedback',
  'callsRequestedFeedback',
  'callsReceivedFeedback',
  'ownCallsListenedTo',
  'othersCallsListenedTo',
  'callsSharedInternally',
  'callsSharedExternally',
  'callsScorecardsFilled',
  'callsScorecardsReceived',
  'callsAttended',
  'callsCommentsGiven',
  'callsCommentsReceived',
  'callsMarkedAsFeedbackGiven',
  'callsMarkedAsFeedbackReceived',
] as const

/** One of the fifteen figures. */
export type ActivityName = (typeof activityNames)[number]

/** That a call counts for a user in a figure. */
export interface ActivityEvent {
  /** Position of the user. */
  readonly user: number
  readonly name: ActivityName
}

interface Chance {
  readonly probability: number
  readonly host?: ActivityName
  readonly manager?: ActivityName
}

/** What can happen with a call; host and manager are counted together. */
const chances: readonly Chance[] = [
  { probability: 0.2, host: 'callsReceivedFeedback', manager: 'callsGaveFeedback' },
  { probability: 0.05, host: 'callsRequestedFeedback' },
  { probability: 0.3, host: 'ownCallsListenedTo' },
  { probability: 0.35, manager: 'othersCallsListenedTo' },
  { probability: 0.15, host: 'callsSharedInternally' },
  { probability: 0.08, host: 'callsSharedExternally' },
  { probability: 0.1, host: 'callsScorecardsReceived', manager: 'callsScorecardsFilled' },
  { probability: 0.2, host: 'callsCommentsReceived', manager: 'callsCommentsGiven' },
  { probability: 0.07, host: 'callsMarkedAsFeedbackReceived', manager: 'callsMarkedAsFeedbackGiven' },
]

/** Everything that one call counts for; all of it on the day of the call. */
export function eventsOf(world: World, call: number): readonly ActivityEvent[] {
  const random = world.random('activity', call)
  const { host, colleagues } = world.traits(call)
  const manager = managerOf(host)
  const events: ActivityEvent[] = [{ user: host, name: 'callsAsHost' }]
  for (const user of [host, ...colleagues]) events.push({ user, name: 'callsAttended' })
  for (const chance of chances) {
    if (!random.chance(chance.probability)) continue
    if (chance.host) events.push({ user: host, name: chance.host })
    if (chance.manager && manager !== undefined) events.push({ user: manager, name: chance.manager })
  }
  return events
}

/** Positions of the calls that started in a span (epoch milliseconds, the end excluded). */
export function callsBetween(world: World, from: number, to: number): readonly number[] {
  const { started } = world.calendar
  return world.allCalls().filter((call) => at(started, call) >= from && at(started, call) < to)
}
