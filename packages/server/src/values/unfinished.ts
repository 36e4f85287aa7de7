/** Work that must end before the service does. */
export class Unfinished {
  readonly #work = new Set<Promise<unknown>>()

  /** Adds work until it ends. @returns the work */
  add<T>(work: Promise<T>): Promise<T> {
    const added = work.finally(() => this.#work.delete(added))
    this.#work.add(added)
    return added
  }

  /** Resolves when all work has ended, however it ended. */
  async end(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work)
  }
}
