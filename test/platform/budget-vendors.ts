/** Simulated time, and vendors that refuse strictly. */
import type { Level } from '../../packages/ferrule/src/engine/index.ts'

/** Time that passes only when nothing else is left to do. Milliseconds since 1970. */
export class SimulatedTime {
  now: number
  /** Work in progress outside this time, such as statements. */
  outside = 0
  #events: { readonly at: number; readonly run: () => void }[] = []

  constructor(start = Date.parse('2026-03-01T12:00:00Z')) {
    this.now = start
  }

  readonly schedule = (milliseconds: number, run: () => void): (() => void) => {
    const event = { at: this.now + Math.max(0, milliseconds), run }
    const index = this.#events.findLastIndex(({ at }) => at <= event.at) + 1
    this.#events.splice(index, 0, event)
    return () => {
      this.#events = this.#events.filter((each) => each !== event)
    }
  }

  readonly sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => this.schedule(milliseconds, resolve))

  /** Lets time pass. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    await this.#settle()
    for (let next = this.#events[0]; next !== undefined && next.at <= end; next = this.#events[0]) {
      this.#events.shift()
      this.now = Math.max(this.now, next.at)
      next.run()
      await this.#settle()
    }
    this.now = end
  }

  /** Lets time pass until some work is done, a minute at most. */
  async during(work: () => Promise<unknown> | undefined): Promise<void> {
    let isDone = false
    const done = Promise.resolve(work()).finally(() => {
      isDone = true
    })
    done.catch(() => undefined)
    for (let passed = 0; !isDone && passed < 60_000; passed += 10) await this.pass(10)
    await done
  }

  async #settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve))
    while (this.outside > 0)
  }
}

/** Numbers that look random and are the same in each run. */
export function createDice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** What a vendor of these tests does. */
export interface Vendor {
  /** Calls that it refused. */
  refused: number
  /** Returns whether it accepts a call. */
  call(now: number): boolean
  /** Answers a refusal with this wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The level that it reports. */
  readonly level?: Level
}

/** A leaky bucket that refuses each call beyond its size. */
export class StrictBucket implements Vendor {
  accepted = 0
  refused = 0
  #level = 0
  #at = 0

  call(now: number): boolean {
    this.#level = Math.max(0, this.#level - ((now - this.#at) / 1_000) * 2)
    this.#at = now
    const isFull = this.#level + 1 > 40
    if (isFull) this.refused += 1
    else {
      this.#level += 1
      this.accepted += 1
    }
    return !isFull
  }

  get level(): Level {
    return { used: Math.ceil(this.#level), size: 40 }
  }
}

/** A vendor that refuses each call beyond its moving windows. */
export class StrictVendor implements Vendor {
  readonly accepted: number[] = []
  refused = 0
  /** Refuses all calls for so long, and answers with the wait. */
  retryAfterMs: number | undefined
  readonly #rates: readonly { readonly calls: number; readonly seconds: number }[]

  constructor(rates: readonly { readonly calls: number; readonly seconds: number }[]) {
    this.#rates = rates
  }

  call(now: number): boolean {
    const isFull =
      this.retryAfterMs !== undefined ||
      this.#rates.some(({ calls, seconds }) => now - (this.accepted.at(-calls) ?? Number.NEGATIVE_INFINITY) < seconds * 1_000)
    if (isFull) this.refused += 1
    else this.accepted.push(now)
    return !isFull
  }

  /** Longest time between two calls, in milliseconds. */
  longestPause(from: number): number {
    const times = this.accepted.filter((at) => at >= from)
    return Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)))
  }
}
