/** `context_store_search`: from the parameters to a page whose records are the database's own JSON text. */
import { FerruleError } from '../errors.ts'
import type { OnDemandIndexes } from './indexes/on-demand.ts'
import { orderingOf } from './indexes/wish.ts'
import { type CursorScope, cursorOf, positionOfCursor } from './query/cursor.ts'
import { checkStored, notedValues } from './query/known-values.ts'
import { unseenPaths } from './query/members.ts'
import { isRanked, orderOf, type Position } from './query/order.ts'
import { parseSearch } from './query/parse.ts'
import { pageOf, type SearchOptions, type SearchPage, type SearchRow, searchStatement } from './query/sql.ts'
import { type SearchStatement, StatementNames } from './query/statement.ts'
import type { SearchQuery } from './query/tree.ts'
import type { Statement } from './store/database.ts'
import { mainTimeOf } from './store/tables.ts'
import type { ContextStore, EntityPlace } from './store/types.ts'

/** What is asked, and in whose rows. */
export interface SearchRequest {
  /** The connector whose rows are read; the caller has made sure that the client may see it. */
  readonly place: EntityPlace
  /** `{ query: { filter?, sort? }, limit?, cursor?, fields? }` as it was sent */
  readonly params: unknown
  /** Key of the cursors' signature. */
  readonly key: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
  /** Gives the search up; its reason is thrown. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the search is stopped; left out: as the store's settings say. */
  readonly timeoutMs?: number | undefined
}

/** One page of a search. */
export interface SearchAnswer {
  /** The records as the text of a JSON array. */
  readonly json: string
  readonly count: number
  /** Where the next page begins; null on the last page. */
  readonly cursor: string | null
  /** The relevance that was asked for is left out of the order, because too much matches. */
  readonly isUnranked: boolean
  /** Paths below fields whose parts the documents do not say, which no record had; on the first page only. */
  readonly unseenPaths: readonly string[]
  /** Milliseconds, whole. */
  readonly tookMs: number
}

/** The pages of a search that is read to its end. */
export type RecordPages = AsyncGenerator<readonly string[], void, undefined>

/** Searches a store. */
export interface Searcher {
  /**
   * Reads the parameters without running anything.
   * @returns the fields that the records will have, in their order
   * @throws FerruleError as `search`
   */
  fieldsOf(request: Pick<SearchRequest, 'place' | 'params' | 'key' | 'now'>): readonly string[]
  /**
   * Answers one page; undefined when nothing of the entity was ever stored.
   * @throws FerruleError of the parameters (with JSON pointers below `/params`), `invalid_cursor`, and those of `ContextStore`
   */
  search(request: SearchRequest): Promise<SearchAnswer | undefined>
  /**
   * Reads all pages, one after the other, each when it is asked for: the records of a page as JSON texts.
   * @param size records of a page
   * @throws FerruleError as `search`
   */
  pages(request: SearchRequest, size: number): RecordPages
}

/** What a searcher needs of a store. Without `indexes` it knows of none that were made on demand, and asks for none. */
type Store = Pick<ContextStore, 'tableOf' | 'searchedTable' | 'search'> & { readonly indexes?: Pick<OnDemandIndexes, 'ready' | 'observe'> }

const none: ReadonlySet<string> = new Set()
const lateHint = 'Narrow the filter or ask for less, and try again.'

/** A page as the database gives it. */
interface Page extends SearchPage {
  readonly rows: readonly SearchRow[]
}

const scopeOf = ({ place, key, now }: Pick<SearchRequest, 'place' | 'key' | 'now'>, query: SearchQuery): CursorScope => ({
  key,
  connector: place.connector,
  query,
  now,
})

const beginningOf = (request: Pick<SearchRequest, 'place' | 'key' | 'now'>, query: SearchQuery): Position | undefined =>
  query.cursor === undefined ? undefined : positionOfCursor(query.cursor, scopeOf(request, query))

/** What a searcher does otherwise than usual. */
type SearcherOptions = Pick<SearchOptions, 'mostRanked'>

class StoreSearcher implements Searcher {
  readonly #store: Store
  readonly #options: SearcherOptions
  readonly #names = new StatementNames()

  constructor(store: Store, options: SearcherOptions) {
    this.#store = store
    this.#options = options
  }

