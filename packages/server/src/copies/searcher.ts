/** Runs `context_store_search`: from its parameters to a page. The database writes the JSON of the records. */
import { aggregateLimits, BoundedMap } from 'ferrule/internal'
import { signCursor, verifyCursor } from '../values/cursor.ts'
import { type EntityRef, formatRef } from './entity-ref.ts'
import { parseAggregate } from './search/aggregates/parse.ts'
import { type AggregatePage, buildAggregatePage, buildAggregateStatement } from './search/aggregates/sql.ts'
import type { AggregateQuery } from './search/aggregates/tree.ts'
import { findMainTime, findTable, listPhysicalColumns, type SearchTable } from './search/columns.ts'
import { buildNotedValuesStatement, checkStored } from './search/known-values.ts'
import { buildLateHint } from './search/late-hint.ts'
import { RecentWords, runRelying, type SearchRun } from './search/lookups/run.ts'
import { buildUnseenPathsStatement, listOpenPaths } from './search/members.ts'
import { buildOrder, isRanked } from './search/order.ts'
import { parseSearch } from './search/parse.ts'
import { tooComplex } from './search/refusals.ts'
import { dropUnstored, listRelatedEntities } from './search/related/references.ts'
import {
  buildCountStatement,
  buildPage,
  buildSearchStatement,
  type CountOptions,
  hasOnePlan,
  listWordTables,
  readFlaw,
  readPosition,
  type SearchOptions,
  type SearchPage,
  type SearchRow,
} from './search/sql.ts'
import { type Reliance, type SearchStatement, StatementNames } from './search/statement.ts'
import type { Position, SearchQuery } from './search/tree.ts'
import { createCursor, parseCursor, type SearchedBy, toAggregateScope } from './search-cursors.ts'
import type { QueryOptions, Session, Statement } from './store/database/database.ts'
import { hasCode } from './store/database/problems.ts'
import { adviseIndexes, chooseOrdering, listColumns, sumRowsRead } from './store/indexes/advice.ts'
import type { OnDemandIndexes } from './store/indexes/on-demand.ts'
import type { ContextStore } from './store/store.ts'
import type { SearchReadOptions } from './store/types.ts'

/** Runs a search once more, without its answer, and counts the rows that it reads from its table. */
async function countRowsRead(session: Session, { text, values }: SearchStatement, table: SearchTable): Promise<number> {
  const { rows } = await session.query({ text: `explain (analyze, timing off, format json) ${text}`, values })
  return rows.reduce((sum, row) => sum + sumRowsRead(JSON.parse(String(row['QUERY PLAN'])), findTable(table)), 0)
}

interface FoundPage extends SearchPage {
  readonly rows: readonly SearchRow[]
  /** What the statement could rely on. */
  readonly reliance: Reliance
}

/** Reads a page of a search. Starts over when a statement relied on something in vain. */
export const runSearch = (run: SearchRun, query: SearchQuery, options: SearchOptions): Promise<FoundPage> =>
  runRelying<SearchPage>(
    run,
    { connector: options.connector, tables: listWordTables(query) },
    {
      reliance: options.reliance,
      build: (reliance) => buildSearchStatement(query, { ...options, reliance }),
      parse: (rows) => buildPage(query, rows),
    },
  )

/** Reads a page of an aggregate as `runSearch` does. */
export const runAggregate = (run: SearchRun, query: AggregateQuery, options: Pick<SearchOptions, 'connector' | 'reliance'>) =>
  runRelying<AggregatePage>(
    run,
    { connector: options.connector, tables: listWordTables(query.search) },
    {
      reliance: options.reliance,
      build: (reliance) => buildAggregateStatement(query, { ...options, reliance }),
      parse: (rows) => buildAggregatePage(query, rows),
    },
  )

/** Counts the records of a search as `runSearch` reads them. */
const runCount = (run: SearchRun, query: SearchQuery, options: CountOptions) =>
  runRelying<{ readonly total: number }>(
    run,
    { connector: options.connector, tables: listWordTables(query) },
    {
      reliance: options.reliance,
      build: (reliance) => buildCountStatement(query, { ...options, reliance }),
      parse: ([row]) => ({ total: Number(row?.['total']), flaw: readFlaw(row?.['flaw']) }),
    },
  )

/** Signal, whose reason a search throws, and its timeout; by default the store's, for each statement. For `readPages`: of each page. */
export type SearchLimits = Pick<QueryOptions, 'signal' | 'timeoutMs'>

