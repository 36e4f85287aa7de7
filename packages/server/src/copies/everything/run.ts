/** The searches of one request: a bounded number at a time, within its time, and what did not answer. */
import { asFerruleError } from 'ferrule/internal'
import type { SearchResult } from 'ferrule/wire'
import type { SearchQuery } from '../search/tree.ts'
import type { Searcher } from '../searcher.ts'
import { hasCode } from '../store/database/problems.ts'
import type { ContextStore } from '../store/types.ts'
import { describeConnector, type SoughtCopy } from './hits.ts'
import { lookForWords } from './look.ts'
import { findStart, type Place, toPlace, type Walk } from './places.ts'
import { describeRefusal, isUnfit } from './plan.ts'
import type { Turns } from './turns.ts'

/** Maximum number of records of all entities that are ordered by relevance, as in a search of one entity. */
const mostRanked = 20_000

type LeftOut = SearchResult['left_out'][number]

/** Collects entities without an answer, those of one reason in one entry. */
export class LeftOuts {
  readonly #entries = new Map<string, { readonly entry: Omit<LeftOut, 'entities'>; readonly entities: Set<string> }>()

  add(entry: Omit<LeftOut, 'entities'>, entity: string): void {
    const name = JSON.stringify([entry.reason, entry.kind, entry.connector?.id ?? null, entry.message])
    const known = this.#entries.get(name) ?? { entry, entities: new Set() }
    this.#entries.set(name, known)
    known.entities.add(entity)
  }

  addCopy({ of, entity }: Pick<SoughtCopy, 'of' | 'entity'>, reason: LeftOut['reason'], message: string): void {
    const connector = describeConnector(of)
    this.add({ reason, kind: connector.kind, connector, message }, entity)
  }

  list(): LeftOut[] {
    return [...this.#entries.values()].map(({ entry, entities }) => ({ ...entry, entities: [...entities] }))
  }
}

/** What the searches of a request are done with. */
export interface RunParts {
  readonly searcher: Pick<Searcher, 'readPlaces' | 'readRecords'>
  readonly store: Pick<ContextStore, 'readConnector'>
  readonly turns: Turns
}

/** Bounds of a request. */
export interface RunBounds {
  readonly organizationId: string
  readonly signal: AbortSignal | undefined
  /** On the clock of `performance.now()`. */
  readonly end: number
}

/** Records of one copy, in their order. */
export interface FoundInCopy {
  readonly copy: SoughtCopy
  readonly places: readonly Place[]
  readonly hasMore: boolean
}

/** Which records of each copy to read. */
export interface PageOfEach {
  readonly limit: number
  readonly after?: Place | undefined
}

/** The query of a copy in a walk. */
export function chooseQuery({ plan }: Pick<SoughtCopy, 'plan'>, { mode, isNear }: Walk): SearchQuery {
  const query = isNear ? plan.near : plan.exact
  return mode === 'keys' ? { ...query, relevance: undefined, sort: [] } : query
}

/** The searches of one request. */
export class SearchRun {
  readonly #parts: RunParts
  readonly #bounds: RunBounds
  /** Copies without an answer, with the error. */
  readonly #troubles = new Map<SoughtCopy, unknown>()
  #ranked = 0
  #isTooMany = false

  constructor(parts: RunParts, bounds: RunBounds) {
    this.#parts = parts
    this.#bounds = bounds
  }

  /** Copies without an answer, with the error. */
  get troubles(): ReadonlyMap<SoughtCopy, unknown> {
    return this.#troubles
  }

