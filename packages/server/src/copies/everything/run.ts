/** The searches of one request: a bounded number at a time, within its time, and what did not answer. */
import { splitInto } from '../../values/slices.ts'
import type { EntityRef } from '../entity-ref.ts'
import { findMainTime } from '../search/columns.ts'
import {
  type FoundWords,
  fillLookups,
  lastCharacter,
  mostTerms,
  neverListed,
  parseFoundWords,
  writeLookups,
} from '../search/lookups/lookups.ts'
import { mostRanked } from '../search/ranked.ts'
import { listRelatedEntities } from '../search/related/references.ts'
import {
  buildPage,
  listWordTables,
  readFlaw,
  type SearchOptions,
  type SearchPage,
  type SearchRow,
  writeCount,
  writeSearch,
} from '../search/sql.ts'
import { buildStatement, connectorParameter, type SearchStatement, type SqlValue, Values } from '../search/statement.ts'
import type { SearchQuery } from '../search/tree.ts'
import { type CountLimits, type FoundPositions, type PositionLimits, type Searcher, type SearchLimits, toPositions } from '../searcher.ts'
import type { Session } from '../store/database/database.ts'
import { chooseOrdering } from '../store/indexes/advice.ts'
import type { ContextStore } from '../store/store.ts'
import type { FairSlots } from './fair-slots.ts'
import { compareCopies, findStart, type HitPosition, toHitPosition, type Walk } from './hit-positions.ts'
import type { SoughtCopy } from './hits.ts'
import type { EntityPlan } from './plan.ts'
import { Late, type Troubles } from './remarks.ts'

// One look at the listed words of connectors finds which of their entities can have a record with all words of a text. Its cost grows with
// the entities and the words, not with the records: each word is a range of the term table's key.

interface Sought {
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

/** What the searches of a request are done with. */
export interface RunParts {
  readonly searcher: Pick<Searcher, 'readPositions' | 'count' | 'readRecords'>
  readonly store: Pick<ContextStore, 'canJoinConnectors' | 'searchSeveral'>
  readonly slots: FairSlots
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
  readonly positions: readonly HitPosition[]
  readonly hasMore: boolean
}

/** Which records of each copy to read. */
export interface PageOfEach {
  readonly limit: number
  readonly after?: HitPosition | undefined
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
   * Reads the positions of a page of each copy.
   * @returns undefined when too many records match to order them by relevance
   */
  async readEach(copies: readonly SoughtCopy[], walk: Walk, page: PageOfEach): Promise<readonly FoundInCopy[] | undefined> {
    if (walk.mode === 'keys') return this.#readInOrder(copies, walk, page)
    return this.#readPositions(copies, walk, page)
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
      for (const one of (await this.#readPositions([copy], walk, page)) ?? []) {
        found.push(one)
        count += one.positions.length
      }
    }
    return found
  }

  async #readPositions(
    copies: readonly SoughtCopy[],
    walk: Walk,
    { limit, after }: PageOfEach,
  ): Promise<readonly FoundInCopy[] | undefined> {
    const wanted = copies.flatMap((copy) => {
      const start = after === undefined ? undefined : findStart(walk, copy, after)
      return start === null ? [] : [{ copy, query: { ...chooseQuery(copy, walk), limit, after: start } }]
    })
    const pages = await this.#readTogether(wanted, (refs, query, limits) =>
      readPositionsOfSeveral(this.#parts, refs, { ...limits, query, mostRanked: this.mostRanked }),
    )
    if (pages.some(([, { isTooMany }]) => isTooMany)) return undefined
    return pages.map(([copy, { positions, hasMore }]) => ({
      copy,
      positions: positions.map((position) => toHitPosition(walk, copy, position)),
      hasMore,
    }))
  }

