/** A leaky bucket at the vendor, and walkers that fill it, in simulated time. */
import type { Limits } from '../../packages/ferrule/src/definition/connector.ts'
import type { Level, Turn } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { ProvenKey } from './limiter-support.ts'

/** A bucket of Shopify's standard plan. */
export const limits: Limits = { key: [], bucket: { header: 'x-shopify-shop-api-call-limit', size: 40, perSecond: 2 } }
/** The time at which simulations begin, in milliseconds since 1970. */
export const start = Date.parse('2026-01-01T00:00:00Z')

/** The vendor's side: a bucket of its own, that any program with the token fills. Times must not decrease. */
export class VendorBucket {
  readonly size: number
  readonly #perSecond: number
  #level = 0
  #at = start
  refused = 0
  highest = 0

  constructor(size = 40, perSecond = 2) {
    this.size = size
    this.#perSecond = perSecond
  }

  /** One request; the level that is reported then. */
  take(at: number): Level {
    this.#level = Math.max(0, this.#level - (Math.max(0, at - this.#at) / 1000) * this.#perSecond)
    this.#at = Math.max(this.#at, at)
    if (this.#level + 1 > this.size) this.refused += 1
    else this.#level += 1
    this.highest = Math.max(this.highest, this.#level)
    return { used: Math.ceil(this.#level), size: this.size }
  }
}

/** Something that happens at a time. */
interface Happening {
  readonly at: number
  readonly run: () => void
}

/** Runs happenings in order of their times until `end`, also those that they add. Simulated time. */
function simulate(first: readonly Happening[], add: { push?: (happening: Happening) => void }, end: number): void {
  const waiting = [...first]
  add.push = (happening) => waiting.push(happening)
  for (;;) {
    waiting.sort((a, b) => a.at - b.at)
    const next = waiting.shift()
    if (next === undefined || next.at > end) return
    next.run()
  }
}

/** Attempts that the engine gives a call, and what the vendor asks it to wait after a refusal, in milliseconds. */
const attempts = 3
const retryAfter = 2_000

interface Walk {
  readonly walkers: number
  /** Nodes of the service that the walkers are spread over; each has a limiter of its own. */
  readonly nodes?: number
  readonly seconds: number
  readonly latency: () => number
  /** Calls per second of another program with the same token. */
  readonly other?: number
}

/** Walkers that ask page after page: how many calls they made, and how many refusals a caller saw. */
export function walk(vendor: VendorBucket, { walkers, nodes = 1, seconds, latency, other = 0 }: Walk): { calls: number; surfaced: number } {
  const limiters = Array.from({ length: nodes }, () => new ProvenKey(limits))
  const queue: { push?: (happening: Happening) => void } = {}
  const happen = (at: number, run: () => void): void => queue.push?.({ at, run })
  const met = { calls: 0, surfaced: 0 }
  const answered = (
    key: ProvenKey,
    { now, level, refused, attempt, turn }: { now: number; level: Level; refused: boolean; attempt: number; turn: Turn },
  ) => {
    const { limiter } = key
    limiter.observe(turn, level, now)
    if (refused) limiter.postpone(turn, now + retryAfter, now)
    else limiter.prove(turn, true, now)
    limiter.giveBack(turn)
    if (!refused) {
      ask(key, now, 1)
      return
    }
    if (attempt === attempts) met.surfaced += 1
    happen(now + retryAfter, () => ask(key, now + retryAfter, attempt === attempts ? 1 : attempt + 1))
  }
  const send = (key: ProvenKey, { now, attempt, turn }: { now: number; attempt: number; turn: Turn }): void => {
    const more = key.limiter.enter(turn, now)
    if (more > 0) {
      happen(now + more, () => send(key, { now: now + more, attempt, turn }))
      return
    }
    const whole = latency()
    happen(now + whole / 2, () => {
      const before = vendor.refused
      const level = vendor.take(now + whole / 2)
      met.calls += 1
      const refused = vendor.refused > before
      happen(now + whole, () => answered(key, { now: now + whole, level, refused, attempt, turn }))
    })
  }
  const ask = (key: ProvenKey, now: number, attempt: number): void => {
    const { turn, wait } = key.turn(now)
    happen(now + wait, () => send(key, { now: now + wait, attempt, turn }))
  }
  const begin = Array.from({ length: walkers }, (_each, index) => limiters[index % nodes]).flatMap((key) =>
    key === undefined ? [] : [{ at: start, run: () => ask(key, start, 1) }],
  )
  const others = Array.from({ length: Math.floor(seconds * other) }, (_each, index) => start + (index * 1000) / other).map((at) => ({
    at,
    run: () => void vendor.take(at),
  }))
  simulate([...begin, ...others], queue, start + seconds * 1000)
  return met
}
