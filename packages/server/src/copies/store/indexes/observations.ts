/** Counts slow searches by the column that an index would help, in the memory of a process. */

/** Window in milliseconds in which slow searches are counted. */
const windowMs = 24 * 60 * 60 * 1_000
/** Number of slow searches that make an index wanted. A single one can be a peak of load or a question that nobody repeats. */
export const wantedAfter = 3
/** Maximum number of counted columns; the least recently seen one is dropped. */
const mostKeys = 1_000

/** Counts slow searches. */
export class Observations {
  readonly #seen = new Map<string, readonly number[]>()

  /**
   * Counts one slow search.
   * @param now milliseconds since 1970
   * @returns true when there were enough within the window
   */
  record(key: string, now: number): boolean {
    const times = [...(this.#seen.get(key) ?? []).filter((time) => time > now - windowMs), now].slice(-wantedAfter)
    this.#seen.delete(key)
    this.#seen.set(key, times)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > mostKeys && oldest !== undefined) this.#seen.delete(oldest)
    return times.length >= wantedAfter
  }

  /** Resets a count. */
  forget(key: string): void {
    this.#seen.delete(key)
  }
}
