/** A searcher that takes the parameters of a search with the key and the time of its cursors. */
import type { EntityRef } from '../../packages/server/src/copies/entity-ref.ts'
import { listColumns } from '../../packages/server/src/copies/search/sql.ts'
import { type SearchLimits, Searcher as StoreSearcher } from '../../packages/server/src/copies/searcher.ts'

/** A search. */
export interface SearchRequest extends SearchLimits {
  readonly ref: EntityRef
  readonly params: unknown
  readonly key: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Creates the searcher of a store. */
export function createSearcher(store: ConstructorParameters<typeof StoreSearcher>[0], options: { readonly mostRanked?: number } = {}) {
  let key: Uint8Array = new Uint8Array()
  let now = 0
  const searcher = new StoreSearcher(store, { cursorKey: () => key, clock: () => now, ...options })
  const parse = (request: Omit<SearchRequest, 'signal' | 'timeoutMs'>) => {
    key = request.key
    now = request.now
    return searcher.parse(request.ref, request.params)
  }
  return {
    listFields: (request: SearchRequest) => listColumns(parse(request)).map(({ name }) => name),
    search: async (request: SearchRequest) => searcher.search(request.ref, parse(request), request),
    aggregate: async (request: SearchRequest) => {
      key = request.key
      now = request.now
      return searcher.aggregate(request.ref, searcher.parseAggregate(request.ref, request.params), request)
    },
    readPages: (request: SearchRequest, size: number) => searcher.readPages(request.ref, { ...parse(request), limit: size }, request),
  }
}
export type Searcher = ReturnType<typeof createSearcher>
