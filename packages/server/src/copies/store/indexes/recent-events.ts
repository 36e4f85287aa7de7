/** Counts events by a key within a time that ends now, in the memory of a process. */
import { BoundedMap } from 'ferrule/internal'

/** Maximum number of counted keys. */
const mostKeys = 1_000

/** Counts events. */
export class RecentEvents {
  readonly #windowMs: number
  readonly #most: number
  readonly #seen = new BoundedMap<string, readonly number[]>(mostKeys)

  /**
   * @param windowMs time in which events are counted, in milliseconds
   * @param most largest number that is counted to
   */
  constructor(windowMs: number, most: number) {
    this.#windowMs = windowMs
    this.#most = most
  }

  /** Returns whether there were enough events. @param now milliseconds since 1970 */
  isFull(key: string, now: number): boolean {
    return this.#list(key, now).length >= this.#most
  }

  /** Counts one event. @returns whether there were enough, this one included */
  record(key: string, now: number): boolean {
    const times = [...this.#list(key, now), now].slice(-this.#most)
    this.#seen.set(key, times)
    return times.length >= this.#most
  }

  /** Resets a count. */
  forget(key: string): void {
    this.#seen.delete(key)
  }

  #list(key: string, now: number): readonly number[] {
    return (this.#seen.get(key) ?? []).filter((time) => time > now - this.#windowMs)
  }
}
