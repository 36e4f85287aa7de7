/** The machine's clocks, and the deadline of a call: one timer and one signal, both released with the call. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorDetails, type FerruleError, fail } from '../../errors.ts'
import { countNoun } from '../../values/texts.ts'

/**
 * `steady`: milliseconds since 1970, counted from the start of the process. The clock never steps, so all waits and windows use it. An
 * object, so that tests can replace the function.
 */
export const clocks = { steady: (): number => performance.timeOrigin + performance.now() }

/** Default timeout of a call, in milliseconds. */
export const defaultDeadlineMs = 60_000

/** Longest timer of Node in milliseconds (about 24 days); Node treats a longer one as 1. */
const longest = 2 ** 31 - 1

/** Formats a time in whole units: milliseconds below a second, else seconds. */
const formatTime = (milliseconds: number): string => {
  const [count, unit] = milliseconds < 1000 ? [Math.round(milliseconds), 'millisecond'] : [Math.round(milliseconds / 1000), 'second']
  return countNoun(count, unit)
}

/** Makes the error of a vendor that did not answer within a time. The caller throws it. */
export const failTimeout = (vendor: string, milliseconds: number, details: ErrorDetails = {}): FerruleError =>
  fail('upstream_timeout', { vendor, reason: `no answer within ${formatTime(milliseconds)}` }, details)

/** A time limit for some work. Dispose of it (`using`) when the work is done. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #end: number
  readonly #parent: AbortSignal | undefined
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent?.reason)

  /**
   * @param wanted milliseconds; at most 24 days
   * @param vendor name for the error `upstream_timeout`
   * @param parent a signal that ends the work earlier, for example of a disconnected client; its reason is kept
   */
  constructor(wanted: number, vendor: string, parent?: AbortSignal) {
    const milliseconds = Math.min(wanted, longest)
    this.#end = performance.now() + milliseconds
    this.#parent = parent
    this.#timer = setTimeout(() => this.#controller.abort(failTimeout(vendor, milliseconds)), milliseconds)
    if (parent?.aborted) this.#onParentAbort()
    parent?.addEventListener('abort', this.#onParentAbort, { once: true })
  }

  /** Aborts at the deadline with `upstream_timeout`, or earlier with the parent's reason. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds left; 0 after the end. */
  get remaining(): number {
    return this.signal.aborted ? 0 : Math.max(0, this.#end - performance.now())
  }

  /** Ends the time limit and keeps the signal, for a body that continues after its headers. */
  release(): void {
    clearTimeout(this.#timer)
  }

  /** Waits. @throws the signal's reason if it aborts first */
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
 * Returns the result of some work, unless the signal aborts first. The work itself continues after an abort.
 * @throws the signal's reason; what the work throws
 */
export function awaitUnlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason)
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const end = (): void => signal.removeEventListener('abort', onAbort)
  // Not Promise.race, which makes five promises of two.
  work().then(
    (value) => {
      end()
      resolve(value)
    },
    (thrown: unknown) => {
      end()
      reject(thrown)
    },
  )
  return promise
}
