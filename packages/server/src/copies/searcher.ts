/** Runs `context_store_search`: from its parameters to a page. The database writes the JSON of the records. */
import { BoundedMap, type FieldOperator } from 'ferrule/internal'
import { type CursorScope, signCursor, verifyCursor } from '../values/cursor.ts'
import { canonicalJson, digestText } from '../values/ids.ts'
import { type EntityRef, formatRef } from './entity-ref.ts'
import { findMainTime, findTable, type SearchTable } from './search/columns.ts'
import { buildNotedValuesStatement, checkStored } from './search/known-values.ts'
import { buildLookupStatement, type FoundWords, fillLookups, parseFoundWords } from './search/lookups/lookups.ts'
import { buildUnseenPathsStatement, listOpenPaths } from './search/members.ts'
import { buildOrder, isRanked } from './search/order.ts'
import { parseSearch } from './search/parse.ts'
import {
  buildPage,
  buildSearchStatement,
  hasOnePlan,
  readPosition,
  type SearchOptions,
  type SearchPage,
  type SearchRow,
} from './search/sql.ts'
import { type Reliance, type SearchStatement, StatementNames } from './search/statement.ts'
import type { Condition, FieldPath, Position, SearchQuery } from './search/tree.ts'
import type { QueryOptions, Session, Statement } from './store/database/database.ts'
import { hasCode } from './store/database/problems.ts'
import { chooseOrdering } from './store/indexes/advice.ts'
import type { OnDemandIndexes } from './store/indexes/on-demand.ts'
import type { ContextStore } from './store/types.ts'

/** Maximum size of all remembered words, in characters: some megabytes. */
const mostCharacters = 1_000_000
/** Added to the size of each word and of each lookup. */
const overhead = 16

/** Searched table of a connector. */
interface LookupScope {
  /** Number of the connector. */
  readonly connector: number
  readonly table: string
}

/** Words of one lookup. */
interface Remembered {
  readonly listed: string
  readonly words: readonly string[]
  readonly size: number
}

const sumSizes = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length + overhead, 0)

/** Words of recent lookups. Outdated ones do no harm: the search compares the number of changes. */
export class RecentWords {
  readonly #byLookup = new Map<string, Remembered>()
  #size = 0

  /** Finds the words of all lookups of a search; undefined when some are missing, or were read at different numbers of changes. */
  find(search: SearchStatement, scope: LookupScope): FoundWords | undefined {
    const found = this.#listNames(search, scope).map((name) => this.#byLookup.get(name))
    const listed = found[0]?.listed
    if (listed === undefined || found.some((each) => each?.listed !== listed)) return undefined
    return { listed, words: found.flatMap((each) => (each === undefined ? [] : [each.words])) }
  }

  /** Remembers the words of a search, and forgets the oldest ones. */
  add(search: SearchStatement, scope: LookupScope, { listed, words }: FoundWords): void {
    for (const [index, name] of this.#listNames(search, scope).entries()) {
      const own = words[index] ?? []
      this.#remove(name)
      const size = sumSizes([name, ...own])
      this.#byLookup.set(name, { listed, words: own, size })
      this.#size += size
    }
    for (const name of this.#byLookup.keys()) {
      if (this.#size <= mostCharacters) return
      this.#remove(name)
    }
  }

  #remove(name: string): void {
    this.#size -= this.#byLookup.get(name)?.size ?? 0
    this.#byLookup.delete(name)
  }

  #listNames({ lookups = [] }: SearchStatement, { connector, table }: LookupScope): readonly string[] {
    return lookups.map(({ lookup }) => `${connector} ${table} ${Object.values(lookup).join(' ')}`)
  }
}

/** Members of a plan's step that count its rows, as averages of its loops. */
const counted = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'] as const

const toNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)

/**
 * Sums the rows that the steps of a plan read from a table. Walks any JSON, because Citus nests the plans of its machines differently.
 * @param table name of the table; its partitions and shards have names that begin with it
 */
export function sumRowsRead(plan: unknown, table: string): number {
  if (typeof plan !== 'object' || plan === null) return 0
  const below = Object.values(plan).reduce((sum: number, part: unknown) => sum + sumRowsRead(part, table), 0)
  const relation: unknown = Reflect.get(plan, 'Relation Name')
  if (typeof relation !== 'string' || !relation.startsWith(table)) return below
  const rows = counted.reduce((sum, name) => sum + toNumber(Reflect.get(plan, name)), 0)
  return below + Math.round(rows * toNumber(Reflect.get(plan, 'Actual Loops')))
}