  /** Finds the copies that have the words of a text. */
  async look(copies: readonly SoughtCopy[]): Promise<readonly SoughtCopy[]> {
    const byConnector = [...Map.groupBy(copies, ({ connector }) => connector)]
    const able = byConnector.map(([connector, own]) =>
      this.#do(own, async (limits) => {
        const plans = own.map(({ plan }) => plan)
        const found = await this.#parts.store.readConnector(connector, (session, number) => lookForWords(session, number, plans), limits)
        return own.filter(({ plan }) => found?.has(plan) === true)
      }),
    )
    return (await Promise.all(able)).flatMap((found) => found ?? [])
  }

  /**
   * Reads the places of a page of each copy.
   * @returns undefined when too many records match to order them by relevance
   */
  async readEach(copies: readonly SoughtCopy[], walk: Walk, page: PageOfEach): Promise<readonly FoundInCopy[] | undefined> {
    this.#ranked = 0
    this.#isTooMany = false
    const found =
      walk.mode === 'keys' && page.after !== undefined
        ? await this.#readInOrder(copies, walk, page)
        : (await Promise.all(copies.map((copy) => this.#readOne(copy, walk, page)))).flatMap((each) => each ?? [])
    return this.#isTooMany ? undefined : found
  }

  /** Reads records by their keys, as JSON. */
  async readRecords(copy: SoughtCopy, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const records = new Map<string, string>()
    await this.#do([copy], async (limits) => {
      for (let left = keys; left.length > 0; ) {
        const page = await this.#parts.searcher.readRecords(copy.ref, { keys: left, limit: left.length }, limits)
        for (const [pk, json] of page?.records ?? []) records.set(pk, json)
        left = page?.hasMore === true && page.records.size > 0 ? left.filter((pk) => !records.has(pk)) : []
      }
    })
    return records
  }

  /** Reads copies in their order until a page is full. */
  async #readInOrder(copies: readonly SoughtCopy[], walk: Walk, page: PageOfEach): Promise<readonly FoundInCopy[]> {
    const found: FoundInCopy[] = []
    let count = 0
    for (const copy of copies) {
      const one = count > page.limit ? undefined : await this.#readOne(copy, walk, page)
      if (one === undefined) continue
      found.push(one)
      count += one.places.length
    }
    return found
  }

  #readOne(copy: SoughtCopy, walk: Walk, { limit, after }: PageOfEach): Promise<FoundInCopy | undefined> | undefined {
    const start = after === undefined ? undefined : findStart(walk, copy, after)
    if (start === null) return undefined
    const query = { ...chooseQuery(copy, walk), limit, after: start }
    return this.#do([copy], async (limits) => {
      if (this.#isTooMany) return undefined
      const left = { ...limits, mostRanked: Math.max(1, mostRanked - this.#ranked) }
      const page = await this.#parts.searcher.readPlaces(copy.ref, query, left)
      if (page === undefined) return undefined
      this.#isTooMany ||= page.isTooMany
      this.#ranked += page.places.length
      return { copy, places: page.places.map((place) => toPlace(walk, copy, place)), hasMore: page.hasMore }
    })
  }

  /** Does work on copies in a turn of the organization. Notes an error, and returns undefined. @throws the signal's reason */
  async #do<T>(
    copies: readonly SoughtCopy[],
    work: (limits: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number }) => Promise<T>,
  ): Promise<T | undefined> {
    const { organizationId, signal, end } = this.#bounds
    try {
      return await this.#parts.turns.take(organizationId, signal, () => {
        const timeoutMs = end - performance.now()
        if (timeoutMs < 1) throw new Late()
        return work({ signal, timeoutMs })
      })
    } catch (thrown) {
      signal?.throwIfAborted()
      for (const copy of copies) this.#troubles.set(copy, thrown)
      return undefined
    }
  }
}

/** There is no time left. */
class Late extends Error {}

const isLate = (thrown: unknown): boolean =>
  thrown instanceof Late || hasCode(thrown, 'context_store_timeout') || hasCode(thrown, 'overloaded')

/** Says which copies did not answer, and why. */
export function addTroubles(leftOuts: LeftOuts, troubles: SearchRun['troubles']): void {
  for (const [copy, thrown] of troubles) {
    if (isLate(thrown)) leftOuts.addCopy(copy, 'late', 'There was no answer in time.')
    else if (isUnfit(thrown)) leftOuts.addCopy(copy, 'no_field', describeRefusal(thrown))
    else leftOuts.addCopy(copy, 'failed', asFerruleError(thrown).message)
  }
}

/** Returns the error of a request none of whose copies could be read; undefined when one could, or was only late. */
export function findFailure(troubles: SearchRun['troubles'], copies: readonly SoughtCopy[]): unknown {
  const errors = copies.map((copy) => troubles.get(copy))
  return errors.length > 0 && errors.every((thrown) => thrown !== undefined && !isLate(thrown) && !isUnfit(thrown)) ? errors[0] : undefined
}
