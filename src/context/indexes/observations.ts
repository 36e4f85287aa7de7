/** Slow searches that were seen, by what would have helped them. Counted in the memory of a process. */

/** Slow searches within this time make an index wanted. Milliseconds. */
const windowMs = 24 * 60 * 60 * 1_000
/** So many of them: one can be a moment of much load, or a question that nobody asks again. */
export const wantedAfter = 3
/** Things that are counted; the one that was seen longest ago is forgotten. */
const mostKeys = 1_000

/** Counts sightings. */
export class Observations {
  readonly #seen = new Map<string, readonly number[]>()

  /**
   * Counts one.
   * @param now milliseconds since 1970
   * @returns whether there were enough within a day
   */
  note(key: string, now: number): boolean {
    const times = [...(this.#seen.get(key) ?? []).filter((time) => time > now - windowMs), now].slice(-wantedAfter)
    this.#seen.delete(key)
    this.#seen.set(key, times)
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > mostKeys && oldest !== undefined) this.#seen.delete(oldest)
    return times.length >= wantedAfter
  }

  /** Begins to count anew. */
  forget(key: string): void {
    this.#seen.delete(key)
  }
}
