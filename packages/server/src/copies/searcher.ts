/** Runs `context_store_search`: from its parameters to a page. The database writes the JSON of the records. */

import { BoundedMap } from 'ferrule/internal'
import { type EntityRef, formatRef } from './entity-ref.ts'
import { findMainTime } from './search/columns.ts'
import { buildLateHint } from './search/conditions/late-hint.ts'
import { type CursorScope, createCursor, parseCursor } from './search/cursor.ts'
import { buildNotedValuesStatement, checkStored } from './search/known-values.ts'
import { RecentWords } from './search/lookups/recent-words.ts'
import { buildUnseenPathsStatement, listOpenPaths } from './search/members.ts'
import { buildOrder, isRanked, type Position } from './search/order.ts'
import { parseSearch } from './search/parse.ts'
import { type FoundPage, runSearch } from './search/run.ts'
import { hasOnePlan, type SearchOptions, type SearchRow } from './search/sql.ts'
import { type SearchStatement, StatementNames } from './search/statement.ts'
import type { SearchQuery } from './search/tree.ts'
import type { QueryOptions, Session, Statement } from './store/database/database.ts'
import { hasCode } from './store/database/problems.ts'
import { chooseOrdering } from './store/indexes/advice.ts'
import type { OnDemandIndexes } from './store/indexes/on-demand.ts'
import { countRowsRead } from './store/indexes/rows-read.ts'
import type { ContextStore } from './store/types.ts'

/** Parameters of a search, and the entity to search. */
export interface SearchRequest {
  /** Entity to search. The caller has checked that the client may read it. */
  readonly ref: EntityRef
  /** `{ query: { filter?, text?, sort? }, limit?, cursor?, fields? }` as sent by the client. */
  readonly params: unknown
  /** HMAC key for cursors. */
  readonly key: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
  /** Aborts the search, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of the search in milliseconds, of each page for `readPages`; omitted: the store's setting, for each statement. */
  readonly timeoutMs?: number | undefined
}

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
  /** Whole milliseconds. */
  readonly tookMs: number
}

/** Pages of a search that is read to its end; each record is a JSON string. */
export type RecordPages = AsyncGenerator<readonly string[], void, undefined>

/** Searches a store. */
export interface Searcher {
  /**
   * Parses the parameters without running a statement.
   * @returns the fields of the records, in their order
   * @throws FerruleError as `search`
   */
  listFields(request: Pick<SearchRequest, 'ref' | 'params' | 'key' | 'now'>): readonly string[]
  /**
   * Reads one page.
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError for the parameters (JSON pointers below `/params`), `invalid_cursor`, and the errors of `ContextStore`
   */
  search(request: SearchRequest): Promise<SearchAnswer | undefined>
  /**
   * Reads all pages, each when the caller asks for the next one.
   * @param size records of a page
   * @throws FerruleError as `search`
   */
  readPages(request: SearchRequest, size: number): RecordPages
}

/** Part of a store that a searcher needs. Without `indexes` a searcher uses and requests no automatic indexes. */
type Store = Pick<ContextStore, 'getTable' | 'search'> & {
  readonly indexes?: Pick<OnDemandIndexes, 'readyColumns' | 'observe'>
}

const none: ReadonlySet<string> = new Set()
/** Maximum number of remembered entities with irregular values. */
const mostIrregular = 10_000

const toCursorScope = ({ ref, key, now }: Pick<SearchRequest, 'ref' | 'key' | 'now'>, query: SearchQuery): CursorScope => ({
  key,
  connector: ref.connector,
  query,
  now,
})

const findStart = (request: Pick<SearchRequest, 'ref' | 'key' | 'now'>, query: SearchQuery): Position | undefined =>
  query.cursor === undefined ? undefined : parseCursor(query.cursor, toCursorScope(request, query))

type SearcherOptions = Pick<SearchOptions, 'mostRanked'>

/** A search while it runs. */
interface Run {
  readonly ref: EntityRef
  readonly query: SearchQuery
  /** Returns the limits of the next statement: what is left of the timeout. */
  readonly left: () => QueryOptions
}

/** Starts the timeout that all statements of a search, or of a page of an export, share. */
function countDown({ signal, timeoutMs }: Pick<SearchRequest, 'signal' | 'timeoutMs'>, query: SearchQuery): () => QueryOptions {
  const lateHint = buildLateHint(query)
  if (timeoutMs === undefined) return () => ({ signal, lateHint })
  const end = performance.now() + timeoutMs
  return () => ({ signal, lateHint, timeoutMs: Math.max(1, end - performance.now()), wholeMs: timeoutMs })
}

class StoreSearcher implements Searcher {
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

