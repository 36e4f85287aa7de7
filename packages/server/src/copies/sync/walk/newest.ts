/**
 * Reads a list of ascending ids from its newest records. A few probes find where the list ends, and divide it into segments. The newest
 * segment is read first. Pure.
 */
import { getAt, parsePath } from 'ferrule/internal'
import type { Tree } from './plan.ts'

/** Id of a record. */
export type Id = number | bigint

/** The part of a list that is still to be read. */
export interface Segments {
  /** Ids after which the segments begin, ascending; the last one is being read. */
  readonly starts: readonly Id[]
  /** Last id of the segment that is being read; none at the end of the list. */
  readonly until?: Id
}

/** Maximum number of probes. Each one at least halves what is unknown. */
const mostProbes = 40

const toId = (value: bigint): Id => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value)
const isId = (value: unknown): value is Id => typeof value === 'bigint' || Number.isSafeInteger(value)
const pickLargest = (ids: readonly bigint[]): bigint => ids.reduce((best, id) => (id > best ? id : best))
const pickSmallest = (ids: readonly bigint[]): bigint => ids.reduce((best, id) => (id < best ? id : best))

const readId = ({ sync: { after } }: Pick<Tree, 'sync'>, row: unknown): Id | undefined => {
  const value = after === undefined ? undefined : getAt(row, parsePath(after.field))
  return isId(value) ? value : undefined
}

/** Returns the ids of rows, without those that are no integers. */
export const readIds = (tree: Pick<Tree, 'sync'>, rows: readonly unknown[]): readonly Id[] => rows.flatMap((row) => readId(tree, row) ?? [])

/** Finds the largest id. */
export const findLargest = ([first, ...rest]: readonly Id[]): Id | undefined =>
  first === undefined ? undefined : rest.reduce((largest, id) => (id > largest ? id : largest), first)

/** Filters the rows of the segment that is being read. Later ones were read before. */
export const filterSegment = (tree: Pick<Tree, 'sync'>, rows: readonly unknown[], { until }: Segments): readonly unknown[] =>
  until === undefined ? rows : rows.filter((row) => (readId(tree, row) ?? until) <= until)

/** A page that a probe found. */
interface FoundPage {
  readonly start: bigint
  readonly last: bigint
  readonly records: number
}

const density = ({ start, last, records }: FoundPage): number => records / Math.max(1, Number(last - start))

/** Finds the end of a list by probes: first with growing steps, then by halves. */
export class Outline {
  readonly #found: FoundPage[]
  #step: bigint
  #top: bigint | undefined
  #isDone = false
  #probes = 0

  /** @param ids ids of the oldest page, behind which more follow */
  constructor(ids: readonly Id[]) {
    const all = ids.map(BigInt)
    const [first, last] = [pickSmallest(all), pickLargest(all)]
    this.#found = [{ start: first - 1n, last, records: all.length }]
    this.#step = last - first + 1n
  }

  get #low(): bigint {
    return this.#found.at(-1)?.last ?? 0n
  }

  /** Returns the id after which to look next; undefined when the end was found. */
  probe(): Id | undefined {
    if (this.#isDone || this.#probes >= mostProbes) return undefined
    const at = this.#low + (this.#top === undefined ? this.#step : (this.#top - this.#low) / 2n)
    return at === this.#low ? undefined : toId(at)
  }

  /**
   * Notes what follows an id.
   * @param isLast true when nothing follows these records
   */
  note(after: Id, ids: readonly Id[], isLast: boolean): void {
    const start = BigInt(after)
    this.#probes += 1
    this.#step *= 2n
    if (ids.length === 0) this.#top = start
    else this.#found.push({ start, last: pickLargest(ids.map(BigInt)), records: ids.length })
    this.#isDone = ids.length > 0 && isLast
  }

  get segments(): Segments {
    const [, ...others] = this.#found
    return { starts: [0, ...others.map(({ start }) => toId(start))] }
  }

  /** Estimates the number of records, as dense between two pages as in them. */
  get size(): number {
    const sum = this.#found.reduce((total, page, index) => {
      const before = this.#found[index - 1]
      const between = before === undefined ? 0 : (Number(page.start - before.last) * (density(before) + density(page))) / 2
      return total + page.records + Math.max(0, between)
    }, 0)
    return Math.round(sum)
  }
}

/**
 * Finds where to read after a page.
 * @param largest largest id of the page
 * @param isLast true when nothing follows the page
 * @returns the id and the segments; undefined when all were read
 */
export function moveOn(
  { starts, until }: Segments,
  { largest, isLast }: { readonly largest: Id | undefined; readonly isLast: boolean },
): { readonly after: Id; readonly segments: Segments } | undefined {
  if (!isLast && largest !== undefined && (until === undefined || largest < until)) {
    return { after: largest, segments: until === undefined ? { starts } : { starts, until } }
  }
  const [left, ended] = [starts.slice(0, -1), starts.at(-1)]
  const after = left.at(-1)
  return after === undefined || ended === undefined ? undefined : { after, segments: { starts: left, until: ended } }
}
