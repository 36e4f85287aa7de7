/** Reads an entity of several connectors in joined statements, and alone what these leave out. */
import type { EntityRef } from '../entity-ref.ts'
import { findMainTime } from '../search/columns.ts'
import { canJoin, countEach, placeEach } from '../search/each.ts'
import type { SearchRow } from '../search/sql.ts'
import type { SearchStatement } from '../search/statement.ts'
import type { SearchQuery } from '../search/tree.ts'
import { type CountLimits, type FoundPlaces, type PlaceLimits, readPlaces, type Searcher, type SearchLimits } from '../searcher.ts'
import { chooseOrdering } from '../store/indexes/advice.ts'
import type { ContextStore } from '../store/types.ts'

/** What copies are read with. */
export interface SeveralParts {
  readonly searcher: Pick<Searcher, 'readPlaces' | 'count'>
  readonly store: Pick<ContextStore, 'canJoinConnectors' | 'searchSeveral'>
}

/** What was found, by copy. Nothing of a copy that nothing was ever stored of. */
export type ByRef<T> = ReadonlyMap<EntityRef, T>

/** How copies are read: in joined statements, whose answer has the numbers of connectors, and alone. */
interface Reading<T> {
  joined(ask: Parameters<typeof countEach>[0], numbers: readonly number[]): Promise<ReadonlyMap<number, T>>
  alone(ref: EntityRef, limits: SearchLimits): Promise<T | undefined>
}

/** Maximum number of copies that one statement reads. More would leave a slot idle while others wait for one entity. */
const mostJoined = 50
const noColumns: ReadonlySet<string> = new Set()

/** Returns how many copies may be read together for a query. */
export const findMostTogether = async (query: SearchQuery, { store }: SeveralParts): Promise<number> =>
  canJoin(query) && (await store.canJoinConnectors()) ? mostJoined : 1

/**
 * Counts the records of a search in each of some copies.
 * @param refs an entity of several connectors, at most `findMostTogether`; the table is that of the query
 * @throws FerruleError as `Searcher.search`
 */
export const countSeveral = (
  parts: SeveralParts,
  refs: readonly EntityRef[],
  { query, ...limits }: CountLimits & { readonly query: SearchQuery },
): Promise<ByRef<number>> =>
  readSeveral<number>(parts, refs, {
    limits,
    joined: (ask, numbers) => countEach(ask, { query, numbers }, limits.most),
    alone: (ref, left) => parts.searcher.count(ref, query, { ...left, most: limits.most }),
  })

/**
 * Reads the places of a page of each of some copies.
 * @param refs as for `countSeveral`
 * @throws FerruleError as `Searcher.search`
 */
export const placeSeveral = (
  parts: SeveralParts,
  refs: readonly EntityRef[],
  { query, mostRanked, ...limits }: PlaceLimits & { readonly query: SearchQuery },
): Promise<ByRef<FoundPlaces>> =>
  readSeveral<FoundPlaces>(parts, refs, {
    limits,
    joined: async (ask, numbers) => {
      const options = { ...chooseOrdering(query, findMainTime(query.table), noColumns), mostRanked }
      const pages = await placeEach(ask, { query, numbers }, options)
      return new Map([...pages].map(([number, page]) => [number, readPlaces(query, page)]))
    },
    alone: (ref, left) => parts.searcher.readPlaces(ref, query, { ...left, mostRanked }),
  })

async function readSeveral<T>(
  parts: SeveralParts,
  refs: readonly EntityRef[],
  { limits, joined, alone }: Reading<T> & { readonly limits: SearchLimits },
): Promise<ByRef<T>> {
  const found = new Map<EntityRef, T>()
  const end = performance.now() + (limits.timeoutMs ?? Number.POSITIVE_INFINITY)
  const { signal } = limits
  const left = (): SearchLimits => (Number.isFinite(end) ? { signal, timeoutMs: Math.max(1, end - performance.now()) } : { signal })
  for (const ref of refs.length > 1 ? await readJoined(parts, refs, { limits: left(), joined, found }) : refs) {
    const one = await alone(ref, left())
    if (one !== undefined) found.set(ref, one)
  }
  return found
}

/** Reads copies in joined statements. Returns those that these leave out. */
const readJoined = <T>(
  { store }: SeveralParts,
  refs: readonly EntityRef[],
  { limits, joined, found }: Pick<Reading<T>, 'joined'> & { readonly limits: SearchLimits; readonly found: Map<EntityRef, T> },
): Promise<readonly EntityRef[]> =>
  store.searchSeveral(
    refs,
    async (session, numbers) => {
      const ask = async ({ text, values }: SearchStatement) => (await session.query<SearchRow>({ text, values })).rows
      const stored = numbers.filter((number) => number !== undefined)
      const answers = stored.length === 0 ? new Map<number, T>() : await joined(ask, stored)
      return refs.filter((ref, index) => {
        const number = numbers[index]
        const answer = number === undefined ? undefined : answers.get(number)
        if (answer !== undefined) found.set(ref, answer)
        return number !== undefined && answer === undefined
      })
    },
    limits,
  )
