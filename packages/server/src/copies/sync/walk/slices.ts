/** Decides which walk of a run gets the next slice. Pure: the same slices follow from the same calls. */

/** What the slices of a walk depend on. */
export interface Lane {
  /** True when a few calls fill it: its lists need no call per record. */
  readonly isList: boolean
  /** Entities that the walk fills. */
  readonly entities: readonly string[]
  /** Number of lists that it calls: each gets a slice of its own before any walk gets a longer one. */
  readonly sources: number
}

interface Standing extends Lane {
  readonly index: number
  slices: number
  /** Calls so far, each divided by the weight at its time. The smallest sum is next. */
  spent: number
  isAsked: boolean
}

/** Share of a walk beside others: that of a list, of each list per record, and of what a search waits for. */
const weights = { list: 64, perRecord: 1, asked: 1_024 } as const

const weigh = ({ isList, isAsked, sources }: Standing): number => {
  if (isAsked) return weights.asked
  return isList ? weights.list : weights.perRecord * sources
}

const isFresh = ({ slices, sources }: Standing): boolean => slices < sources

/** Orders lanes of equal claim: what a search waits for, then lists, then as planned. */
const compareRanks = (one: Standing, other: Standing): number =>
  Number(other.isAsked) - Number(one.isAsked) || Number(other.isList) - Number(one.isList)

const compareFresh = (one: Standing, other: Standing): number =>
  compareRanks(one, other) || one.slices - other.slices || one.index - other.index

const compareSpent = (one: Standing, other: Standing): number =>
  one.spent - other.spent || compareRanks(one, other) || one.index - other.index

/**
 * The slices of a run, or of the lists that a walk calls per record. Every lane gets its first slices before any lane gets more. Then calls
 * are shared by weight: lists first, and the rest by slices. No lane starves, because every call delays the next slice of its lane.
 */
export class Slices {
  readonly #lanes: readonly Standing[]

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes.map((lane, index) => ({ ...lane, index, slices: 0, spent: 0, isAsked: false }))
  }

  /**
   * Finds the lane of the next slice.
   * @param open indexes of the lanes that have something left
   * @param isAsked returns whether a search waits for an entity; its lane moves to the front
   * @returns index of the lane; undefined when none is open
   */
  next(open: readonly number[], isAsked: (entity: string) => boolean): number | undefined {
    const lanes = open.flatMap((index) => this.#lanes[index] ?? [])
    const least = Math.min(...lanes.map(({ spent }) => spent))
    for (const lane of lanes) {
      const isNow = lane.entities.some(isAsked)
      if (isNow && !lane.isAsked) lane.spent = least
      lane.isAsked = isNow
    }
    const fresh = lanes.filter(isFresh)
    const [first] = fresh.length > 0 ? fresh.toSorted(compareFresh) : lanes.toSorted(compareSpent)
    return first?.index
  }

  /** Returns whether a lane has a first slice ahead, or is in it. */
  isFirst(index: number): boolean {
    const lane = this.#lanes[index]
    return lane !== undefined && isFresh(lane)
  }

  spend(index: number, calls: number): void {
    const lane = this.#lanes[index]
    if (lane === undefined) return
    lane.slices += 1
    lane.spent += Math.max(1, calls) / weigh(lane)
  }
}
