import { isObject } from '../http.ts'
import { type Failure, failureOfCode } from './failures.ts'

/** When a statement is held: before it runs, after it ran and before it is committed, or after that. */
export type HoldMoment = 'before' | 'uncommitted' | 'committed'

/** Which statements are held, and how their requests are answered meanwhile. */
export interface HoldOptions {
  /** Text that the statement has; left out: every statement. */
  readonly contains?: string
  /** Default `before`. */
  readonly moment?: HoldMoment
  /** How many statements it holds; left out: all that come until the release. */
  readonly times?: number
  /** `accepted`: 202 at once, as if the window had passed; `nothing`: no answer before the window has passed. Default `accepted`. */
  readonly answer?: 'accepted' | 'nothing'
}

/** The failure that a release gives to the held statements. */
export interface HoldFailure {
  /** Such as 100038; leading zeros can be left out. */
  readonly code: number
  readonly message?: string
}

/** Statements that stand still until they are released. */
export interface Hold {
  readonly id: number
  /** Returns how many statements it holds now. */
  waiting(): number
  /** Resolves once it has held so many statements in all; default 1. */
  caught(count?: number): Promise<void>
  /** Lets them continue, or fail; it holds no more. */
  release(failure?: HoldFailure): void
}

type HoldState = HoldOptions & { readonly id: number; readonly waiting: number }

interface Passing {
  readonly text: string
  readonly moment: HoldMoment
  readonly signal: AbortSignal
  /** Told when it is held. */
  held(answer: 'accepted' | 'nothing'): void
}

/** The holds of a stand-in. */
export interface Holds {
  add(options?: HoldOptions): Hold
  list(): readonly HoldState[]
  /** Releases one hold, or all; false when no hold has the id. */
  release(id?: number, failure?: HoldFailure): boolean
  /** Waits while the statement is held. @returns how it fails; undefined when it continues or was aborted */
  pass(passing: Passing): Promise<Failure | undefined>
}

const moments: readonly string[] = ['before', 'uncommitted', 'committed'] satisfies readonly HoldMoment[]

/** Returns true for a value that can be the options of a hold. */
export function isHoldOptions(value: unknown): value is HoldOptions {
  if (!isObject(value)) return false
  const { contains, moment = 'before', times = 1, answer = 'accepted', ...rest } = value
  const known = Object.keys(rest).length === 0 && (contains === undefined || typeof contains === 'string')
  return known && moments.some((each) => each === moment) && Number.isInteger(times) && (answer === 'accepted' || answer === 'nothing')
}

/** Returns true for a value that can be the failure of a release. */
export const isHoldFailure = (value: unknown): value is HoldFailure =>
  isObject(value) && Number.isInteger(value['code']) && ['string', 'undefined'].includes(typeof value['message'])

interface StandingHold {
  readonly id: number
  readonly options: HoldOptions
  left: number
  /** Statements that it has held so far. */
  total: number
  readonly standing: Set<(failed?: Failure) => void>
  readonly watchers: Set<() => void>
}

const holdOf = (entry: StandingHold, remove: (entry: StandingHold) => void): Hold => ({
  id: entry.id,
  waiting: () => entry.standing.size,
  caught: (count = 1) =>
    new Promise((resolve) => {
      const look = () => {
        if (entry.total >= count && entry.watchers.delete(look)) resolve()
      }
      entry.watchers.add(look)
      look()
    }),
  release(failed) {
    remove(entry)
    for (const go of entry.standing) go(failed && failureOfCode(failed.code, failed.message))
    entry.standing.clear()
  },
})

function stand(entry: StandingHold, { signal, held }: Passing): Promise<Failure | undefined> {
  entry.left -= 1
  return new Promise((resolve) => {
    entry.standing.add(resolve)
    signal.addEventListener('abort', () => entry.standing.delete(resolve) && resolve(undefined), { once: true })
    entry.total += 1
    held(entry.options.answer ?? 'accepted')
    for (const look of entry.watchers) look()
  })
}

/** Returns an empty set of holds. */
export function createHolds(): Holds {
  const entries = new Map<number, StandingHold>()
  let last = 0
  const remove = ({ id }: StandingHold) => void entries.delete(id)
  return {
    add(options = {}) {
      last += 1
      const left = options.times ?? Number.POSITIVE_INFINITY
      const entry: StandingHold = { id: last, options, left, total: 0, standing: new Set(), watchers: new Set() }
      entries.set(last, entry)
      return holdOf(entry, remove)
    },
    list: () => [...entries.values()].map(({ id, options, standing }) => ({ id, ...options, waiting: standing.size })),
    release(id, failed) {
      const chosen = [...entries.values()].filter((entry) => id === undefined || entry.id === id)
      for (const entry of chosen) holdOf(entry, remove).release(failed)
      return chosen.length > 0
    },
    async pass(passing) {
      const { text, moment, signal } = passing
      const meets = ({ options, left }: StandingHold) =>
        left > 0 && (options.moment ?? 'before') === moment && text.includes(options.contains ?? '')
      const entry = [...entries.values()].find(meets)
      return entry && !signal.aborted ? stand(entry, passing) : undefined
    },
  }
}
