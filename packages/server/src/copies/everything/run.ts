/** The searches of one request: a bounded number at a time, within its time, and what did not answer. */
import type { EntityRef } from '../entity-ref.ts'
import { lastCharacter } from '../search/lookups/lookups.ts'
import { mostRanked } from '../search/ranked.ts'
import { buildStatement, connectorParameter, type SearchStatement, Values } from '../search/statement.ts'
import type { SearchQuery } from '../search/tree.ts'
import type { Searcher, SearchLimits } from '../searcher.ts'
import type { Session } from '../store/database/database.ts'
import type { ContextStore } from '../store/types.ts'
import type { SoughtCopy } from './hits.ts'
import { compareCopies, findStart, type Place, toPlace, type Walk } from './places.ts'
import type { EntityPlan } from './plan.ts'
import { Late, type Troubles } from './remarks.ts'
import { type ByRef, countSeveral, findMostTogether, placeSeveral } from './several.ts'
import type { Turns } from './turns.ts'

// One look at the listed words of connectors finds which of their entities can have a record with all words of a text. Its cost grows with
// the entities and the words, not with the records: each word is a range of the term table's key.

/** An entity of a connector. */
interface Sought {
  /** Number of the connector. */
  readonly number: number
  readonly plan: EntityPlan
}

/** Builds the statement of a look. The number of an only connector is a parameter: Citus sends the statement to one machine. */
function buildLookStatement(sought: readonly Sought[], words: readonly string[]): SearchStatement {
  const values = new Values()
  const fields = sought.flatMap(({ number, plan }) => plan.fields.map((field) => ({ number: String(number), field: String(field) })))
  const [only, ...others] = new Set(sought.map(({ number }) => number))
  const isOne = only !== undefined && others.length === 0
  if (isOne) values.add(only, 'int4')
  const begin = values.add(words, 'text[]')
  const end = values.add(
    words.map((word) => `${word}${lastCharacter}`),
    'text[]',
  )
  const list = (of: 'number' | 'field') =>
    values.add(
      fields.map((each) => each[of]),
      'int4[]',
    )
  // With `limit` each range is read by the key. A join would read all words of a field.
  const text = `select f.number, f.field, w.begin as word from unnest(${list('number')}, ${list('field')}) f(number, field)
    cross join unnest(${begin}, ${end}) w(begin, before) cross join lateral (select from cs_terms t
      where t.connector_id = ${isOne ? connectorParameter : 'f.number'} and t.field = f.field and t.term >= w.begin and t.term < w.before limit 1) found`
  return buildStatement(text, values)
}

/** Finds the entities that can have a record. */
export async function lookForWords<S extends Sought>(session: Session, sought: readonly S[]): Promise<readonly S[]> {
  const words = [...new Set(sought.flatMap(({ plan }) => plan.groups.flat()))]
  if (sought.length === 0) return []
  const { text, values } = buildLookStatement(sought, words)
  const { rows } = await session.query<Readonly<Record<'number' | 'field' | 'word', unknown>>>({ text, values })
  const found = new Set(rows.map(({ number, field, word }) => `${number} ${field} ${word}`))
  return sought.filter(({ number, plan: { groups, fields } }) =>
    groups.every((group) => fields.some((field) => group.every((word) => found.has(`${number} ${field} ${word}`)))),
  )
}

/** Maximum number of connectors of one look. */
const mostLooked = 50

function splitInto<T>(list: readonly T[], most: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, index) => list.slice(index * most, (index + 1) * most))
}

/** What the searches of a request are done with. */
export interface RunParts {
  readonly searcher: Pick<Searcher, 'readPlaces' | 'count' | 'readRecords'>
  readonly store: Pick<ContextStore, 'canJoinConnectors' | 'searchSeveral'>
  readonly turns: Turns
  /** Maximum number of records of all entities that are ordered by relevance; default: that of a search of one entity. */
  readonly mostRanked?: number
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

  constructor(parts: RunParts, bounds: RunBounds) {
    this.#parts = parts
    this.#bounds = bounds
  }

  /** Maximum number of records of all entities that are ordered by relevance. */
  get mostRanked(): number {
    return this.#parts.mostRanked ?? mostRanked
  }

  get troubles(): Troubles {
    return this.#troubles
  }