  fieldsOf(request: Pick<SearchRequest, 'place' | 'params' | 'key' | 'now'>): readonly string[] {
    const { kind, entity } = request.place
    const query = parseSearch(this.#store.tableOf(kind, entity), request.params)
    beginningOf(request, query)
    const columns = query.selection === undefined ? query.table.columns : [...query.selection.keys()]
    return columns.map(({ name }) => name)
  }

  async search(request: SearchRequest): Promise<SearchAnswer | undefined> {
    const begin = performance.now()
    const query = await this.#read(request)
    await this.#checkStored(request, query)
    const page = await this.#page(request, query, beginningOf(request, query))
    if (page === undefined) return undefined
    const { json, count, next, isTooMany } = page
    const cursor = next === undefined ? null : cursorOf(next, scopeOf(request, query))
    const unseenPaths = query.cursor === undefined ? await this.#unseen(request, query) : []
    return { json, count, cursor, isUnranked: isTooMany, unseenPaths, tookMs: Math.round(performance.now() - begin) }
  }

  async *pages(request: SearchRequest, size: number): RecordPages {
    const query = { ...(await this.#read(request)), limit: size }
    let after = beginningOf(request, query)
    await this.#checkStored(request, query)
    do {
      const page = await this.#page(request, query, after)
      if (page === undefined) return
      yield page.rows.slice(0, page.count).map(({ json }) => String(json))
      after = page.next
    } while (after !== undefined)
  }

  async #read({ place, params }: Pick<SearchRequest, 'place' | 'params'>): Promise<SearchQuery> {
    return parseSearch(await this.#store.searchedTable(place), params)
  }

  /** Looks up operands that are no known values, for the first page. */
  async #checkStored({ place, signal, timeoutMs }: SearchRequest, { cursor, unlisted }: SearchQuery): Promise<void> {
    if (cursor !== undefined || unlisted.length === 0) return
    const answer = await this.#store.search<SearchRow>(place, (_table, connector) => this.#named(notedValues(unlisted, connector)), {
      signal,
      lateHint,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
    if (answer !== undefined) checkStored(unlisted, answer.rows)
  }

  /** A page by relevance where that is asked for, unless too much matches or the walk has begun without. `isTooMany` tells which. */
  async #page(request: SearchRequest, query: SearchQuery, after: Position | undefined): Promise<Page | undefined> {
    const begin = performance.now()
    const isUnranked = isRanked(orderOf(query)) && after !== undefined && after.isRanked !== true
    const page = isUnranked ? undefined : await this.#pageIn(request, query, after)
    if (!isUnranked && page?.isTooMany !== true) return page
    const { timeoutMs } = request
    const left = timeoutMs === undefined ? {} : { timeoutMs: Math.max(1, timeoutMs - (performance.now() - begin)) }
    const unranked = await this.#pageIn({ ...request, ...left }, { ...query, relevance: undefined }, after)
    return unranked && { ...unranked, isTooMany: true }
  }

  async #pageIn(request: SearchRequest, query: SearchQuery, after: Position | undefined): Promise<Page | undefined> {
    const { place, signal, timeoutMs } = request
    // Of the times, one has an index (tables.ts); an order by another one must not be read in two parts.
    const ordering = orderingOf(query, mainTimeOf(query.table), this.#store.indexes?.ready(place) ?? none)
    try {
      const answer = await this.#store.search<SearchRow>(
        place,
        (_table, connector) => this.#named(searchStatement(query, { connector, after, ...ordering, ...this.#options })),
        { signal, lateHint, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
      )
      if (answer === undefined) return undefined
      const page = pageOf(query, answer.rows)
      this.#store.indexes?.observe(place, query, { ms: answer.tookMs ?? 0, size: page.json.length })
      return { rows: answer.rows, ...page }
    } catch (thrown) {
      const isStopped = thrown instanceof FerruleError && thrown.code === 'context_store_timeout'
      if (isStopped) this.#store.indexes?.observe(place, query, { ms: timeoutMs ?? Number.POSITIVE_INFINITY, size: 0 })
      throw thrown
    }
  }

  async #unseen({ place, signal }: SearchRequest, query: SearchQuery): Promise<readonly string[]> {
    if (unseenPaths(query, 0) === undefined) return []
    const answer = await this.#store.search(
      place,
      (_table, connector) => this.#named(unseenPaths(query, connector) ?? { name: '', text: 'select', values: [] }),
      { signal, lateHint },
    )
    return (answer?.rows ?? []).map(({ path }) => String(path))
  }

  #named(statement: SearchStatement): Statement {
    const name = this.#names.nameOf(statement)
    return { text: statement.text, values: statement.values, ...(name === undefined ? {} : { name }) }
  }
}

/** Makes the searcher of a store; one for each store, because it counts which statements come again. */
export const createSearcher = (store: Store, options: SearcherOptions = {}): Searcher => new StoreSearcher(store, options)
