/**
 * What a walk could not read below a record: the only account of it, within a walk and between runs. A list that fails is left out and
 * named; its siblings are read. Pure.
 */
import type { ErrorCode } from 'ferrule'
import { countNoun, errorConsequences } from 'ferrule/internal'
import type { DayWindow } from './day-windows.ts'
import type { Parent } from './records.ts'

/** Why a list was not read. */
export interface ReadError {
  readonly code: ErrorCode
  readonly message: string
}

/** The list of a parent, or a window of its days, that was not read. */
export interface UnreadUnit extends Parent {
  /** Undefined: everything of the parent. */
  readonly window?: DayWindow
  /** Number of times that this walk has asked for it. */
  readonly tries: number
  /** True when this walk has met the parent. */
  readonly met: boolean
  /** Undefined when it was passed over without a call, because those before it failed. */
  readonly error?: ReadError
}

/** What was not read of an entity. */
export interface UnreadList {
  readonly units: readonly UnreadUnit[]
  /** Number of further ones, which only a complete pass asks for again. */
  readonly more: number
}

/** Maximum number of units that are kept for each entity. */
const mostUnits = 200
/** Parents that a message names. */
const mostNamed = 5

/** Nothing is unread. */
export const nothingUnread: UnreadList = { units: [], more: 0 }

const isSame = (one: Pick<UnreadUnit, 'key' | 'window'>, other: Pick<UnreadUnit, 'key' | 'window'>): boolean =>
  one.key === other.key && one.window?.from === other.window?.from && one.window?.to === other.window?.to

/** Finds the unit of a whole parent. */
export const findWhole = ({ units }: UnreadList, key: string): UnreadUnit | undefined =>
  units.find((unit) => unit.key === key && unit.window === undefined)

/**
 * Adds a unit. A known one keeps its error where the new one has none. A whole parent replaces its windows. What was asked for goes to the
 * end, so that each walk begins with what was not asked for lately.
 */
export function addUnread({ units, more }: UnreadList, added: Omit<UnreadUnit, 'tries'>): UnreadList {
  const known = units.find((unit) => isSame(unit, added))
  const { error = known?.error, ...rest } = added
  const tries = (known?.tries ?? 0) + (added.error === undefined ? 0 : 1)
  const unit: UnreadUnit = { ...rest, tries, ...(error === undefined ? {} : { error }) }
  if (known !== undefined && added.error === undefined) return { units: units.map((each) => (each === known ? unit : each)), more }
  if (known !== undefined) return { units: [...units.filter((each) => each !== known), unit], more }
  const kept = added.window === undefined ? units.filter(({ key }) => key !== added.key) : units
  return kept.length < mostUnits ? { units: [...kept, unit], more } : { units: kept, more: more + 1 }
}

/** Removes everything of a parent that no longer exists. */
export const dropParent = ({ units, more }: UnreadList, key: string): UnreadList => ({
  units: units.filter((unit) => unit.key !== key),
  more,
})

/** Removes what was read: a window of a parent with those in it, or the whole parent but for its windows, which stand for themselves. */
export function dropUnread({ units, more }: UnreadList, { key, window }: Pick<UnreadUnit, 'key' | 'window'>): UnreadList {
  const isReadNow = (unit: UnreadUnit): boolean => {
    if (unit.key !== key || unit.window === undefined || window === undefined) return unit.key === key && unit.window === window
    return unit.window.from >= window.from && unit.window.to <= window.to
  }
  return { units: units.filter((unit) => !isReadNow(unit)), more }
}

/** Notes that the walk met a parent. */
export const markMet = ({ units, more }: UnreadList, key: string): UnreadList => ({
  units: units.map((unit) => (unit.key === key ? { ...unit, met: true } : unit)),
  more,
})

/** Keeps the units whose parents the walk met: the others no longer exist. */
export const keepMet = ({ units, more }: UnreadList): UnreadList => ({ units: units.filter(({ met }) => met), more })

/** Prepares the units of earlier walks for the next one. */
export const beginUnread = ({ units }: UnreadList): UnreadList => ({
  units: units.map((unit) => ({ ...unit, tries: 0, met: false })),
  more: 0,
})

/** Returns whether nothing is unread. */
export const isRead = ({ units, more }: UnreadList): boolean => units.length + more === 0

const namePart = ({ key, window }: UnreadUnit): string => {
  const id = key.replaceAll('\0', '/')
  return window === undefined ? id : `${id} (${window.from === window.to ? window.from : `${window.from} to ${window.to}`})`
}

/** Finds the error to show: that of a list that was asked for. */
export const findError = ({ units }: UnreadList): ReadError | undefined => units.find(({ error }) => error !== undefined)?.error

/**
 * Describes what is unread, with the reason of the first.
 * @param parent entity of the parents
 */
export function describeUnread(list: UnreadList, parent: string): string {
  const count = new Set(list.units.map(({ key }) => key)).size + list.more
  const named = list.units.map(namePart).toSorted().slice(0, mostNamed)
  const others = list.units.length + list.more - named.length
  const names = [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ')
  const reason = findError(list)?.message ?? 'those before them failed.'
  return `Below ${countNoun(count, 'record')} of ${parent} nothing could be read (${names}): ${reason}`
}

/** Returns whether an error refuses a call for good, instead of failing for now. */
export const isRefusal = ({ code }: ReadError): boolean => errorConsequences[code].leavesOut !== 'nothing'

/** Consecutive failures after which parents are passed over, and the same when these took long. */
const mostInRow = { quick: 20, slow: 3, known: 3 } as const
/** Duration of consecutive failures that is long, in milliseconds. */
const longMs = 60_000

/**
 * Bounds the calls of an entity whose lists all fail. After many failures in a row it passes over one parent, then two, four, eight. The
 * first success ends that. So asking all of n parents costs little more than log2(n) calls while none answers, and none is given up: what
 * was passed over is asked for at the end of the walk, and in the next run.
 */
export class Pace {
  readonly #clock: () => number
  readonly #most: number
  #inRow = 0
  #since = 0
  #gap = 1
  #skip = 0

  /** @param isKnown true when an earlier walk could read nothing of the entity */
  constructor(clock: () => number, isKnown: boolean) {
    this.#clock = clock
    this.#most = isKnown ? mostInRow.known : mostInRow.quick
  }

  /** Returns whether to pass over the next call. */
  isOver(): boolean {
    if (this.#skip === 0) return false
    this.#skip -= 1
    return true
  }

  failed(): void {
    if (this.#inRow === 0) this.#since = this.#clock()
    this.#inRow += 1
    const isLong = this.#inRow >= mostInRow.slow && this.#clock() - this.#since >= longMs
    if (this.#inRow < this.#most && !isLong) return
    this.#skip = this.#gap
    this.#gap *= 2
  }

  read(): void {
    this.#inRow = 0
    this.#gap = 1
    this.#skip = 0
  }
}
