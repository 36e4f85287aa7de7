/** Caches the indexes of copies for the status, which never waits long for the store. */

import { BoundedMap } from 'ferrule/internal'
import type { IndexRecord } from '../store/indexes/types.ts'
import type { ContextStore } from '../store/types.ts'

type Indexes = ReadonlyMap<string, readonly IndexRecord[]>
type Store = Pick<ContextStore, 'status' | 'indexes'> | undefined

/** Longest wait for the store, in milliseconds. */
const longestWaitMs = 100
/** Maximum number of connectors in the cache. */
const mostRemembered = 10_000
/** Maximum number of concurrent queries; more would delay searches. */
const mostAsking = 4

const none: Indexes = new Map()

/** Indexes of copies by entity. */
export class KnownIndexes {
  readonly #store: Store
  readonly #told = new BoundedMap<string, Indexes>(mostRemembered)
  readonly #asking = new Map<string, Promise<void>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns the indexes of a connector within 100 ms, from the cache if necessary. Does not open a closed store. */
  async read(connector: string): Promise<Indexes> {
    const status = this.#store?.status()
    if (status === undefined || (status.engine === 'embedded' && !status.opened)) return none
    const asking = this.#asking.get(connector) ?? this.#ask(connector)
    const waited = Promise.withResolvers<void>()
    const timer = setTimeout(waited.resolve, longestWaitMs)
    await Promise.race([asking, waited.promise])
    clearTimeout(timer)
    return this.#told.get(connector) ?? none
  }

  #ask(connector: string): Promise<void> | undefined {
    if (this.#store === undefined || this.#asking.size >= mostAsking) return undefined
    const asking = this.#store.indexes
      .listByEntity(connector)
      .then((indexes) => void this.#told.set(connector, indexes))
      .catch(() => undefined) // the cached indexes stay
      .finally(() => this.#asking.delete(connector))
    this.#asking.set(connector, asking)
    return asking
  }
}
