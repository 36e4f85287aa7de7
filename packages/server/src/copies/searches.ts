/** Searches copies for clients, and reports how fresh a copy is. */
import type { FerruleError } from 'ferrule'
import { findOperation, JsonText } from 'ferrule/engine'
import { BoundedMap, fail } from 'ferrule/internal'
import type { Freshness } from 'ferrule/wire'
import type { Found } from '../calls/executed.ts'
import type { ConnectorAccess } from '../values/access.ts'
import { GroupedLooks } from '../values/grouped-looks.ts'
import { isoOrNull } from '../values/ids.ts'
import { type EntityRef, toEntityRef } from './entity-ref.ts'
import type { Column } from './search/columns.ts'
import { listRelatedEntities } from './search/related/references.ts'
import { listColumns, mostTotal } from './search/sql.ts'
import type { SearchQuery } from './search/tree.ts'
import type { RecordPages, SearchAnswer, Searcher, SearchLimits } from './searcher.ts'
import type { Copies, CopyStatus } from './sync-types.ts'

/** A search of one entity of a connector. */
export interface CopyQuery {
  readonly entity: string
  /** Parameters of the search contract. */
  readonly params: unknown
  /** Maximum age of the copy, in seconds. */
  readonly maxAge?: number | undefined
  /** Accepts a copy during its first sync. */
  readonly allowPartial?: boolean | undefined
  /** Timeout of the call, in milliseconds. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
}

/** All records of a search, page by page. */
export interface Export {
  readonly freshness: Freshness
  /** Searchable fields of the records, in their order. */
  readonly columns: readonly Column[]
  /** Records as JSON strings. */
  readonly pages: RecordPages
}

/** Options of `Searches`. */
export interface SearchesOptions {
  readonly searcher: Pick<Searcher, 'parse' | 'search' | 'parseAggregate' | 'aggregate' | 'readPages'>
  readonly copies: Omit<Copies, 'listFilled' | 'listSearched'>
  readonly clock: () => number
  /** Timeout of a search, in milliseconds. */
  readonly searchMs: number
  /** True where other nodes may have told clients of a newer copy: a status is compared with the stored one before it is reused. */
  readonly comparesStatus: boolean
}

const exportPageRecords = 1_000
/** Fraction of a call's timeout that a refresh may take; the rest is for the search. */
const refreshShare = 0.9
/** Milliseconds for which a status is reused, and the maximum number of statuses. */
const recentMs = 250
const mostRecent = 10_000

/** Fails like any action of an entity that cannot be searched. @throws FerruleError `entity_not_found`, `action_not_supported` */
export function assertSearchable({ connection: { kind } }: ConnectorAccess, entity: string): void {
  const { entities } = kind.definition
  const found = Object.hasOwn(entities, entity) ? entities[entity] : undefined
  if (found?.context_store_search === undefined) findOperation(kind, entity, 'context_store_search')
}

const toFreshness = ({ status, syncedAt, verifiedAt, complete, mayChangeFrom }: CopyStatus): Freshness => ({
  synced_at: isoOrNull(syncedAt),
  verified_at: isoOrNull(verifiedAt),
  status,
  complete: complete && syncedAt !== null,
  ...(mayChangeFrom === undefined ? {} : { may_change_from: mayChangeFrom }),
})

type Filled = CopyStatus & { readonly syncedAt: number }
const isFilled = (state: CopyStatus): state is Filled => state.syncedAt !== null && state.obstacle === null

const isEnough = (state: CopyStatus, { allowPartial = false }: Pick<CopyQuery, 'allowPartial'>): boolean =>
  isFilled(state) || (allowPartial && state.obstacle === null)

const notReadyError = (entity: string, { status, obstacle, error, retryAfterMs }: CopyStatus) =>
  obstacle === null
    ? fail(
        'context_store_not_ready',
        { entity, reason: `its status is ${status}${error === null ? '' : ` (${error.replace(/\.$/, '')})`}` },
        { retryAfterMs },
      )
    : fail('context_store_not_ready', { entity, reason: obstacle }, { retryable: false, hint: 'Use list and get.' })

/** Fails while a copy may not be searched. @throws FerruleError `context_store_not_ready` */
export function assertFilled(entity: string, state: CopyStatus): void {
  if (!isFilled(state)) throw notReadyError(entity, state)
}

const staleError = (entity: string, { maxAge, state, now }: { maxAge: number; state: Filled; now: number }) =>
  fail(
    'context_store_stale',
    { entity, age: Math.ceil((now - state.syncedAt) / 1_000), synced_at: new Date(state.syncedAt).toISOString(), max_age: maxAge },
    { retryAfterMs: state.retryAfterMs },
  )

type RelatedState = readonly [entity: string, state: CopyStatus]

/** The states of entities, and which of them a filter leads through. */
interface FilteredStates {
  readonly states: readonly RelatedState[]
  readonly filtered: readonly string[]
}

/** Returns the same pages after reading the first one, so that errors of the search come before any output. */
async function readFirstPage(pages: RecordPages): Promise<RecordPages> {
  const first = await pages.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* pages
  })()
}

