/** Searches of the copy for clients: whether it is there, how fresh it is, and its records. */
import type { RecordPages, Searcher, SearchRequest } from '../context/search.ts'
import { JsonText } from '../engine/json.ts'
import { operationOf } from '../engine/operation.ts'
import { fail } from '../errors.ts'
import { BoundedMap } from './bounded-map.ts'
import type { Found, Freshness } from './executed.ts'
import type { ConnectorAccess } from './types.ts'

/** What is known of the copy of one entity. */
export interface CopyState {
  /** State of the copy, for example `ready`, `updating` or `loading`. */
  readonly status: string
  /** What was new or changed until this moment is in the copy, in milliseconds since 1970; null before it was filled once. */
  readonly syncedAt: number | null
  /** The copy was compared with everything that the vendor had at this moment. */
  readonly verifiedAt: number | null
  /** Whether no part was left unread. */
  readonly complete: boolean
  /** Why there is no copy and none will come by waiting; null while one is on its way. */
  readonly obstacle: string | null
  /** Why the last sync did not work; null when it did. */
  readonly error: string | null
  /** Milliseconds until it is worth to ask again. */
  readonly retryAfterMs: number
}

/** Tells of the copies, and makes them younger. */
export interface Copies {
  /** Calls back when this process has changed something that states follow from. */
  onChange(listener: () => void): void
  stateOf(access: ConnectorAccess, entity: string): Promise<CopyState>
  /**
   * Makes the copy of an entity young enough.
   * @returns when it is, or when the time is over
   */
  refresh(access: ConnectorAccess, entity: string, wait: RefreshWait): Promise<void>
}

/** How long somebody waits for a younger copy. */
export interface RefreshWait {
  /** The copy is young enough when everything that the vendor had so many seconds ago is in it. */
  readonly maxAgeSeconds: number
  readonly deadlineMs: number
  readonly signal?: AbortSignal
}

/** A search of one entity of a connector. */
export interface CopyQuery {
  readonly entity: string
  /** As the search contract says. */
  readonly params: unknown
  /** The copy must be in step with the vendor as of at most so many seconds ago. */
  readonly maxAge?: number | undefined
  /** What is there is enough while the copy is filled for the first time. */
  readonly allowPartial?: boolean | undefined
  /** Milliseconds until the call gives up. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
}

/** All records that a search finds, page by page. */
export interface Export {
  readonly freshness: Freshness
  /** Searchable fields that the records have, in the order of the documents. */
  readonly columns: readonly string[]
  /** The records as JSON texts. */
  readonly pages: RecordPages
}

/** Searches for clients. Callers have an access already, so these take no principal. */
export interface Searches {
  /**
   * Answers one page.
   * @throws FerruleError `entity_not_found`, `action_not_supported`, `context_store_not_ready`, `context_store_stale`, those of the
   *   parameters with their places, `invalid_cursor`, `context_store_timeout`, `context_store_unavailable`, `overloaded`
   */
  search(access: ConnectorAccess, query: CopyQuery): Promise<Found>
  /** Reads all pages, each when it is asked for. @throws as `search`, at once or while the pages are read */
  export(access: ConnectorAccess, query: CopyQuery): Promise<Export>
}

/** What searches are made with. */
export interface SearchParts {
  readonly searcher: Searcher
  readonly copies: Copies
  /** Key of the cursors' signature. */
  readonly cursorKey: () => Uint8Array
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds until a search is stopped. */
  readonly searchMs: number
}

/** Records of one page of an export. */
const exportPage = 1_000
/** Part of a call's time that a refresh may take; the rest is for the search. */
const refreshShare = 0.9
/** How long the state of a copy is believed, in milliseconds, and how many are. */
const recentMs = 250
const mostRecent = 10_000

/** @throws FerruleError as every action of an entity that is not there */
function assertSearchable({ connection: { kind } }: ConnectorAccess, entity: string): void {
  const { entities } = kind.definition
  const found = Object.hasOwn(entities, entity) ? entities[entity] : undefined
  if (found?.context_store_search === undefined) operationOf(kind, entity, 'context_store_search')
}

const shown = (moment: number | null): string | null => (moment === null ? null : new Date(moment).toISOString())

const freshnessOf = ({ status, syncedAt, verifiedAt, complete }: CopyState): Freshness => ({
  synced_at: shown(syncedAt),
  verified_at: shown(verifiedAt),
  status,
  complete: complete && syncedAt !== null,
})

type Filled = CopyState & { readonly syncedAt: number }
const isFilled = (state: CopyState): state is Filled => state.syncedAt !== null && state.obstacle === null

/** Whether a copy may be searched. */
const isEnough = (state: CopyState, { allowPartial = false }: Pick<CopyQuery, 'allowPartial'>): boolean =>
  isFilled(state) || (allowPartial && state.obstacle === null)

const notReady = (entity: string, { status, obstacle, error, retryAfterMs }: CopyState) =>
  obstacle === null
    ? fail(
        'context_store_not_ready',
        { entity, reason: `its status is ${status}${error === null ? '' : ` (${error.replace(/\.$/, '')})`}` },
        { retryAfterMs },
      )
    : fail('context_store_not_ready', { entity, reason: obstacle }, { retryable: false, hint: 'Use list and get.' })

const stale = (entity: string, { maxAge, state, now }: { maxAge: number; state: Filled; now: number }) =>
  fail(
    'context_store_stale',
    { entity, age: Math.ceil((now - state.syncedAt) / 1_000), synced_at: new Date(state.syncedAt).toISOString(), max_age: maxAge },
    { retryAfterMs: state.retryAfterMs },
  )

/** The same pages, with the first one read already: what refuses a search refuses it before anything is sent. */
async function begun(pages: RecordPages): Promise<RecordPages> {
  const first = await pages.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* pages
  })()
}