  /** Finds the copies that have the words of a text. */
  async look(copies: readonly SoughtCopy[]): Promise<readonly SoughtCopy[]> {
    const { store } = this.#parts
    const most = (await store.canJoinConnectors()) ? mostLooked : 1
    const able = splitInto([...Map.groupBy(copies, ({ connector }) => connector).values()], most).map((connectors) => {
      const own = connectors.flat()
      const refs = own.map(({ ref }) => ref)
      return this.#do(own, (limits) =>
        store.searchSeveral(
          refs,
          async (session, numbers) => {
            const sought = own.flatMap((copy, index) => {
              const number = numbers[index]
              return number === undefined ? [] : [{ copy, number, plan: copy.plan }]
            })
            return (await lookForWords(session, sought)).map(({ copy }) => copy)
          },
          limits,
        ),
      )
    })
    return (await Promise.all(able)).flatMap((found) => found ?? [])
  }

  /** Counts the records of each copy, up to a number and one more. Copies without an answer are left out. */
  async countEach(copies: readonly SoughtCopy[], walk: Walk, most: number): Promise<ReadonlyMap<SoughtCopy, number>> {
    const wanted = copies.map((copy) => ({ copy, query: { ...chooseQuery(copy, walk), relevance: undefined, sort: [] } }))
    return new Map(await this.#readTogether(wanted, (refs, query, limits) => countSeveral(this.#parts, refs, { ...limits, query, most })))
  }

  /**
   * Reads the places of a page of each copy.
   * @returns undefined when too many records match to order them by relevance
   */
  async readEach(copies: readonly SoughtCopy[], walk: Walk, page: PageOfEach): Promise<readonly FoundInCopy[] | undefined> {
    if (walk.mode === 'keys') return this.#readInOrder(copies, walk, page)
    return this.#readPlaces(copies, walk, page)
  }

  /** Reads records by their keys, as JSON with what they include. */
  async readRecords(copy: SoughtCopy, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const records = new Map<string, string>()
    await this.#do([copy], async (limits) => {
      for (let left = keys; left.length > 0; ) {
        const { include } = copy.plan.included
        const page = await this.#parts.searcher.readRecords(copy.ref, { keys: left, limit: left.length, include }, limits)
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
    for (const copy of copies.toSorted(compareCopies)) {
      if (count > page.limit) break
      for (const one of (await this.#readPlaces([copy], walk, page)) ?? []) {
        found.push(one)
        count += one.places.length
      }
    }
    return found
  }

  async #readPlaces(copies: readonly SoughtCopy[], walk: Walk, { limit, after }: PageOfEach): Promise<readonly FoundInCopy[] | undefined> {
    const wanted = copies.flatMap((copy) => {
      const start = after === undefined ? undefined : findStart(walk, copy, after)
      return start === null ? [] : [{ copy, query: { ...chooseQuery(copy, walk), limit, after: start } }]
    })
    const pages = await this.#readTogether(wanted, (refs, query, limits) =>
      placeSeveral(this.#parts, refs, { ...limits, query, mostRanked: this.mostRanked }),
    )
    if (pages.some(([, { isTooMany }]) => isTooMany)) return undefined
    return pages.map(([copy, { places, hasMore }]) => ({ copy, places: places.map((place) => toPlace(walk, copy, place)), hasMore }))
  }

  /** Reads copies, those of one table that begin at one place together. */
  async #readTogether<T>(
    wanted: readonly { readonly copy: SoughtCopy; readonly query: SearchQuery }[],
    read: (refs: readonly EntityRef[], query: SearchQuery, limits: SearchLimits) => Promise<ByRef<T>>,
  ): Promise<(readonly [SoughtCopy, T])[]> {
    const groups = [...Map.groupBy(wanted, ({ copy: { plan }, query }) => `${plan.table.name} ${JSON.stringify(query.after)}`).values()]
    const parts = await Promise.all(
      groups.map(async (group) => (group[0] === undefined ? [] : splitInto(group, await findMostTogether(group[0].query, this.#parts)))),
    )
    const found = parts.flat().map(async (part) => {
      const copies = part.map(({ copy }) => copy)
      const refs = copies.map(({ ref }) => ref)
      const [first] = part
      const answers = first && (await this.#do(copies, (limits) => read(refs, first.query, limits)))
      return copies.flatMap((copy) => {
        const one = answers?.get(copy.ref)
        return one === undefined ? [] : [[copy, one] as const]
      })
    })
    return (await Promise.all(found)).flat()
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