const describePage = ({ cursor, tookMs, unseenPaths }: Pick<SearchAnswer, 'cursor' | 'tookMs' | 'unseenPaths'>) => ({
  has_more: cursor !== null,
  cursor,
  took_ms: tookMs,
  ...(unseenPaths.length > 0 ? { unknown_paths: unseenPaths } : {}),
})

/** Describes how fresh the copies of the entities are that a page reads besides its own. */
const describeRelated = (related: readonly RelatedState[]) =>
  related.length > 0 ? { related: related.map(([entity, state]) => ({ entity, ...toFreshness(state) })) } : {}

/** Selects what the columns of the selected fields cannot hold, after these fields wherever it was named. */
function selectRescued({ table, selection }: SearchQuery): SearchQuery['selection'] {
  const { rescued } = table
  if (rescued === undefined) return selection
  const fields = [...(selection ?? table.columns.map((column) => [column, true] as const))].filter(([column]) => column !== rescued)
  const names = selection === undefined ? true : Object.fromEntries(fields.map(([{ name }]) => [name, true as const]))
  return new Map([...fields, [rescued, selection?.get(rescued) ?? names]])
}

/** Searches for clients. Callers hold an access already, so no method takes a principal. */
export class Searches {
  readonly #parts: SearchesOptions
  /** Statuses of copies, with the time until which each is reused, and the count of changes then. */
  readonly #recent = new BoundedMap<string, { readonly state: CopyStatus; readonly until: number; readonly changes: number }>(mostRecent)
  readonly #looks = new GroupedLooks((wanted: readonly { readonly access: ConnectorAccess; readonly entity: string }[]) =>
    Promise.all(wanted.map(({ access, entity }) => this.#parts.copies.readTimes(access, entity))),
  )

  constructor(parts: SearchesOptions) {
    this.#parts = parts
  }

  /**
   * Returns one page.
   * @throws FerruleError `entity_not_found`, `action_not_supported`, `context_store_not_ready`, `context_store_stale`, those of the
   * parameters with JSON pointers, `invalid_cursor`, `context_store_timeout`, `context_store_unavailable`, `overloaded`
   */
  async search(access: ConnectorAccess, query: CopyQuery): Promise<Found> {
    const { searcher } = this.#parts
    const { json, cursor, tookMs, isUnranked, unseenPaths, total, related, freshness } = await this.#ask(access, query, (ref) => {
      const parsed = searcher.parse(ref, query.params)
      return (limits) => this.#readBeside(access, query, { parsed, ask: () => searcher.search(ref, parsed, limits) })
    })
    const counted = total === undefined ? {} : { total: Math.min(total, mostTotal), ...(total > mostTotal ? { total_at_least: true } : {}) }
    return {
      type: 'found',
      data: new JsonText(json),
      meta: {
        ...describePage({ cursor, tookMs, unseenPaths }),
        ...(isUnranked ? { relevance_left_out: true } : {}),
        ...counted,
        ...describeRelated(related),
      },
      contextStore: freshness,
    }
  }

  /** Returns one page of groups with their measures. @throws as `search` */
  async aggregate(access: ConnectorAccess, query: CopyQuery): Promise<Found> {
    const { searcher } = this.#parts
    const { json, groups, skipped, hasChanged, related, freshness, ...page } = await this.#ask(access, query, (ref) => {
      const parsed = searcher.parseAggregate(ref, query.params)
      return (limits) => this.#readBeside(access, query, { parsed: parsed.search, ask: () => searcher.aggregate(ref, parsed, limits) })
    })
    return {
      type: 'found',
      data: new JsonText(json),
      meta: {
        ...describePage(page),
        groups,
        ...(hasChanged ? { changed: true } : {}),
        ...(Object.keys(skipped).length > 0 ? { skipped } : {}),
        ...describeRelated(related),
      },
      contextStore: freshness,
    }
  }

  /**
   * Asks the searcher for a page of a copy that is there and fresh enough.
   * @param parse reads the parameters before anything is asked, and returns what asks
   */
  async #ask<T extends object>(
    access: ConnectorAccess,
    query: CopyQuery,
    parse: (ref: EntityRef) => (limits: SearchLimits) => Promise<T | undefined>,
  ): Promise<T & { readonly freshness: Freshness }> {
    assertSearchable(access, query.entity)
    const end = performance.now() + query.deadlineMs
    const ask = parse(toEntityRef(access, query.entity))
    const fresh = query.maxAge === undefined ? undefined : await this.#fresh(access, query)
    // The status comes first: records read later are as new as it says, on a replica too.
    const state = fresh ?? (await this.#recentState(access, query))
    const changes = this.#parts.copies.countChanges()
    const timeoutMs = Math.max(1, Math.min(this.#parts.searchMs, end - performance.now()))
    const answer = await ask({ signal: query.signal, timeoutMs })
    // The first use after a start can empty a table whose kind changed: its status was read before.
    const current = changes === this.#parts.copies.countChanges() ? state : await this.#parts.copies.readStatus(access, query.entity)
    if (answer === undefined || !isEnough(state, query) || !isEnough(current, query)) throw await this.#notReady(access, query, current)
    return { ...answer, freshness: toFreshness(state) }
  }

  /** Reads the states of the entities that a search reads besides its own. */
  #readRelated(access: ConnectorAccess, query: CopyQuery, entities: readonly string[]): Promise<readonly RelatedState[]> {
    return Promise.all(entities.map(async (entity) => [entity, await this.#recentState(access, { ...query, entity })] as const))
  }

  /** Asks for a page, with the states of the entities that it reads besides its own. They come first, as that of the entity itself. */
  async #readBeside<T extends object>(
    access: ConnectorAccess,
    query: CopyQuery,
    { parsed, ask }: { readonly parsed: SearchQuery; readonly ask: () => Promise<T | undefined> },
  ): Promise<(T & { readonly related: readonly RelatedState[] }) | undefined> {
    const { all, filtered } = listRelatedEntities(parsed)
    const before = await this.#readRelated(access, query, all)
    const { copies } = this.#parts
    const changes = copies.countChanges()
    const answer = await ask()
    const related = changes === copies.countChanges() ? before : await this.#readRelated(access, query, all)
    if (answer === undefined) return undefined
    await this.#assertFiltered(access, query, { states: related, filtered })
    return { ...answer, related }
  }

  /** Fails for a filter through an entity that was not synced: it would find nothing, which looks like an answer. */
  async #assertFiltered(access: ConnectorAccess, query: CopyQuery, { states, filtered }: FilteredStates): Promise<void> {
    for (const [entity, state] of states)
      if (filtered.includes(entity) && !isEnough(state, query)) throw await this.#notReady(access, { ...query, entity }, state)
  }

  /** Reads all pages, each on demand. @throws as `search`, at once or while pages are read */
  async export(access: ConnectorAccess, query: CopyQuery & { readonly rescues?: boolean }): Promise<Export> {
    assertSearchable(access, query.entity)
    const { searcher } = this.#parts
    const ref = toEntityRef(access, query.entity)
    const asked = searcher.parse(ref, query.params)
    const parsed = { ...asked, limit: exportPageRecords, selection: query.rescues === true ? selectRescued(asked) : asked.selection }
    const state = query.maxAge === undefined ? await this.#parts.copies.readStatus(access, query.entity) : await this.#fresh(access, query)
    if (!isEnough(state, query)) throw await this.#notReady(access, query, state)
    const { filtered } = listRelatedEntities(parsed)
    await this.#assertFiltered(access, query, { states: await this.#readRelated(access, query, filtered), filtered })
    const pages = this.#readWhole(access, query, searcher.readPages(ref, parsed, { signal: query.signal }))
    return { freshness: toFreshness(state), columns: listColumns(parsed), pages: await readFirstPage(pages) }
  }

  /** Fails when the copy is emptied or deleted under the walk: what is left of the records is not all of them. */
  async *#readWhole(access: ConnectorAccess, query: CopyQuery, pages: RecordPages): RecordPages {
    const assertFilled = async (): Promise<void> => {
      const state = await this.#parts.copies.readStatus(access, query.entity)
      if (!isEnough(state, query)) throw notReadyError(query.entity, state)
    }
    let isFirst = true // its status was read before it
    for await (const page of pages) {
      if (!isFirst) await assertFilled()
      isFirst = false
      yield page
    }
    await assertFilled()
  }

  /** Returns whether a status is as new as the stored one. Searches of an entity that wait share a look. */
  #isCurrent(
    name: string,
    { access, query, state }: { access: ConnectorAccess; query: CopyQuery; state: CopyStatus },
  ): boolean | Promise<boolean> {
    if (!this.#parts.comparesStatus) return true
    return this.#looks
      .look(name, { access, entity: query.entity })
      .then(({ syncedAt, verifiedAt }) => syncedAt === state.syncedAt && verifiedAt === state.verifiedAt)
  }

  /** Returns a status of at most 250 ms ago. Statuses that refuse a search are not cached. */
  async #recentState(access: ConnectorAccess, query: CopyQuery): Promise<CopyStatus> {
    const { copies } = this.#parts
    const name = `${access.ref.connectorId} ${query.entity}`
    const changes = copies.countChanges()
    const known = this.#recent.get(name)
    const isRecent = known?.changes === changes && known.until > performance.now() && isEnough(known.state, query)
    if (isRecent && (await this.#isCurrent(name, { access, query, state: known.state }))) return known.state
    const state = await copies.readStatus(access, query.entity)
    if (isEnough(state, query)) this.#recent.set(name, { state, until: performance.now() + recentMs, changes })
    return state
  }

  /** Builds the error of a search that came too early. The run that fills the copy then reads the entity first. */
  async #notReady(access: ConnectorAccess, { entity }: CopyQuery, state: CopyStatus): Promise<FerruleError> {
    if (state.obstacle === null) await this.#moveToFront(access, entity)
    return notReadyError(entity, state)
  }

  /** Ignores failures: a search that cannot hurry a run is no worse off than before. */
  async #moveToFront(access: ConnectorAccess, entity: string): Promise<void> {
    await this.#parts.copies.moveToFront(access, entity).catch(() => undefined)
  }

  /**
   * Returns the status of a copy that is young enough, after a refresh if necessary.
   * @throws FerruleError `context_store_stale` with the age
   */
  async #fresh(access: ConnectorAccess, { entity, maxAge = 0, deadlineMs, signal }: CopyQuery): Promise<CopyStatus> {
    const { copies, clock } = this.#parts
    const asked = clock()
    const isYoung = (state: CopyStatus): boolean => isFilled(state) && state.syncedAt >= asked - maxAge * 1_000
    const known = await copies.readStatus(access, entity)
    if (isYoung(known) || known.obstacle !== null) return known
    await this.#moveToFront(access, entity)
    const wait = { maxAgeSeconds: maxAge, deadlineMs: deadlineMs * refreshShare, ...(signal === undefined ? {} : { signal }) }
    await copies.refresh(access, entity, wait)
    const state = await copies.readStatus(access, entity)
    if (!isFilled(state)) throw notReadyError(entity, state)
    if (!isYoung(state)) throw staleError(entity, { maxAge, state, now: clock() })
    return state
  }
}
