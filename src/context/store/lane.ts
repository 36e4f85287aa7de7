/** A bounded queue before a database: so many at one time, so many waiting, and everybody else is refused at once. */
import { fail } from '../../errors.ts'

/** What a turn is for. Searches go first, because somebody waits for them. */
export type Purpose = 'search' | 'write'

/** How wide a lane is. */
export interface LaneLimits {
  /** Turns at one time. */
  readonly slots: number
  /** How many may wait, of each purpose. */
  readonly waiting: number
  /** Longest wait, in milliseconds. */
  readonly waitMs: number
}

interface Waiter {
  admit(): void
  refuse(reason: unknown): void
}

/** Searches that may overtake a write that waits; the next turn is the write's. */
const overtakes = 4
const retryAfterMs = 1_000
const names: Readonly<Record<Purpose, string>> = { search: 'searches', write: 'writes' }

/** A queue with a limited number of turns. */
export class Lane {
  readonly #limits: LaneLimits
  readonly #waiting: Readonly<Record<Purpose, Set<Waiter>>> = { search: new Set(), write: new Set() }
  #taken = 0
  #overtaken = 0
  #closed: unknown
  readonly #empty = Promise.withResolvers<void>()

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  /**
   * Waits for a turn.
   * @param signal gives the turn up; its reason is thrown
   * @returns what ends the turn; call it once
   * @throws FerruleError `overloaded` when too many wait or the wait was too long
   */
  async enter(purpose: Purpose, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#closed !== undefined) throw this.#closed
    if (this.#taken < this.#limits.slots) this.#taken += 1
    else await this.#wait(purpose, signal)
    let left = false
    return () => {
      if (!left) this.#leave()
      left = true
    }
  }

  /** Turns that are taken, and how many wait. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#taken, waiting: this.#waiting.search.size + this.#waiting.write.size }
  }

  /** Refuses everybody who waits and everybody who comes, with one reason. Resolves when the last turn has ended. */
  close(reason: unknown): Promise<void> {
    this.#closed = reason
    for (const waiter of [...this.#waiting.search, ...this.#waiting.write]) waiter.refuse(reason)
    if (this.#taken === 0) this.#empty.resolve()
    return this.#empty.promise
  }

  #wait(purpose: Purpose, signal: AbortSignal | undefined): Promise<void> {
    const queue = this.#waiting[purpose]
    const { waiting, waitMs } = this.#limits
    if (queue.size >= waiting) throw busy(`${waiting} ${names[purpose]} wait for the context store already`)
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
      const timer = setTimeout(() => waiter.refuse(busy(`no turn at the context store within ${waitMs / 1_000} seconds`)), waitMs)
      signal?.addEventListener('abort', aborted, { once: true })
      queue.add(waiter)
    })
  }

  #leave(): void {
    const next = this.#next()
    if (next === undefined) this.#taken -= 1
    else next.admit() // it takes the turn over
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

const busy = (reason: string) => fail('overloaded', { reason }, { retryAfterMs })
