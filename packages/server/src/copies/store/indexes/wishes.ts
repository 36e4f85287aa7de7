/** Finds out which indexes searches need: those that were slow, or read far more rows than they returned, three times in a day. */
import { BoundedMap, RecentTimes } from 'ferrule/internal'
import { type EntityRef, formatRef } from '../../entity-ref.ts'
import { findMainTime } from '../../search/columns.ts'
import type { SearchQuery } from '../../search/tree.ts'
import { adviseIndexes, type IndexAdvice, listColumns, narrowAdvice } from './advice.ts'
import type { IndexRules } from './types.ts'

/** Cost of a search. */
export interface SearchCost {
  /** Time of the database in milliseconds. */
  readonly ms: number
  /** Characters of the page's JSON. */
  readonly size: number
  /** Number of returned records; 0 when the search was stopped. */
  readonly count: number
  /**
   * Runs the search once more, and counts the rows that it reads; omitted for a search that was stopped.
   * @throws what the store's `search` throws
   */
  readonly countRowsRead?: (signal: AbortSignal) => Promise<number>
}

/** An advice and the entity of a connector that it is for. */
export interface Wish {
  readonly ref: EntityRef
  readonly wish: IndexAdvice
}

interface Suspect extends Wish {
  readonly cost: SearchCost
}

/** Maximum number of waiting advices, and of searches that wait to be measured. */
const mostWanted = 64
const mostSuspects = 16
/** Characters of a page allowed per millisecond: writing 16 MiB takes time with or without an index. */
const charactersPerMs = 20_000
/** Slow searches within a day make an index wanted. A single one can be a peak of load or a question that nobody repeats. */
const wanted = [{ calls: 3, seconds: 24 * 60 * 60 }] as const
/** A column is measured three times in an hour at most, because a measurement costs as much as its search. */
const measured = [{ calls: 3, seconds: 60 * 60 }] as const
/** Maximum number of columns whose searches are counted. */
const mostCounted = 1_000

/** The indexes that searches of this process need. */
export class Wishes {
  readonly #rules: IndexRules
  readonly #clock: () => number
  readonly #observed = new BoundedMap<string, RecentTimes>(mostCounted)
  readonly #wanted = new Map<string, Wish>()
  readonly #measured = new BoundedMap<string, RecentTimes>(mostCounted)
  #suspects: Suspect[] = []

  /** @param clock milliseconds since 1970 */
  constructor(rules: IndexRules, clock: () => number) {
    this.#rules = rules
    this.#clock = clock
  }

  /**
   * Observes a search.
   * @param indexed columns that have an index, or had one that failed
   * @returns true when there is work for a tick
   */
  observe(ref: EntityRef, query: SearchQuery, { cost, indexed }: { cost: SearchCost; indexed: () => ReadonlySet<string> }): boolean {
    const { slowMs, mostInAll, suspectMs } = this.#rules
    if (mostInAll === 0 || cost.ms <= Math.min(slowMs, suspectMs)) return false
    const known = indexed()
    const wish = adviseIndexes(query, (column) => column === findMainTime(query.table) || known.has(column))
    if (listColumns(wish).length === 0) return false
    if (cost.ms > slowMs + cost.size / charactersPerMs) return this.#count({ ref, wish })
    return cost.ms > suspectMs && this.#suspect({ ref, wish, cost })
  }

  /** Measures the searches that may have read too many rows. Reports failures to `onError`: a later search is measured instead. */
  async measure(signal: AbortSignal, onError: (thrown: unknown) => void): Promise<void> {
    const { mostRowsRead, mostRowsReadPerReturned } = this.#rules
    for (const { ref, wish, cost } of this.#suspects.splice(0)) {
      if (signal.aborted) return
      const rows = (await cost.countRowsRead?.(signal).catch(onError)) ?? 0
      if (rows >= mostRowsRead && rows >= mostRowsReadPerReturned * cost.count) this.#count({ ref, wish })
    }
  }

  /** Lists the wanted indexes by the names for `delete`. */
  list(): readonly (readonly [string, Wish])[] {
    return [...this.#wanted]
  }

  /** Deletes a wanted index, which exists or cannot be made. Its searches are counted from the beginning. */
  delete(name: string): void {
    const found = this.#wanted.get(name)
    this.#wanted.delete(name)
    if (found !== undefined) for (const column of listColumns(found.wish)) this.#observed.delete(`${formatRef(found.ref)} ${column}`)
  }

  /** Counts a search that needs an index. Returns true when that was the third one. */
  #count({ ref, wish }: Wish): boolean {
    const now = this.#clock()
    const due = listColumns(wish).filter((column) => {
      const times = this.#observed.take(`${formatRef(ref)} ${column}`, () => new RecentTimes())
      times.add(wanted, now)
      return times.earliest(wanted, now) > now
    })
    const name = `${formatRef(ref)} ${due.join()}`
    if (due.length === 0 || (this.#wanted.size >= mostWanted && !this.#wanted.has(name))) return false
    this.#wanted.set(name, { ref, wish: narrowAdvice(wish, due) })
    return true
  }

  #suspect(suspect: Suspect): boolean {
    if (suspect.cost.countRowsRead === undefined || this.#suspects.length >= mostSuspects) return false
    const name = `${formatRef(suspect.ref)} ${listColumns(suspect.wish).join()}`
    const now = this.#clock()
    const times = this.#measured.take(name, () => new RecentTimes())
    if (times.earliest(measured, now) > now) return false
    times.add(measured, now)
    this.#suspects.push(suspect)
    return true
  }
}
