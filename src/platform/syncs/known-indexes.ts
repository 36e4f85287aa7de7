/** Indexes of copies for the status, which never waits for the store: what it does not tell at once is shown as it was told last. */
import type { IndexRecord } from '../../context/indexes/types.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { PlatformOptions } from '../types.ts'

type Indexes = ReadonlyMap<string, readonly IndexRecord[]>

/** The longest wait for the store, in milliseconds. */
const longestWaitMs = 100
/** Connectors whose indexes are remembered. */
const mostRemembered = 10_000
/** Questions that may wait for the store: more would take the turns of searches. */
const mostAsking = 4

const none: Indexes = new Map()

/** Indexes of the copies of connectors, by entity. */
export class KnownIndexes {
  readonly #store: PlatformOptions['contextStore']
  readonly #told = new BoundedMap<string, Indexes>(mostRemembered)
  readonly #asking = new Map<string, Promise<void>>()

  constructor(store: PlatformOptions['contextStore']) {
    this.#store = store
  }

  /** The indexes of a connector, within a tenth of a second. The store is not opened for them. */
  async of(connector: string): Promise<Indexes> {
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
      .of(connector)
      .then((indexes) => void this.#told.set(connector, indexes))
      .catch(() => undefined) // they are shown as they were
      .finally(() => this.#asking.delete(connector))
    this.#asking.set(connector, asking)
    return asking
  }
}