/** One page of a search. */
export interface SearchAnswer {
  /** JSON array of the records. */
  readonly json: string
  readonly count: number
  /** Cursor of the next page; null on the last page. */
  readonly cursor: string | null
  /** True when too many records match to sort them by the requested relevance. */
  readonly isUnranked: boolean
  /** Paths below undocumented fields that no record has; only on the first page. */
  readonly unseenPaths: readonly string[]
  /** Records of all pages, where they were asked for; at most `mostTotal`, or one more where there are more. */
  readonly total?: number | undefined
  /** Whole milliseconds. */
  readonly tookMs: number
}

/** Where the records of a page are in the order of their search. */
export interface FoundPositions {
  /** None when too many records match to sort them by relevance. */
  readonly positions: readonly Position[]
  readonly hasMore: boolean
  /** More records match than can be sorted by relevance: search without. */
  readonly isTooMany: boolean
}

/** Limits of a search for positions. */
export type PositionLimits = SearchLimits & Pick<SearchOptions, 'mostRanked'>
/** Limits of a count. */
export type CountLimits = SearchLimits & { readonly most: number }

type PositionOptions = Pick<SearchOptions, 'mostRanked' | 'isPositionsOnly'>

/** Reads the positions of the records of a page. */
export function toPositions(
  query: SearchQuery,
  { rows, count, next, isTooMany }: Omit<FoundPage, 'json' | 'flaw' | 'reliance'>,
): FoundPositions {
  const order = buildOrder(query)
  return { positions: rows.slice(0, count).map((row) => readPosition(row, order)), hasMore: next !== undefined, isTooMany }
}

/** One page of an aggregate. */
export interface AggregateAnswer extends Pick<AggregatePage, 'json' | 'groups' | 'skipped'> {
  /** Cursor of the next page; null on the last page. */
  readonly cursor: string | null
  /** True when the copy has changed since the first page. */
  readonly hasChanged: boolean
  /** Paths below undocumented fields that no record has; only on the first page. */
  readonly unseenPaths: readonly string[]
  /** Whole milliseconds. */
  readonly tookMs: number
}

/** An aggregate with what its cursor says. */
export interface PagedAggregate extends AggregateQuery {
  /** Number of changes of the copy at the first page; undefined there. */
  readonly version: string | undefined
}

/** Pages of a search that is read to its end; each record is a JSON string. */
export type RecordPages = AsyncGenerator<readonly string[], void, undefined>

/** Which records to read: after a key, or those of some keys. */
export interface WantedRecords {
  readonly after?: string | undefined
  readonly keys?: readonly string[] | undefined
  readonly limit: number
  /** What the records come with. */
  readonly include?: SearchQuery['include']
}

/** Records by their keys, at most so many bytes as a page of a search. */
export interface KeyedRecords {
  /** JSON of the records by key, in the order of keys. */
  readonly records: ReadonlyMap<string, string>
  /** True when more records follow. */
  readonly hasMore: boolean
}

/** Part of a store that a searcher needs. Without `indexes` a searcher uses and requests no automatic indexes. */
type Store = Pick<ContextStore, 'getTable' | 'search' | 'hasRows'> & {
  readonly indexes?: Pick<OnDemandIndexes, 'readyColumns' | 'observe'>
}

const { mostGroups } = aggregateLimits
const tooManyGroups = `leads beyond ${mostGroups} groups; narrow the filter, add having, or take larger groups`
const none: ReadonlySet<string> = new Set()
/** Maximum number of remembered entities with irregular values. */
const mostIrregular = 10_000

/** Options of a searcher. */
export interface SearcherOptions extends Pick<SearchOptions, 'mostRanked'> {
  /** HMAC key for cursors. */
  readonly cursorKey: () => Uint8Array
  readonly clock: () => number
}

/** Returns the limits of the next statement: what is left of the timeout. */
type Left = () => QueryOptions

/** Starts the timeout that all statements of a search, or of a page of an export, share. */
function countDown({ signal, timeoutMs }: SearchLimits, lateHint: () => string): Left {
  if (timeoutMs === undefined) return () => ({ signal, lateHint })
  const end = performance.now() + timeoutMs
  return () => ({ signal, lateHint, timeoutMs: Math.max(1, end - performance.now()), wholeMs: timeoutMs })
}

type ReadingOptions = Pick<SearchOptions, 'connector'> & { readonly reliance: Reliance }

interface Observed<T> {
  readonly limits: SearchReadOptions
  read(run: SearchRun, options: ReadingOptions): Promise<T>
  /** Returns the characters that had to be written, and the records that were found. */
  measure(found: T): { readonly size: number; readonly count: number }
}

