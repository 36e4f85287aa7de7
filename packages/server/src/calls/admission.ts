/**
 * Admission of calls to vendors, whatever way they come in: the organization's share of calls, its slots, memory for answers, and time.
 * Calls are counted in this process.
 */
import type { BodyMemory, Call } from 'ferrule/engine'
import { BoundedMap, fail } from 'ferrule/internal'

/** Limits of an organization. */
export interface ExecuteLimitOptions {
  /** Calls per minute; 0: unlimited. */
  readonly perMinute: number
  /** Calls concurrently; 0: unlimited. */
  readonly atOnce: number
  /** Milliseconds that never step. */
  readonly clock: () => number
}

/** Remaining calls of an organization's minute, for the headers RateLimit-*. */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the minute ends. */
  readonly resetMs: number
  /** The calls of the minute are used up, this one included. */
  readonly exceeded: boolean
}

const minute = 60_000
/** Maximum number of organizations whose minutes are remembered. */
const rememberedOrganizations = 10_000
/** A busy service frees a slot within a second in most cases. */
const busyRetryMs = 1_000

interface Minute {
  readonly ends: number
  calls: number
}

/** Counts the calls of organizations in one process. Memory is bounded: 10,000 organizations at most are remembered. */
export class ExecuteLimits {
  readonly #options: ExecuteLimitOptions
  readonly #minutes = new BoundedMap<string, Minute>(rememberedOrganizations)
  readonly #slots = new Map<string, number>()
  #running = 0

  constructor(options: ExecuteLimitOptions) {
    this.#options = options
  }

  /** Calls that run now. */
  get running(): number {
    return this.#running
  }

  /**
   * Counts one call of the running minute.
   * @returns the remaining calls; undefined without a limit
   */
  count(organizationId: string): RateState | undefined {
    const { perMinute, clock } = this.#options
    if (perMinute === 0) return undefined
    const now = clock()
    const current = this.#findMinute(organizationId, now)
    current.calls += 1
    const remaining = Math.max(0, perMinute - current.calls)
    return { limit: perMinute, remaining, resetMs: current.ends - now, exceeded: current.calls > perMinute }
  }

  /**
   * Takes a slot among the calls that run concurrently.
   * @returns frees the slot; call it when the answer was sent
   * @throws FerruleError `overloaded` when all slots are taken
   */
  enter(organizationId: string): () => void {
    const { atOnce } = this.#options
    const taken = this.#slots.get(organizationId) ?? 0
    if (atOnce > 0 && taken >= atOnce)
      throw fail('overloaded', { reason: `${atOnce} calls of the organization are running` }, { retryAfterMs: busyRetryMs })
    this.#slots.set(organizationId, taken + 1)
    this.#running += 1
    return once(() => this.#leave(organizationId))
  }

  #leave(organizationId: string): void {
    this.#running -= 1
    const left = (this.#slots.get(organizationId) ?? 1) - 1
    if (left > 0) this.#slots.set(organizationId, left)
    else this.#slots.delete(organizationId)
  }

  #findMinute(organizationId: string, now: number): Minute {
    const known = this.#minutes.get(organizationId)
    if (known !== undefined && known.ends > now) return known
    const made = { ends: now + minute, calls: 0 }
    this.#minutes.set(organizationId, made)
    return made
  }
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}

/** A call that asks to be admitted. */
export interface ArrivingCall {
  readonly organizationId: string
  /** Aborts a read when the client goes away. Without it the call runs to its timeout. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of the client in milliseconds; the service's counts when it is shorter. */
  readonly deadlineMs?: number | undefined
  /** Receives the remaining calls, of a refused call too. */
  readonly onRate?: ((rate: RateState) => void) | undefined
}

/** Bounds of one call, as the engine takes them. */
export type CallBounds = Pick<Call, 'signal' | 'deadlineMs' | 'memory'>

/** Keeps slot and memory of a call after its work, until the given function is called. */
export type Hold = (register: (end: () => void) => void) => void

/** Admits the calls of organizations on this node. */
export class Admission {
  /** Memory for the answers of vendors. */
  readonly memory: BodyMemory
  readonly #limits: ExecuteLimits
  readonly #longestMs: number

  /** @param limits `longestMs`: timeout of the service for one call, in milliseconds */
  constructor({ longestMs, ...limits }: ExecuteLimitOptions & { readonly longestMs: number }, memory: BodyMemory) {
    this.memory = memory
    this.#limits = new ExecuteLimits(limits)
    this.#longestMs = longestMs
  }

  /** Calls that run now. */
  get running(): number {
    return this.#limits.running
  }

  /**
   * Counts a call and runs it in its slot.
   * @throws FerruleError `rate_limited`, `overloaded`, and what `run` throws
   */
  async admit<T>(arriving: ArrivingCall, run: (bounds: CallBounds, hold: Hold) => Promise<T>): Promise<T> {
    const { organizationId, onRate, signal, deadlineMs = this.#longestMs } = arriving
    const rate = this.#limits.count(organizationId)
    if (rate !== undefined) onRate?.(rate)
    if (rate?.exceeded) throw fail('rate_limited', { limit: rate.limit }, { retryAfterMs: rate.resetMs })
    const leave = this.#limits.enter(organizationId)
    const memory = this.memory.open(organizationId)
    let open = 1
    const end = (): void => {
      open -= 1
      if (open > 0) return
      leave()
      memory.close()
    }
    const hold: Hold = (register) => {
      open += 1
      register(end)
    }
    try {
      return await run({ signal, deadlineMs: Math.min(deadlineMs, this.#longestMs), memory }, hold)
    } finally {
      end()
    }
  }
}