  listFields(request: Pick<SearchRequest, 'ref' | 'params' | 'key' | 'now'>): readonly string[] {
    const { kind, entity } = request.ref
    const query = parseSearch(this.#store.getTable(kind, entity), request.params)
    findStart(request, query)
    const columns = query.selection === undefined ? query.table.columns : [...query.selection.keys()]
    return columns.map(({ name }) => name)
  }

  async search(request: SearchRequest): Promise<SearchAnswer | undefined> {
    const begin = performance.now()
    const query = await this.#parse(request)
    const run: Run = { ref: request.ref, query, left: countDown(request, query) }
    await this.#checkStored(run)
    const page = await this.#readPage(run, findStart(request, query))
    if (page === undefined) return undefined
    const { json, count, next, isTooMany } = page
    const cursor = next === undefined ? null : createCursor(next, toCursorScope(request, query))
    const unseenPaths = query.cursor === undefined ? await this.#findUnseenPaths(run) : []
    return { json, count, cursor, isUnranked: isTooMany, unseenPaths, tookMs: Math.round(performance.now() - begin) }
  }

  async *readPages(request: SearchRequest, size: number): RecordPages {
    const query = { ...(await this.#parse(request)), limit: size }
    const { ref } = request
    let after = findStart(request, query)
    await this.#checkStored({ ref, query, left: countDown(request, query) })
    do {
      const page = await this.#readPage({ ref, query, left: countDown(request, query) }, after)
      if (page === undefined) return
      yield page.rows.slice(0, page.count).map(({ json }) => String(json))
      after = page.next
    } while (after !== undefined)
  }

  async #parse({ ref, params }: Pick<SearchRequest, 'ref' | 'params'>): Promise<SearchQuery> {
    return parseSearch(this.#store.getTable(ref.kind, ref.entity), params)
  }

  /** Checks operands that are not known values against the stored ones. Only the first page is checked. */
  async #checkStored({ ref, query: { cursor, unlisted }, left }: Run): Promise<void> {
    if (cursor !== undefined || unlisted.length === 0) return
    const rows = await this.#readRows({ ref, left }, (connector) => buildNotedValuesStatement(unlisted, connector))
    if (rows !== undefined) checkStored(unlisted, rows)
  }

  /**
   * Reads a page by relevance if requested. Falls back to the plain order when too many records match, or when earlier pages did;
   * `isTooMany` is then true.
   */
  async #readPage(run: Run, after: Position | undefined): Promise<FoundPage | undefined> {
    const isUnranked = isRanked(buildOrder(run.query)) && after !== undefined && after.isRanked !== true
    const page = isUnranked ? undefined : await this.#runPage(run, after)
    if (!isUnranked && page?.isTooMany !== true) return page
    const unranked = await this.#runPage({ ...run, query: { ...run.query, relevance: undefined } }, after)
    return unranked && { ...unranked, isTooMany: true }
  }

  async #runPage({ ref, query, left }: Run, after: Position | undefined): Promise<FoundPage | undefined> {
    // Only one timestamp column has an index (`findMainTime`); splitting another order at its nulls would read the table twice.
    const ordering = chooseOrdering(query, findMainTime(query.table), this.#store.indexes?.readyColumns(ref) ?? none)
    const limits = left()
    const place = formatRef(ref)
    let ms = 0
    let last: SearchStatement | undefined
    try {
      const page = await this.#store.search(
        ref,
        (session, connector) => {
          const ask = async (statement: SearchStatement) => {
            last = statement
            const { rows, tookMs = 0 } = await session.query<SearchRow>(this.#toStatement(statement))
            ms += tookMs
            return rows
          }
          const reliance = { onLookups: true, onRegular: this.#irregular.get(place) === undefined }
          return runSearch({ ask, recent: this.#recent }, query, { connector, after, reliance, ...ordering, ...this.#options })
        },
        { ...limits, hasOnePlan: hasOnePlan(query) },
      )
      if (page === undefined) return undefined
      if (!page.reliance.onRegular) this.#irregular.set(place, true)
      const cost = { ms, size: page.json.length, count: page.count }
      this.#store.indexes?.observe(ref, query, { ...cost, countRowsRead: (signal) => this.#countRowsRead(ref, query, { last, signal }) })
      return page
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
    return (await this.#store.search(ref, (session) => countRowsRead(session, last, table.name), { signal })) ?? 0
  }

  async #findUnseenPaths({ ref, query, left }: Run): Promise<readonly string[]> {
    const open = listOpenPaths(query)
    if (open.length === 0) return []
    const rows = await this.#readRows({ ref, left }, (connector) => buildUnseenPathsStatement(open, connector))
    return (rows ?? []).map(({ path }) => String(path))
  }

  /** Reads the rows of one statement; undefined when no record of the entity was ever stored. */
  #readRows({ ref, left }: Pick<Run, 'ref' | 'left'>, build: (connector: number) => SearchStatement) {
    const work = async (session: Session, connector: number) => (await session.query<SearchRow>(this.#toStatement(build(connector)))).rows
    return this.#store.search(ref, work, left())
  }

  #toStatement(statement: SearchStatement): Statement {
    const name = this.#names.takeName(statement)
    return { text: statement.text, values: statement.values, ...(name === undefined ? {} : { name }) }
  }
}

/** Creates the searcher of a store. Create one per store: a searcher counts recurring statements to name them. */
export const createSearcher = (store: Store, options: SearcherOptions = {}): Searcher => new StoreSearcher(store, options)
