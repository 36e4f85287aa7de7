/** The end of a call: one timer and one signal, both gone when the call is. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '../errors.ts'

/** Default life of a call, in milliseconds. */
export const defaultDeadline = 60_000

/** The longest that a timer takes, in milliseconds (about 24 days); Node makes 1 of anything longer. */
const longest = 2 ** 31 - 1

/** A bounded stretch of time. Dispose of it (`using`) when the work is done. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #end: number
  readonly #parent: AbortSignal | undefined
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent?.reason)

  /**
   * @param wanted milliseconds; 24 days at most
   * @param vendor name for the error `upstream_timeout`
   * @param parent a signal that ends the work earlier, for example of a client that went away; its reason is kept
   */
  constructor(wanted: number, vendor: string, parent?: AbortSignal) {
    const milliseconds = Math.min(wanted, longest)
    this.#end = performance.now() + milliseconds
    this.#parent = parent
    this.#timer = setTimeout(
      () => this.#controller.abort(fail('upstream_timeout', { vendor, seconds: Math.round(milliseconds) / 1000 })),
      milliseconds,
    )
    if (parent?.aborted) this.#onParentAbort()
    parent?.addEventListener('abort', this.#onParentAbort, { once: true })
  }

  /** Aborted at the end, with `upstream_timeout` or the parent's reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds that are left; 0 when it has ended. */
  get remaining(): number {
    return this.signal.aborted ? 0 : Math.max(0, this.#end - performance.now())
  }

  /** Ends the time limit but keeps the signal: for a body that goes on after its headers. */
  release(): void {
    clearTimeout(this.#timer)
  }

  /** Waits. @throws the signal's reason when it ends first */
  async pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return
    try {
      await sleep(milliseconds, undefined, { signal: this.signal })
    } catch {
      throw this.signal.reason
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#parent?.removeEventListener('abort', this.#onParentAbort)
  }
}

/**
 * What some work gives, unless the signal ends first: the work goes on then, nobody waits for it.
 * @throws the signal's reason; what the work throws
 */
export async function within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const ended = Promise.withResolvers<never>()
  const onAbort = (): void => ended.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work(), ended.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