  /** Reads copies, those of one table that begin at one position together. */
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
      return await this.#parts.slots.take(organizationId, signal, () => {
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

interface SeveralParts {
  readonly searcher: Pick<Searcher, 'readPositions' | 'count'>
  readonly store: Pick<ContextStore, 'canJoinConnectors' | 'searchSeveral'>
}

/** What was found, by copy. Nothing of a copy that nothing was ever stored of. */
type ByRef<T> = ReadonlyMap<EntityRef, T>

/** How copies are read: in joined statements, whose answer has the numbers of connectors, and alone. */
interface SeveralReading<T> {
  joined(ask: Parameters<typeof countEach>[0], numbers: readonly number[]): Promise<ReadonlyMap<number, T>>
  alone(ref: EntityRef, limits: SearchLimits): Promise<T | undefined>
}

/** Maximum number of copies that one statement reads. More would leave a slot idle while others wait for one entity. */
const mostJoined = 50
const noColumns: ReadonlySet<string> = new Set()

/** Returns how many copies may be read together for a query. */
const findMostTogether = async (query: SearchQuery, { store }: SeveralParts): Promise<number> =>
  canJoin(query) && (await store.canJoinConnectors()) ? mostJoined : 1

/**
 * Counts the records of a search in each of some copies.
 * @param refs an entity of several connectors, at most `findMostTogether`; the table is that of the query
 */
const countSeveral = (
  parts: SeveralParts,
  refs: readonly EntityRef[],
  { query, ...limits }: CountLimits & { readonly query: SearchQuery },
): Promise<ByRef<number>> =>
  readSeveral<number>(parts, refs, {
    limits,
    joined: (ask, numbers) => countEach(ask, { query, numbers }, limits.most),
    alone: (ref, left) => parts.searcher.count(ref, query, { ...left, most: limits.most }),
  })

/** Reads the positions of a page of each of some copies. @param refs as for `countSeveral` */
const readPositionsOfSeveral = (
  parts: SeveralParts,
  refs: readonly EntityRef[],
  { query, mostRanked, ...limits }: PositionLimits & { readonly query: SearchQuery },
): Promise<ByRef<FoundPositions>> =>
  readSeveral<FoundPositions>(parts, refs, {
    limits,
    joined: async (ask, numbers) => {
      const options = { ...chooseOrdering(query, findMainTime(query.table), noColumns), mostRanked }
      const pages = await readPositionsOfEach(ask, { query, numbers }, options)
      return new Map([...pages].map(([number, page]) => [number, toPositions(query, page)]))
    },
    alone: (ref, left) => parts.searcher.readPositions(ref, query, { ...left, mostRanked }),
  })

async function readSeveral<T>(
  parts: SeveralParts,
  refs: readonly EntityRef[],
  { limits, joined, alone }: SeveralReading<T> & { readonly limits: SearchLimits },
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
  { limits, joined, found }: Pick<SeveralReading<T>, 'joined'> & { readonly limits: SearchLimits; readonly found: Map<EntityRef, T> },
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

const joinedSource = { connector: 'c.number', listed: 'c.listed' }

/** Builds a statement that runs for each of some connectors. @param write writes the SQL of one connector */
function buildForEach(numbers: readonly number[], write: (values: Values) => string): SearchStatement {
  const values = new Values(undefined, joinedSource)
  const given = [
    values.add(numbers.map(String), 'int4[]'),
    values.add(
      numbers.map(() => neverListed),
      'text[]',
    ),
  ]
  const text = `select c.number, f.* from unnest(${given.join(', ')}) c(number, listed) cross join lateral (${write(values)}) f`
  return buildStatement(text, values)
}

/** Returns whether a search of several connectors can run in one statement: it depends on nothing that one of them may lack. */
const canJoin = (query: SearchQuery): boolean => query.unlisted.length === 0 && listRelatedEntities(query).all.length === 0

type JoinedRows = readonly SearchRow[]
type AskJoined = (statement: SearchStatement) => Promise<JoinedRows>
const numberOf = (row: SearchRow): number => Number(row['number'])

/** Joins the words that stand for a word in some connectors: each stands for it in all. Undefined for more than a statement takes. */
function joinWords(lists: readonly (readonly string[])[]): readonly string[] | undefined {
  const words = new Set(lists.flat())
  return words.has('') || words.size > mostTerms ? undefined : [...words]
}

/** Puts the words of all connectors among the values of a statement, and the number of changes of each. Undefined where there are too many. */
async function lookUpJoined(ask: AskJoined, search: SearchStatement, { query, numbers }: Joined): Promise<SearchStatement | undefined> {
  const { lookups = [] } = search
  if (lookups.length === 0) return search
  const rows = await ask(buildForEach(numbers, (values) => writeLookups(lookups, listWordTables(query), values)))
  const found = new Map<number, FoundWords>(rows.map((row) => [numberOf(row), parseFoundWords(search, row)]))
  const joined = lookups.map((_lookup, index) => joinWords([...found.values()].map(({ words: own }) => own[index] ?? [])))
  const words = joined.filter((each) => each !== undefined)
  if (words.length < joined.length) return undefined
  const filled = fillLookups(search, { listed: '', words })
  const listed = numbers.map((number) => found.get(number)?.listed ?? neverListed)
  const values: SqlValue[] = [...filled.values]
  values[1] = listed
  return { ...filled, values }
}

interface Joined {
  readonly query: SearchQuery
  readonly numbers: readonly number[]
}

/** Counts the records of a search in each connector, up to a number and one more. A connector that needs a statement of its own is left out. */
async function countEach(ask: AskJoined, joined: Joined, most: number): Promise<ReadonlyMap<number, number>> {
  const statement = buildForEach(joined.numbers, (values) => writeCount(joined.query, most, values).text)
  const ready = await lookUpJoined(ask, statement, joined)
  const rows = ready === undefined ? [] : await ask(ready)
  return new Map(rows.filter(({ flaw }) => readFlaw(flaw) === undefined).map((row) => [numberOf(row), Number(row['total'])]))
}

/** Reads the positions of a page of each connector, as `buildSearchStatement` does. A connector that needs a statement of its own is left out. */
async function readPositionsOfEach(
  ask: AskJoined,
  joined: Joined,
  options: Pick<SearchOptions, 'isOrdered' | 'avoidsOrder' | 'mostRanked'>,
): Promise<ReadonlyMap<number, SearchPage & { readonly rows: JoinedRows }>> {
  const { query, numbers } = joined
  const statement = buildForEach(numbers, (values) => writeSearch(query, { ...options, isPositionsOnly: true }, values).text)
  const ready = await lookUpJoined(ask, statement, joined)
  if (ready === undefined) return new Map()
  const rows = Map.groupBy(await ask(ready), numberOf)
  const pages = numbers.map((number) => {
    const own = rows.get(number) ?? []
    return [number, { ...buildPage(query, own), rows: own }] as const
  })
  return new Map(pages.filter(([, { flaw }]) => flaw === undefined))
}
