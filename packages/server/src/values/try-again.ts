/** Work that must not be lost, such as storing a token that a vendor issues once: it is tried again, and the end of the service waits for it. */

/** When to try again. */
export interface TryAgain {
  /** Pauses before further tries, in milliseconds. */
  readonly pausesMs: readonly number[]
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Called with each error. */
  readonly failed?: (error: unknown) => void
  /** Returns true for an error that no further try mends. */
  readonly isFinal?: (error: unknown) => boolean
}

/** Runs work until it succeeds. @throws the last error */
export async function tryAgain<T>(work: () => Promise<T>, options: TryAgain): Promise<T> {
  const [pause, ...pausesMs] = options.pausesMs
  try {
    return await work()
  } catch (error) {
    options.failed?.(error)
    if (pause === undefined || options.isFinal?.(error)) throw error
    await options.sleep(pause)
  }
  return tryAgain(work, { ...options, pausesMs })
}

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
