/** Waits for changes of runs. One poller serves all watchers of a node. */
import type { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import { listRunVersions } from '../sql/sync-runs.ts'

/** Polling interval, in milliseconds. */
const pollMs = 1_000
/** Connectors per query. */
const batch = 500

interface WaitingWatcher {
  readonly connectorId: string
  /** Versions of the connector's runs that the watcher has seen. */
  readonly known: string | undefined
  /** Steady-clock time at which the wait ends without a change. */
  readonly until: number
  wake(): void
  refuse(reason: unknown): void
}

/** Options of a wait. */
export interface WaitOptions {
  /** Steady-clock time at which the wait ends without a change, accurate to about a second. */
  readonly until?: number
  readonly signal?: AbortSignal | undefined
}

/** Watches the runs of one connector. */
export interface Watcher extends Disposable {
  /**
   * Resolves at once the first time, then after each change since the last call.
   * @throws the reason of the signal; FerruleError `unavailable` when the service stops
   */
  next(options?: WaitOptions): Promise<void>
}

type WatchingParts = Pick<Parts, 'database' | 'steady' | 'sleep' | 'events' | 'onBackgroundError'>

/** The poller of a node. */
export class Watching {
  readonly #parts: WatchingParts
  readonly #waiting = new Set<WaitingWatcher>()
  /** Versions of the unfinished runs of watched connectors at the last poll. */
  readonly #seen = new Map<string, string>()
  /** Watchers by connector. */
  readonly #watched = new Map<string, number>()
  #isPolling = false
  #isClosed = false

  constructor(parts: WatchingParts) {
    this.#parts = parts
    parts.events.on('ended', () => void this.#look())
  }

  /** Starts watching a connector; dispose of the watcher. The surface bounds streams, and calls that wait. */
  watch(connectorId: string): Watcher {
    this.#watched.set(connectorId, (this.#watched.get(connectorId) ?? 0) + 1)
    let begun = false
    let known: string | undefined
    return {
      next: async ({ until = Number.POSITIVE_INFINITY, signal } = {}) => {
        signal?.throwIfAborted()
        if (begun && this.#seen.get(connectorId) === known) await this.#change({ connectorId, known, until }, signal)
        begun = true
        known = this.#seen.get(connectorId)
      },
      [Symbol.dispose]: () => this.#leave(connectorId),
    }
  }

  close(): void {
    this.#isClosed = true
    for (const each of this.#waiting) each.refuse(stopped())
  }

  #leave(connectorId: string): void {
    const left = (this.#watched.get(connectorId) ?? 1) - 1
    if (left > 0) this.#watched.set(connectorId, left)
    else {
      this.#watched.delete(connectorId)
      this.#seen.delete(connectorId)
    }
  }

  async #change(wait: Pick<WaitingWatcher, 'connectorId' | 'known' | 'until'>, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isClosed) throw stopped()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { ...wait, wake: resolve, refuse: reject }
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    this.#waiting.add(waiting)
    if (!this.#isPolling) void this.#poll()
    try {
      await promise
    } finally {
      this.#waiting.delete(waiting)
      signal?.removeEventListener('abort', abort)
    }
  }

  async #poll(): Promise<void> {
    this.#isPolling = true
    while (this.#waiting.size > 0) {
      const nearest = Math.min(...[...this.#waiting].map(({ until }) => until)) - this.#parts.steady()
      await this.#parts.sleep(Math.max(1, Math.min(pollMs, nearest)))
      await this.#look()
    }
    this.#isPolling = false
  }

  async #look(): Promise<void> {
    if (this.#waiting.size === 0) return
    await this.#read().catch(this.#parts.onBackgroundError)
    const now = this.#parts.steady()
    for (const { connectorId, known, until, wake } of this.#waiting) if (this.#seen.get(connectorId) !== known || until <= now) wake()
  }

  async #read(): Promise<void> {
    const ids = [...new Set([...this.#waiting].map(({ connectorId }) => connectorId))]
    for (let index = 0; index < ids.length; index += batch) {
      const some = ids.slice(index, index + batch)
      const rows = await listRunVersions(this.#parts.database.db, some)
      for (const id of some) {
        const text = rows.flatMap((row) => (row.connector_id === id ? [`${row.id}:${row.version}`] : [])).join()
        if (this.#watched.has(id)) this.#seen.set(id, text)
      }
    }
  }
}

const stopped = (): FerruleError => fail('unavailable', { reason: 'it is stopping' })