/** Runs a search once more, without its answer, and counts the rows that it reads from its table. */
async function countRowsRead(session: Session, { text, values }: SearchStatement, table: SearchTable): Promise<number> {
  const { rows } = await session.query({ text: `explain (analyze, timing off, format json) ${text}`, values })
  return rows.reduce((sum, row) => sum + sumRowsRead(JSON.parse(String(row['QUERY PLAN'])), findTable(table)), 0)
}

/** Number of tries with lookups. Writers list new words some times a second at most, and a try takes milliseconds. */
const tries = 3

/** A page with the rows that the database returned. */
interface FoundPage extends SearchPage {
  readonly rows: readonly SearchRow[]
  /** What the statement could rely on. */
  readonly reliance: Reliance
}

/** Runs one statement and returns its rows. */
type Ask = (statement: SearchStatement) => Promise<readonly SearchRow[]>

/** How a search runs. */
interface SearchRun {
  readonly ask: Ask
  readonly recent: RecentWords
}

/** Reads a page of a search. Starts over when a statement relied on something in vain. */
export async function runSearch(run: SearchRun, query: SearchQuery, options: SearchOptions): Promise<FoundPage> {
  const scope = { connector: options.connector, table: query.table.name }
  let reliance: Reliance = options.reliance ?? { onLookups: true, onRegular: true }
  for (let attempt = 1; ; attempt += 1) {
    const search = buildSearchStatement(query, { ...options, reliance })
    const rows = await run.ask(await lookUp(run, search, { ...scope, isFirst: attempt === 1 }))
    const page = buildPage(query, rows)
    if (page.flaw === undefined) return { ...page, rows, reliance }
    reliance = { onLookups: attempt < tries, onRegular: reliance.onRegular && page.flaw !== 'irregular' }
  }
}

/** Runs the lookups of a search. The first attempt may use remembered words. */
async function lookUp(
  { ask, recent }: SearchRun,
  search: SearchStatement,
  { isFirst, ...scope }: LookupScope & { readonly isFirst: boolean },
): Promise<SearchStatement> {
  if (search.listedAt === undefined) return search
  const known = isFirst ? recent.find(search, scope) : undefined
  if (known !== undefined) return fillLookups(search, known)
  const [row] = await ask(buildLookupStatement(search, scope))
  const found = parseFoundWords(search, row)
  recent.add(search, scope, found)
  return fillLookups(search, found)
}

/** What a cursor of a search is bound to. */
interface SearchedBy {
  /** HMAC SHA-256 key. */
  readonly key: Uint8Array
  /** UUID of the connector. */
  readonly connector: string
  readonly query: SearchQuery
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Binds cursors to a connector and a query. `limit` is left out because it may change between pages. */
const toCursorScope = ({ key, connector, query: { table, asked }, now }: SearchedBy): CursorScope => {
  const { filter = null, text = null, sort = null, fields = null } = asked
  const digest = digestText(canonicalJson([connector, table.kind, table.entity, filter, text, sort, fields]))
  return { key, purpose: 'search', digest, belongsTo: 'query, entity or connector', now }
}

/** Form of a position in an order by relevance. */
const ranked = 2

/** Creates the cursor of the page after a position. */
export const createCursor = ({ pk, keys, isRanked }: Position, by: SearchedBy): string =>
  signCursor([isRanked ? ranked : 1, pk, ...keys], toCursorScope(by))

/** Parses a cursor into the position where its page begins. @throws FerruleError as `verifyCursor` */
export function parseCursor(cursor: string, by: SearchedBy): Position {
  const [form, pk, ...keys] = verifyCursor(cursor, toCursorScope(by))
  return { pk: pk ?? '', keys, ...(form === ranked ? { isRanked: true } : {}) }
}

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
  /** Whole milliseconds. */
  readonly tookMs: number
}

/** Where the records of a page are in the order of their search. */
export interface FoundPlaces {
  /** None when too many records match to sort them by relevance. */
  readonly places: readonly Position[]
  readonly hasMore: boolean
  /** More records match than can be sorted by relevance: search without. */
  readonly isTooMany: boolean
}

/** Pages of a search that is read to its end; each record is a JSON string. */
export type RecordPages = AsyncGenerator<readonly string[], void, undefined>

/** Which records to read: after a key, or those of some keys. */
export interface WantedRecords {
  readonly after?: string | undefined
  readonly keys?: readonly string[] | undefined
  readonly limit: number
}

