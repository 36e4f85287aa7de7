import { Random } from '../random.ts'
import type { Calendar } from './calendar.ts'
import { createCalendar } from './calendar.ts'
import type { User, Workspace } from './people.ts'
import { createUsers, createWorkspaces } from './people.ts'
import type { Traits } from './traits.ts'
import { traitsOf } from './traits.ts'

/** A later change to a call; what is left out stays. */
export interface CallEdit {
  readonly isPrivate?: boolean
  readonly title?: string
  /** The call is gone from every list and cannot be got. */
  readonly erased?: boolean
}

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
  /** Positions of all known calls that are not erased, by scheduled time. */
  allCalls(): readonly number[]
  /** Per call: position of its workspace, and of its host. */
  readonly workspaceOf: Uint8Array
  readonly hostOf: Uint16Array
  readonly privateCalls: number
  traits(call: number): Traits
  /** Changes to calls since the start, by position. */
  readonly edits: ReadonlyMap<number, CallEdit>
  /** Changes a call, on top of earlier changes. */
  edit(call: number, change: CallEdit): void
  /** Takes all changes back. */
  restore(): void
  /** A stream of numbers for one part of the world. */
  random(...parts: readonly (number | string)[]): Random
}

/** Earliest moment that a sandbox can live in: its calls start a year before. */
export const earliestNow = Date.UTC(2024, 0, 1)

/** Columns that filters read for every call. */
function createColumns(count: number, traits: (call: number) => Traits) {
  const workspaceOf = new Uint8Array(count)
  const hostOf = new Uint16Array(count)
  let privateCalls = 0
  for (let call = 0; call < count; call += 1) {
    const { workspace, host, isPrivate } = traits(call)
    workspaceOf[call] = workspace
    hostOf[call] = host
    privateCalls += Number(isPrivate)
  }
  return { workspaceOf, hostOf, privateCalls }
}

/** Changes to calls, and the list of those that are left. */
function createEdits(count: number) {
  const everyCall = Array.from({ length: count }, (_, call) => call)
  const edits = new Map<number, CallEdit>()
  let left: readonly number[] = everyCall
  return {
    edits,
    allCalls: () => left,
    edit(call: number, change: CallEdit) {
      edits.set(call, { ...edits.get(call), ...change })
      left = everyCall.filter((other) => edits.get(other)?.erased !== true)
    },
    restore() {
      edits.clear()
      left = everyCall
    },
  }
}

/**
 * Builds the company.
 *
 * @param seed - the same seed gives the same company
 * @param now - epoch milliseconds; what happens later is not known yet
 * @param most - how many calls are known at most
 * @throws RangeError when now is before 2024
 */
export function createWorld(seed: number, now: number, most: number): World {
  if (now < earliestNow) throw new RangeError('The clock of a sandbox must not be before 2024-01-01')
  const calendar = createCalendar(seed, now, most)
  const users = createUsers(seed)
  const changes = createEdits(calendar.count)
  const traits = (call: number) => {
    const drawn = traitsOf(seed, calendar, call)
    const isPrivate = changes.edits.get(call)?.isPrivate
    return isPrivate === undefined ? drawn : { ...drawn, isPrivate }
  }
  return {
    seed,
    users,
    userPositions: new Map(users.map((user, index) => [user.id, index])),
    workspaces: createWorkspaces(seed),
    calendar,
    callPositions: new Map(changes.allCalls().map((call) => [calendar.ids[call] ?? '', call])),
    ...createColumns(calendar.count, traits),
    ...changes,
    traits,
    random: (...parts) => new Random(seed, ...parts),
  }
}

/** The position of a call that can be seen; undefined for an unknown or erased one. */
export function findCall(world: World, id: string): number | undefined {
  const call = world.callPositions.get(id)
  return call === undefined || world.edits.get(call)?.erased ? undefined : call
}