/** Characters that stand for a counted record in the cost of an aggregate: a thousand records take 1 ms, with or without an index. */
const charactersOfRecord = 20

/**
 * Searches a store. The caller has checked that the client may read the entity. Create one per store: it counts recurring statements to
 * name them.
 */
export class Searcher {
  readonly #store: Store
  readonly #options: SearcherOptions
  readonly #names = new StatementNames()
  readonly #recent = new RecentWords()
  /** Entities of connectors with irregular values (`irregularField`), which stay so. */
  readonly #irregular = new BoundedMap<string, true>(mostIrregular)

  constructor(store: Store, options: SearcherOptions) {
    this.#store = store
    this.#options = options
  }

  /**
   * Parses parameters without running a statement.
   * @param params `{ query: { filter?, text?, sort? }, limit?, cursor?, fields?, include? }` as sent by the client
   * @throws FerruleError for the parameters (JSON pointers below `/params`), `invalid_cursor`
   */
  parse(ref: EntityRef, params: unknown): SearchQuery {
    const findTable = (entity: string) => this.#store.getTable(ref.kind, entity, ref.own)
    const query = parseSearch(findTable(ref.entity), params, findTable)
    return query.cursor === undefined ? query : { ...query, after: parseCursor(query.cursor, this.#bind(ref, query)) }
  }

  /**
   * Reads one page.
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError `invalid_parameter` for a value that no record has, and the errors of `ContextStore`
   */
  async search(ref: EntityRef, query: SearchQuery, limits: SearchLimits = {}): Promise<SearchAnswer | undefined> {
    const begin = performance.now()
    const left = this.#countDown(limits, ref, query)
    await this.#checkStored(ref, query, left)
    const page = await this.#readPage(ref, query, left)
    if (page === undefined) return undefined
    const { json, count, next, isTooMany } = page
    const cursor = next === undefined ? null : createCursor(next, this.#bind(ref, query))
    const unseenPaths = query.after === undefined ? await this.#findUnseenPaths(ref, left, listOpenPaths(query)) : []
    const counted = query.isCounted ? await this.#count(ref, query, left) : undefined
    const tookMs = Math.round(performance.now() - begin)
    return { json, count, cursor, isUnranked: isTooMany, unseenPaths, total: counted?.total, tookMs }
  }

  /** Parses the parameters of an aggregate without running a statement. @throws as `parse` */
  parseAggregate(ref: EntityRef, params: unknown): PagedAggregate {
    const findTable = (entity: string) => this.#store.getTable(ref.kind, entity, ref.own)
    const query = parseAggregate(findTable(ref.entity), params, findTable)
    const { cursor } = query.search
    if (cursor === undefined) return { ...query, version: undefined }
    const [, offset, version] = verifyCursor(cursor, toAggregateScope(this.#bindTo(ref), query))
    if (Number(offset) >= mostGroups) throw tooComplex({ at: '/params/cursor' }, tooManyGroups)
    return { ...query, offset: Number(offset), version: version ?? '' }
  }

  /**
   * Computes one page of groups.
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError as `search`
   */
  async aggregate(ref: EntityRef, query: PagedAggregate, limits: SearchLimits = {}): Promise<AggregateAnswer | undefined> {
    const begin = performance.now()
    const { search, version: first } = query
    const left = this.#countDown(limits, ref, search, true)
    if (first === undefined) await this.#checkStored(ref, search, left)
    const stored = await this.#dropUnstored(ref, search)
    const page = await this.#observe(ref, stored.query, {
      limits: { ...left(), related: stored.related },
      read: (run, options) => runAggregate(run, { ...query, search: stored.query }, options),
      measure: ({ matched }) => ({ size: matched * charactersOfRecord, count: matched }),
    })
    if (page === undefined) return undefined
    const { json, groups, skipped, next, version } = page
    const cursor = next === undefined ? null : signCursor([1, String(next), first ?? version], toAggregateScope(this.#bindTo(ref), query))
    const paths = [...query.groups, ...query.measures].flatMap((each) => ('path' in each ? [each.path] : []))
    const unseenPaths = first === undefined ? await this.#findUnseenPaths(ref, left, listOpenPaths(search, paths)) : []
    const hasChanged = first !== undefined && first !== version
    return { json, groups, skipped, cursor, hasChanged, unseenPaths, tookMs: Math.round(performance.now() - begin) }
  }

  /**
   * Reads whole records with their keys, in the order of keys.
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError the errors of `ContextStore`
   */
  async readRecords(ref: EntityRef, wanted: WantedRecords, limits: SearchLimits = {}): Promise<KeyedRecords | undefined> {
    const { after, keys, limit, include = [] } = wanted
    const plain = parseSearch(this.#store.getTable(ref.kind, ref.entity, ref.own), { query: {}, limit })
    const start = after === undefined ? {} : { after: { pk: after, keys: [] } }
    const query = { ...plain, include, ...(keys === undefined ? {} : { keys }), ...start }
    const page = await this.#readPage(ref, query, this.#countDown(limits, ref, query))
    if (page === undefined) return undefined
    const rows = page.rows.slice(0, page.count).map(({ pk, json }) => [String(pk), String(json)] as const)
    return { records: new Map(rows), hasMore: page.next !== undefined }
  }

  /**
   * Reads where the records of one page are, for an order over several entities.
   * @param limits `mostRanked`: maximum number of records to sort by relevance; default: that of every search
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError as `search`
   */
  async readPositions(ref: EntityRef, query: SearchQuery, { mostRanked, ...limits }: PositionLimits): Promise<FoundPositions | undefined> {
    const left = this.#countDown(limits, ref, query)
    await this.#checkStored(ref, query, left)
    const page = await this.#runPage(ref, query, left, { isPositionsOnly: true, ...(mostRanked === undefined ? {} : { mostRanked }) })
    return page && toPositions(query, page)
  }

  /**
   * Counts the records of a search.
   * @param limits `most`: number up to which they are counted; one more where there are more
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError as `search`
   */
  async count(ref: EntityRef, query: SearchQuery, { most, ...limits }: CountLimits): Promise<number | undefined> {
    const left = this.#countDown(limits, ref, query, true)
    await this.#checkStored(ref, query, left)
    return (await this.#count(ref, query, left, most))?.total
  }

  /** Reads all pages, each when the caller asks for the next one. @throws FerruleError as `search` */
  async *readPages(ref: EntityRef, query: SearchQuery, limits: SearchLimits = {}): RecordPages {
    await this.#checkStored(ref, query, this.#countDown(limits, ref, query))
    for (let rest: SearchQuery | undefined = query; rest !== undefined; ) {
      const page: FoundPage | undefined = await this.#readPage(ref, rest, this.#countDown(limits, ref, query))
      if (page === undefined) return
      yield page.rows.slice(0, page.count).map(({ json }) => String(json))
      rest = page.next && { ...query, after: page.next }
    }
  }

  /** Starts the timeout of a search. @param readsAll true for counts and groups */
  #countDown(limits: SearchLimits, ref: EntityRef, query: SearchQuery, readsAll = false): Left {
    return countDown(limits, () => {
      const ready = this.#store.indexes?.readyColumns(ref) ?? none
      const wished = listColumns(adviseIndexes(query, (column) => column === findMainTime(query.table) || ready.has(column)))
      const unindexed = listPhysicalColumns(query.table).flatMap(({ name, field }) => (wished.includes(name) ? [field] : []))
      return buildLateHint(query, { unindexed, readsAll })
    })
  }

  #bindTo({ connector }: EntityRef): Omit<SearchedBy, 'query'> {
    const { cursorKey, clock } = this.#options
    return { key: cursorKey(), connector, now: clock() }
  }

  #bind = (ref: EntityRef, query: SearchQuery): SearchedBy => ({ ...this.#bindTo(ref), query })

  async #count(ref: EntityRef, whole: SearchQuery, left: Left, most?: number) {
    const { query, related } = await this.#dropUnstored(ref, whole)
    return this.#observe(ref, query, {
      limits: { ...left(), related },
      read: (run, options) => runCount(run, query, { ...options, most }),
      measure: ({ total }) => ({ size: total * charactersOfRecord, count: total }),
    })
  }

  /** Checks operands that are not known values against the stored ones. Only the first page is checked. */
  async #checkStored(ref: EntityRef, { after, unlisted }: SearchQuery, left: Left): Promise<void> {
    if (after !== undefined || unlisted.length === 0) return
    const rows = await this.#readRows(ref, left, (connector) => buildNotedValuesStatement(unlisted, connector))
    if (rows !== undefined) checkStored(unlisted, rows)
  }

  /**
   * Reads a page by relevance if requested. Falls back to the plain order when too many records match, or when earlier pages did;
   * `isTooMany` is then true.
   */
  async #readPage(ref: EntityRef, query: SearchQuery, left: Left): Promise<FoundPage | undefined> {
    const { after } = query
    const isUnranked = isRanked(buildOrder(query)) && after !== undefined && after.isRanked !== true
    const page = isUnranked ? undefined : await this.#runPage(ref, query, left)
    if (!isUnranked && page?.isTooMany !== true) return page
    const unranked = await this.#runPage(ref, { ...query, relevance: undefined }, left)
    return unranked && { ...unranked, isTooMany: true }
  }

