/** The time limit of a request, with web APIs only. */
import { fail } from '../errors.ts'

/** Default timeout of a request, in milliseconds. */
export const defaultDeadlineMs = 60_000
/** Longest timer in milliseconds (about 24 days); runtimes treat a longer one as 1. */
const longest = 2 ** 31 - 1

/** A time limit. Call `release` when the work is done. */
export interface Deadline {
  /** Aborts at the deadline with `service_timeout`, or earlier with the caller's reason. */
  readonly signal: AbortSignal
  /** Milliseconds left; 0 after the end. */
  remaining(): number
  /** Ends the time limit. The caller's signal still aborts, for a body that continues after its headers. */
  release(): void
}

/**
 * Makes a time limit.
 * @param wantedMs milliseconds; at most 24 days
 * @param parent a signal that ends the work earlier; its reason is kept
 */
export function createDeadline(wantedMs: number, parent: AbortSignal | undefined): Deadline {
  const milliseconds = Math.min(wantedMs, longest)
  const controller = new AbortController()
  const end = performance.now() + milliseconds
  const seconds = Math.round(milliseconds) / 1_000
  const timer = setTimeout(() => controller.abort(fail('service_timeout', { seconds })), milliseconds)
  const signal = parent === undefined ? controller.signal : AbortSignal.any([controller.signal, parent])
  return {
    signal,
    remaining: () => (signal.aborted ? 0 : Math.max(0, end - performance.now())),
    release: () => clearTimeout(timer),
  }
}

/**
 * Waits for shared work, which continues when this wait ends early.
 * @throws what the work throws; the reason of the deadline's signal if it aborts first
 */
export async function waitWithin<T>(work: Promise<T>, { signal }: Pick<Deadline, 'signal'>): Promise<T> {
  signal.throwIfAborted()
  const ended = Promise.withResolvers<never>()
  const onAbort = (): void => ended.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, ended.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Waits.
 * @throws the signal's reason if it aborts first
 */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const ended = Promise.withResolvers<void>()
  const timer = setTimeout(ended.resolve, milliseconds)
  const onAbort = (): void => ended.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await ended.promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
