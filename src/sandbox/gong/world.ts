import { Random } from '../random.ts'
import type { Calendar } from './calendar.ts'
import { createCalendar } from './calendar.ts'
import type { User, Workspace } from './people.ts'
import { createUsers, createWorkspaces } from './people.ts'
import type { Traits } from './traits.ts'
import { traitsOf } from './traits.ts'

/** The imitated company: small tables and compact columns, from which each answer is made when it is asked for. */
export interface World {
  readonly seed: number
  readonly users: readonly User[]
  /** Position of a user by id. */
  readonly userPositions: ReadonlyMap<string, number>
  readonly workspaces: readonly Workspace[]
  readonly calendar: Calendar
  /** Position of a known call by id. */
  readonly callPositions: ReadonlyMap<string, number>
  /** Positions of all known calls, by scheduled time. */
  readonly allCalls: readonly number[]
  /** Per call: position of its workspace, and of its host. */
  readonly workspaceOf: Uint8Array
  readonly hostOf: Uint16Array
  readonly privateCalls: number
  traits(call: number): Traits
  /** A stream of numbers for one part of the world. */
  random(...parts: readonly (number | string)[]): Random
}

/** Earliest moment that a sandbox can live in: its calls start a year before. */
export const earliestNow = Date.UTC(2024, 0, 1)

/**
 * Builds the company.
 *
 * @param seed - the same seed gives the same company
 * @param now - epoch milliseconds; what happens later is not known yet
 * @throws RangeError when now is before 2024
 */
export function createWorld(seed: number, now: number): World {
  if (now < earliestNow) throw new RangeError('The clock of a sandbox must not be before 2024-01-01')
  const calendar = createCalendar(seed, now)
  const users = createUsers(seed)
  const traits = (call: number) => traitsOf(seed, calendar, call)
  const workspaceOf = new Uint8Array(calendar.count)
  const hostOf = new Uint16Array(calendar.count)
  let privateCalls = 0
  for (let call = 0; call < calendar.count; call += 1) {
    const { workspace, host, isPrivate } = traits(call)
    workspaceOf[call] = workspace
    hostOf[call] = host
    privateCalls += Number(isPrivate)
  }
  const allCalls = Array.from({ length: calendar.count }, (_, call) => call)
  return {
    seed,
    users,
    userPositions: new Map(users.map((user, index) => [user.id, index])),
    workspaces: createWorkspaces(seed),
    calendar,
    callPositions: new Map(allCalls.map((call) => [calendar.ids[call] ?? '', call])),
    allCalls,
    workspaceOf,
    hostOf,
    privateCalls,
    traits,
    random: (...parts) => new Random(seed, ...parts),
  }
}

/**
 * An entry of a list that is known to be there.
 *
 * @throws RangeError when it is not
 */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const value = list[index]
  if (value === undefined) throw new RangeError(`There is no entry ${index}`)
  return value
}