/** Records by their keys, at most so many bytes as a page of a search. */
export interface KeyedRecords {
  /** JSON of the records by key, in the order of keys. */
  readonly records: ReadonlyMap<string, string>
  /** True when more records follow. */
  readonly hasMore: boolean
}

/** Searches a store. The caller has checked that the client may read the entity. */
export interface Searcher {
  /**
   * Parses parameters without running a statement.
   * @param params `{ query: { filter?, text?, sort? }, limit?, cursor?, fields? }` as sent by the client
   * @throws FerruleError for the parameters (JSON pointers below `/params`), `invalid_cursor`
   */
  parse(ref: EntityRef, params: unknown): SearchQuery
  /**
   * Reads one page.
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError `invalid_parameter` for a value that no record has, and the errors of `ContextStore`
   */
  search(ref: EntityRef, query: SearchQuery, limits?: SearchLimits): Promise<SearchAnswer | undefined>
  /**
   * Reads whole records with their keys, in the order of keys.
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError the errors of `ContextStore`
   */
  readRecords(ref: EntityRef, wanted: WantedRecords, limits?: SearchLimits): Promise<KeyedRecords | undefined>
  /**
   * Reads where the records of one page are, for an order over several entities.
   * @param limits `mostRanked`: maximum number of records to sort by relevance; default: that of every search
   * @returns undefined when no record of the entity was ever stored
   * @throws FerruleError as `search`
   */
  readPlaces(ref: EntityRef, query: SearchQuery, limits: SearchLimits & Pick<SearchOptions, 'mostRanked'>): Promise<FoundPlaces | undefined>
  /** Reads all pages, each when the caller asks for the next one. @throws FerruleError as `search` */
  readPages(ref: EntityRef, query: SearchQuery, limits?: SearchLimits): RecordPages
}

/** Part of a store that a searcher needs. Without `indexes` a searcher uses and requests no automatic indexes. */
type Store = Pick<ContextStore, 'getTable' | 'search'> & {
  readonly indexes?: Pick<OnDemandIndexes, 'readyColumns' | 'observe'>
}

const none: ReadonlySet<string> = new Set()
/** Maximum number of remembered entities with irregular values. */
const mostIrregular = 10_000