  /** Takes from a search the entities that nothing is stored of: they may have no table. */
  async #dropUnstored(ref: EntityRef, query: SearchQuery): Promise<{ readonly query: SearchQuery; readonly related: readonly string[] }> {
    const { all } = listRelatedEntities(query)
    if (all.length === 0) return { query, related: [] }
    const has = await Promise.all(all.map((entity) => this.#store.hasRows({ ...ref, entity })))
    const stored = all.filter((_entity, index) => has[index])
    const related = stored.map((entity) => this.#store.getTable(ref.kind, entity, ref.own).name)
    return { query: dropUnstored(query, (entity) => stored.includes(entity)), related }
  }

  async #runPage(ref: EntityRef, whole: SearchQuery, left: Left, wanted: PositionOptions = {}): Promise<FoundPage | undefined> {
    const { query, related } = await this.#dropUnstored(ref, whole)
    // Only one timestamp column has an index (`findMainTime`); splitting another order at its nulls would read the table twice.
    const ordering = chooseOrdering(query, findMainTime(query.table), this.#store.indexes?.readyColumns(ref) ?? none)
    return this.#observe(ref, query, {
      limits: { ...left(), hasOnePlan: hasOnePlan(query), related },
      read: (run, options) => runSearch(run, query, { ...options, ...ordering, mostRanked: this.#options.mostRanked, ...wanted }),
      measure: ({ json, count }) => ({ size: json.length, count }),
    })
  }

  /** Runs the statements of a search in one slot, and observes what they cost. */
  async #observe<T extends { readonly reliance: Reliance }>(
    ref: EntityRef,
    query: SearchQuery,
    { limits, read, measure }: Observed<T>,
  ): Promise<T | undefined> {
    const name = formatRef(ref)
    let ms = 0
    let last: SearchStatement | undefined
    try {
      const found = await this.#store.search(
        ref,
        (session, connector) => {
          const ask = async (statement: SearchStatement) => {
            last = statement
            const { rows, tookMs = 0 } = await session.query<SearchRow>(this.#named(statement))
            ms += tookMs
            return rows
          }
          const reliance = { onLookups: true, onRegular: this.#irregular.get(name) === undefined }
          return read({ ask, recent: this.#recent }, { connector, reliance })
        },
        limits,
      )
      if (found === undefined) return undefined
      if (!found.reliance.onRegular) this.#irregular.set(name, true)
      const cost = { ms, ...measure(found) }
      this.#store.indexes?.observe(ref, query, { ...cost, countRowsRead: (signal) => this.#countRowsRead(ref, query, { last, signal }) })
      return found
    } catch (thrown) {
      if (hasCode(thrown, 'context_store_timeout'))
        this.#store.indexes?.observe(ref, query, { ms: limits.timeoutMs ?? Number.POSITIVE_INFINITY, size: 0, count: 0 })
      throw thrown
    }
  }

  async #countRowsRead(
    ref: EntityRef,
    { table }: SearchQuery,
    { last, signal }: { last: SearchStatement | undefined; signal: AbortSignal },
  ): Promise<number> {
    if (last === undefined) return 0
    return (await this.#store.search(ref, (session) => countRowsRead(session, last, table), { signal })) ?? 0
  }

  async #findUnseenPaths(ref: EntityRef, left: Left, open: ReturnType<typeof listOpenPaths>): Promise<readonly string[]> {
    if (open.length === 0) return []
    const rows = await this.#readRows(ref, left, (connector) => buildUnseenPathsStatement(open, connector))
    return (rows ?? []).map(({ path }) => String(path))
  }

  /** Reads the rows of one statement; undefined when no record of the entity was ever stored. */
  #readRows(ref: EntityRef, left: Left, build: (connector: number) => SearchStatement) {
    const work = async (session: Session, connector: number) => (await session.query<SearchRow>(this.#named(build(connector)))).rows
    return this.#store.search(ref, work, left())
  }

  #named(statement: SearchStatement): Statement {
    return { ...statement, name: this.#names.takeName(statement) }
  }
}
