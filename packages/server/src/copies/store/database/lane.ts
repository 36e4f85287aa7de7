/** A bounded queue for database slots: a limited number run, a limited number wait, and all others are refused at once. */
import { fail } from 'ferrule/internal'

/** Purpose of a slot. Searches go first, because a client waits for them. */
export type Purpose = 'search' | 'write'

/** Limits of a lane. */
export interface LaneLimits {
  /** Maximum number of slots. */
  readonly slots: number
  /** Maximum number of waiting requests per purpose. */
  readonly waiting: number
  /** Maximum wait in milliseconds. */
  readonly waitMs: number
  /** Maximum wait of a write, where it may wait longer: syncs side by side wait for each other, and no client waits for them. */
  readonly writeWaitMs?: number
}

interface Waiter {
  admit(): void
  refuse(reason: unknown): void
}

/** Maximum number of searches that overtake a waiting write. */
const overtakes = 4
const retryAfterMs = 1_000
const names: Readonly<Record<Purpose, string>> = { search: 'searches', write: 'writes' }

/** A queue with a limited number of slots. */
export class Lane {
  readonly #limits: LaneLimits
  readonly #waiting: Readonly<Record<Purpose, Set<Waiter>>> = { search: new Set(), write: new Set() }
  #taken = 0
  #overtaken = 0
  #writes = 0
  #closed: unknown
  readonly #empty = Promise.withResolvers<void>()

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /**
   * Waits for a slot.
   * @param signal aborts the wait, which then throws the signal's reason
   * @param mostMs maximum wait in milliseconds, where it is shorter than that of the lane
   * @returns a function that frees the slot
   * @throws FerruleError `overloaded` when too many wait or the wait was too long
   */
  async enter(purpose: Purpose, signal?: AbortSignal, mostMs = Number.POSITIVE_INFINITY): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#closed !== undefined) throw this.#closed
    if (this.#taken < this.#limits.slots) this.#taken += 1
    else await this.#wait(purpose, signal, mostMs)
    const step = purpose === 'write' ? 1 : 0
    this.#writes += step
    let left = false
    return () => {
      if (left) return
      left = true
      this.#writes += step
      this.#leave()
    }
  }

  /** Number of taken slots and of waiting requests. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#taken, waiting: this.#waiting.search.size + this.#waiting.write.size }
  }

  /** Number of begun and of ended writes. */
  get writes(): number {
    return this.#writes
  }

  /** Refuses waiting and new requests with one reason. Resolves when the last slot is free. */
  close(reason: unknown): Promise<void> {
    this.#closed = reason
    for (const waiter of [...this.#waiting.search, ...this.#waiting.write]) waiter.refuse(reason)
    if (this.#taken === 0) this.#empty.resolve()
    return this.#empty.promise
  }

  #wait(purpose: Purpose, signal: AbortSignal | undefined, mostMs: number): Promise<void> {
    const queue = this.#waiting[purpose]
    const { waiting, waitMs: usualMs, writeWaitMs = usualMs } = this.#limits
    const waitMs = Math.min(mostMs, purpose === 'write' ? writeWaitMs : usualMs)
    if (queue.size >= waiting) throw createOverloadError(`${waiting} ${names[purpose]} wait for the database of the copies already`)
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        queue.delete(waiter)
      }
      const waiter: Waiter = {
        admit: () => {
          settle()
          resolve()
        },
        refuse: (reason) => {
          settle()
          reject(reason)
        },
      }
      const aborted = (): void => waiter.refuse(signal?.reason)
      const timer = setTimeout(
        () => waiter.refuse(createOverloadError(`no slot at the database of the copies within ${countSeconds(waitMs)} seconds`)),
        waitMs,
      )
      signal?.addEventListener('abort', aborted, { once: true })
      queue.add(waiter)
    })
  }

  #leave(): void {
    const next = this.#next()
    if (next === undefined) this.#taken -= 1
    else next.admit() // the next request takes the slot over
    if (this.#closed !== undefined && this.#taken === 0) this.#empty.resolve()
  }

  #next(): Waiter | undefined {
    const [search] = this.#waiting.search
    const [write] = this.#waiting.write
    const overtake = search !== undefined && (write === undefined || this.#overtaken < overtakes)
    this.#overtaken = overtake && write !== undefined ? this.#overtaken + 1 : 0
    return overtake ? search : write
  }
}

/** Rounds milliseconds to whole seconds for a sentence; at least one. */
export const countSeconds = (ms: number): number => Math.max(1, Math.round(ms / 1_000))

/** Builds the error of work that got no slot. */
export const createOverloadError = (reason: string) => fail('overloaded', { reason }, { retryAfterMs })