/** Options of a searcher. */
export interface SearcherOptions extends Pick<SearchOptions, 'mostRanked'> {
  /** HMAC key for cursors. */
  readonly cursorKey: () => Uint8Array
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Returns the limits of the next statement: what is left of the timeout. */
type Left = () => QueryOptions

/** Starts the timeout that all statements of a search, or of a page of an export, share. */
function countDown({ signal, timeoutMs }: SearchLimits, query: SearchQuery): Left {
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

  parse(ref: EntityRef, params: unknown): SearchQuery {
    const query = parseSearch(this.#store.getTable(ref.kind, ref.entity, ref.own), params)
    return query.cursor === undefined ? query : { ...query, after: parseCursor(query.cursor, this.#bind(ref, query)) }
  }

  async search(ref: EntityRef, query: SearchQuery, limits: SearchLimits = {}): Promise<SearchAnswer | undefined> {
    const begin = performance.now()
    const left = countDown(limits, query)
    await this.#checkStored(ref, query, left)
    const page = await this.#readPage(ref, query, left)
    if (page === undefined) return undefined
    const { json, count, next, isTooMany } = page
    const cursor = next === undefined ? null : createCursor(next, this.#bind(ref, query))
    const unseenPaths = query.after === undefined ? await this.#findUnseenPaths(ref, query, left) : []
    return { json, count, cursor, isUnranked: isTooMany, unseenPaths, tookMs: Math.round(performance.now() - begin) }
  }

  async readRecords(ref: EntityRef, { after, keys, limit }: WantedRecords, limits: SearchLimits = {}): Promise<KeyedRecords | undefined> {
    const plain = parseSearch(this.#store.getTable(ref.kind, ref.entity, ref.own), { query: {}, limit })
    const query = { ...plain, ...(keys === undefined ? {} : { keys }), ...(after === undefined ? {} : { after: { pk: after, keys: [] } }) }
    const page = await this.#readPage(ref, query, countDown(limits, query))
    if (page === undefined) return undefined
    const rows = page.rows.slice(0, page.count).map(({ pk, json }) => [String(pk), String(json)] as const)
    return { records: new Map(rows), hasMore: page.next !== undefined }
  }

  async readPlaces(
    ref: EntityRef,
    query: SearchQuery,
    { mostRanked, ...limits }: SearchLimits & Pick<SearchOptions, 'mostRanked'>,
  ): Promise<FoundPlaces | undefined> {
    const left = countDown(limits, query)
    await this.#checkStored(ref, query, left)
    const page = await this.#runPage(ref, query, left, mostRanked)
    if (page === undefined) return undefined
    const order = buildOrder(query)
    const places = page.rows.slice(0, page.count).map((row) => readPosition(row, order))
    return { places, hasMore: page.next !== undefined, isTooMany: page.isTooMany }
  }

  async *readPages(ref: EntityRef, query: SearchQuery, limits: SearchLimits = {}): RecordPages {
    await this.#checkStored(ref, query, countDown(limits, query))
    for (let rest: SearchQuery | undefined = query; rest !== undefined; ) {
      const page: FoundPage | undefined = await this.#readPage(ref, rest, countDown(limits, query))
      if (page === undefined) return
      yield page.rows.slice(0, page.count).map(({ json }) => String(json))
      rest = page.next && { ...query, after: page.next }
    }
  }

  #bind({ connector }: EntityRef, query: SearchQuery): SearchedBy {
    const { cursorKey, clock } = this.#options
    return { key: cursorKey(), connector, query, now: clock() }
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

  async #runPage(ref: EntityRef, query: SearchQuery, left: Left, mostRanked = this.#options.mostRanked): Promise<FoundPage | undefined> {
    // Only one timestamp column has an index (`findMainTime`); splitting another order at its nulls would read the table twice.
    const ordering = chooseOrdering(query, findMainTime(query.table), this.#store.indexes?.readyColumns(ref) ?? none)
    const limits = left()
    const name = formatRef(ref)
    let ms = 0
    let last: SearchStatement | undefined
    try {
      const page = await this.#store.search(
        ref,
        (session, connector) => {
          const ask = async (statement: SearchStatement) => {
            last = statement
            const { rows, tookMs = 0 } = await session.query<SearchRow>(this.#named(statement))
            ms += tookMs
            return rows
          }
          const reliance = { onLookups: true, onRegular: this.#irregular.get(name) === undefined }
          return runSearch({ ask, recent: this.#recent }, query, { connector, reliance, ...ordering, mostRanked })
        },
        { ...limits, hasOnePlan: hasOnePlan(query) },
      )
      if (page === undefined) return undefined
      if (!page.reliance.onRegular) this.#irregular.set(name, true)
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
    return (await this.#store.search(ref, (session) => countRowsRead(session, last, table), { signal })) ?? 0
  }

  async #findUnseenPaths(ref: EntityRef, query: SearchQuery, left: Left): Promise<readonly string[]> {
    const open = listOpenPaths(query)
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

/** Creates the searcher of a store. Create one per store: a searcher counts recurring statements to name them. */
export const createSearcher = (store: Store, options: SearcherOptions): Searcher => new StoreSearcher(store, options)

/** Maximum number of named conditions; the first ones stand for the others. */
const mostNamed = 3

type PathCondition = Exclude<Condition, { readonly op: 'and' | 'or' | 'not' }>

const printPath = ({ column, steps }: FieldPath): string => {
  const names = steps.map((step) => (step === null ? '[]' : `.${step}`)).join('')
  return column === undefined ? names.replace(/^\./, '') : `${column.name}${names}`
}

/** Returns whether a condition looks into strings or JSON, which can mean every record of the connector. */
const isCostly = ({ op, path }: PathCondition): boolean => path.column?.type === 'json' || (op !== 'equals' && op !== 'order')

/** Returns the operator that a condition stands for. */
const findOperator = (condition: PathCondition): FieldOperator =>
  condition.op === 'order' ? condition.test : condition.op === 'equals' ? 'eq' : condition.op

const printCondition = (condition: PathCondition): string => `${findOperator(condition)} on ${printPath(condition.path)}`

/** Lists the costly conditions of a filter, each once, in the order of the filter. */
function listCostly(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return []
  if (condition.op === 'not') return listCostly(condition.of)
  if (condition.op === 'and' || condition.op === 'or') return [...new Set(condition.of.flatMap(listCostly))]
  return isCostly(condition) ? [printCondition(condition)] : []
}

/** Builds the next step for a search that ended late; names the conditions that can read every record. */
function buildLateHint({ filter }: Pick<SearchQuery, 'filter'>): string {
  const named = listCostly(filter).slice(0, mostNamed)
  if (named.length === 0) return 'Narrow the filter or ask for less, and try again.'
  return `These conditions can read every record: ${named.join(', ')}. Join them with a condition on a time, a number or a key, and try again.`
}