class CopySearches implements Searches {
  readonly #parts: SearchParts
  /** States of copies, and until when they are believed. */
  readonly #recent = new BoundedMap<string, { readonly state: CopyState; readonly until: number }>(mostRecent)
  #changes = 0

  constructor(parts: SearchParts) {
    this.#parts = parts
    parts.copies.onChange(() => {
      this.#changes += 1
      this.#recent.clear()
    })
  }

  async search(access: ConnectorAccess, query: CopyQuery): Promise<Found> {
    assertSearchable(access, query.entity)
    const { searcher, searchMs } = this.#parts
    const end = performance.now() + query.deadlineMs
    const request = this.#request(access, query)
    if (query.maxAge !== undefined) searcher.fieldsOf(request)
    const fresh = query.maxAge === undefined ? undefined : await this.#fresh(access, query)
    const timeoutMs = Math.max(1, Math.min(searchMs, end - performance.now()))
    const [answer, state] = await Promise.all([searcher.search({ ...request, timeoutMs }), fresh ?? this.#recentState(access, query)])
    if (answer === undefined || !isEnough(state, query)) throw notReady(query.entity, state)
    const { json, cursor, tookMs, isUnranked, unseenPaths } = answer
    return {
      type: 'found',
      data: new JsonText(json),
      meta: {
        ...{ has_more: cursor !== null, cursor, took_ms: tookMs },
        ...(isUnranked ? { relevance_left_out: true } : {}),
        ...(unseenPaths.length > 0 ? { unknown_paths: unseenPaths } : {}),
      },
      contextStore: freshnessOf(state),
    }
  }

  async export(access: ConnectorAccess, query: CopyQuery): Promise<Export> {
    assertSearchable(access, query.entity)
    const request = this.#request(access, query)
    const columns = this.#parts.searcher.fieldsOf(request)
    const state = query.maxAge === undefined ? await this.#parts.copies.stateOf(access, query.entity) : await this.#fresh(access, query)
    if (!isEnough(state, query)) throw notReady(query.entity, state)
    return { freshness: freshnessOf(state), columns, pages: await begun(this.#parts.searcher.pages(request, exportPage)) }
  }

  /** The state, as it was a moment ago: searches in a row ask for it once. What refuses a search is not remembered. */
  async #recentState(access: ConnectorAccess, query: CopyQuery): Promise<CopyState> {
    const name = `${access.place.connectorId} ${query.entity}`
    const known = this.#recent.get(name)
    if (known !== undefined && known.until > performance.now() && isEnough(known.state, query)) return known.state
    const changes = this.#changes
    const state = await this.#parts.copies.stateOf(access, query.entity)
    if (isEnough(state, query) && changes === this.#changes) this.#recent.set(name, { state, until: performance.now() + recentMs })
    return state
  }

  #request({ place, connection }: ConnectorAccess, { entity, params, signal }: CopyQuery): SearchRequest {
    const { cursorKey, clock } = this.#parts
    return {
      place: { connector: place.connectorId, kind: connection.kind.definition.kind, entity },
      params,
      key: cursorKey(),
      now: clock(),
      signal,
    }
  }

  /** A copy that is young enough, refreshed where it is not. @throws FerruleError `context_store_stale` with the age that it has */
  async #fresh(access: ConnectorAccess, { entity, maxAge = 0, deadlineMs, signal }: CopyQuery): Promise<CopyState> {
    const { copies, clock } = this.#parts
    const asked = clock()
    const isYoung = (state: CopyState): boolean => isFilled(state) && state.syncedAt >= asked - maxAge * 1_000
    const known = await copies.stateOf(access, entity)
    if (isYoung(known) || known.obstacle !== null) return known
    const wait = { maxAgeSeconds: maxAge, deadlineMs: deadlineMs * refreshShare, ...(signal === undefined ? {} : { signal }) }
    await copies.refresh(access, entity, wait)
    const state = await copies.stateOf(access, entity)
    if (!isFilled(state)) throw notReady(entity, state)
    if (!isYoung(state)) throw stale(entity, { maxAge, state, now: clock() })
    return state
  }
}

/** Builds the searches. */
export const createSearches = (parts: SearchParts): Searches => new CopySearches(parts)
