/** Work of many organizations, a bounded number at a time in this process, in turn: one with much to do waits for itself only. */

/** Starts work when its organization has a slot. */
export class FairSlots {
  readonly #most: number
  #running = 0
  /** Waiting work by organization; the first one has the next slot. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** @param most number of things that are done at a time */
  constructor(most: number) {
    this.#most = most
  }

  /** Runs work in a slot of its organization. @throws the signal's reason; what the work throws */
  async take<T>(organization: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#queue(organization, resolve))
    else this.#running += 1
    try {
      signal?.throwIfAborted()
      return await work()
    } finally {
      this.#pass()
    }
  }

  #queue(organization: string, start: () => void): void {
    const own = this.#waiting.get(organization)
    if (own === undefined) this.#waiting.set(organization, [start])
    else own.push(start)
  }

  /** Gives the slot that has ended to the next organization, which then stands behind all others. */
  #pass(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running -= 1
      return
    }
    const [organization, [start, ...later]] = next
    this.#waiting.delete(organization)
    if (later.length > 0) this.#waiting.set(organization, later)
    start?.()
  }
}
