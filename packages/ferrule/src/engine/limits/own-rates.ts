/** The caller's own rates: how many calls go to one account of a vendor, whatever the vendor would accept. */
import type { Rate } from '../../definition/connector.ts'
import { FerruleError, failValidation } from '../../errors.ts'
import { BoundedMap } from '../../values/bounded-map.ts'
import { awaitUnlessAborted, clocks, type Deadline } from '../http/deadline.ts'
import { RecentTimes } from './windows.ts'

/** One call that wants to be counted. */
export interface RateWish {
  /** Digest of the vendor, its origin and the account. The same in every process. */
  readonly key: string
  /** At most `calls` calls within any `seconds`; every rate applies. */
  readonly rates: readonly Rate[]
}

/** Counts the calls of several processes. */
export interface RateStore {
  /**
   * Counts one call now if all rates have room. Otherwise it counts nothing. One call at a time must do this for a key.
   * @returns 0 if the call is counted; else the milliseconds after which to ask again
   */
  take(wish: RateWish): Promise<number>
}

/** Own rates of a connector. At least one of both rates. */
export interface OwnRates {
  /** Maximum number of calls within any second; 0.5 is one call within two seconds. */
  readonly perSecond?: number
  /** Maximum number of calls within any 24 hours, up to 1,000,000. */
  readonly perDay?: number
  /** Counts the calls of several processes; default: the memory of this process, shared by all connectors. */
  readonly store?: RateStore
}

/** What a call brings to the gate. */
interface Passing {
  readonly key: string
  readonly deadline: Deadline
  /** Name for errors. */
  readonly vendor: string
}

/** Calls of this process with the same key, rates and store: they ask the store one after the other. */
interface Queue {
  /** Resolves when the last call has left. */
  tail: Promise<void>
  waiting: number
}

/** Shortest pause before the store is asked again, in milliseconds. */
const shortestPause = 5

/** Maximum number of accounts that are counted in memory; the least recently used goes first. */
const maxAccounts = 10_000

/** Counts calls in the memory of this process. */
export class MemoryRates implements RateStore {
  readonly #accounts = new BoundedMap<string, RecentTimes>(maxAccounts)

  async take({ key, rates }: RateWish): Promise<number> {
    const [times, now] = [this.#accounts.take(key, () => new RecentTimes()), clocks.steady()]
    const wait = times.earliest(rates, now) - now
    if (wait === 0) times.add(rates, now)
    return wait
  }
}

/** All connectors of the process share it. */
const shared = new MemoryRates()
const queues = new WeakMap<RateStore, Map<string, Queue>>()

function openQueue(store: RateStore, name: string): Queue {
  const ofStore = queues.get(store) ?? new Map<string, Queue>()
  queues.set(store, ofStore)
  const queue = ofStore.get(name) ?? { tail: Promise.resolve(), waiting: 0 }
  ofStore.set(name, queue)
  return queue
}

const readRates = ({ perSecond, perDay }: OwnRates): readonly Rate[] => {
  const calls = Math.max(1, Math.floor(perSecond ?? 0))
  const second = perSecond === undefined ? [] : [{ calls, seconds: calls / perSecond }]
  return perDay === undefined ? second : [...second, { calls: perDay, seconds: 86_400 }]
}

const failTooLate = ({ vendor }: Passing, wait: number) =>
  new FerruleError(
    'upstream_rate_limited',
    {
      message: `Your own rate for ${vendor} allows no call within the deadline.`,
      hint: 'Try again after retryAfterMs, raise deadlineMs, or raise perSecond or perDay of limits.',
    },
    { retryAfterMs: Math.ceil(wait) },
  )

const failAnswer = () =>
  failValidation([{ field: '/limits/store', message: 'must answer 0 or a number of milliseconds to wait', error_code: 'value' }])

/** Lets calls pass at the caller's own rates. */
export class OwnGate {
  readonly #rates: readonly Rate[]
  readonly #store: RateStore
  /** Shortest time between two calls in the long run, in milliseconds. */
  readonly #interval: number

  constructor(own: OwnRates) {
    this.#rates = readRates(own)
    this.#store = own.store ?? shared
    this.#interval = own.perSecond === undefined ? 0 : 1_000 / own.perSecond
  }

  /**
   * Waits until the rates have room for one call, and counts it. Calls pass in the order of asking.
   * @throws FerruleError `upstream_rate_limited` if that would be after the deadline; what the store throws; the reason of the signal
   */
  async pass(passing: Passing): Promise<void> {
    const name = JSON.stringify([passing.key, this.#rates])
    const queue = openQueue(this.#store, name)
    const ahead = Math.max(0, queue.waiting - 1) * this.#interval
    if (ahead > passing.deadline.remaining) throw failTooLate(passing, ahead)
    const before = queue.tail
    const own = Promise.withResolvers<void>()
    queue.tail = own.promise
    queue.waiting += 1
    try {
      await awaitUnlessAborted(passing.deadline.signal, () => before)
      await this.#take(passing)
    } finally {
      queue.waiting -= 1
      if (queue.waiting === 0) queues.get(this.#store)?.delete(name)
      void before.then(own.resolve) // a call that leaves early keeps the order of the others
    }
  }

  async #take(passing: Passing): Promise<void> {
    const { key, deadline } = passing
    for (;;) {
      const wait: unknown = await awaitUnlessAborted(deadline.signal, async () => this.#store.take({ key, rates: this.#rates }))
      if (wait === 0) return
      if (typeof wait !== 'number' || !(wait > 0)) throw failAnswer()
      if (wait > deadline.remaining) throw failTooLate(passing, wait)
      await deadline.pause(Math.max(wait, shortestPause))
    }
  }
}

/** Returns whether a value can be the option `limits`. */
export function isOwnRates(value: unknown): value is OwnRates {
  if (typeof value !== 'object' || value === null) return false
  const { perSecond, perDay, store, ...others }: Readonly<Record<string, unknown>> = { ...value }
  if (Object.keys(others).length > 0 || (perSecond === undefined && perDay === undefined)) return false
  const isSecond = perSecond === undefined || (typeof perSecond === 'number' && perSecond > 0 && perSecond <= 1_000)
  const isDay = perDay === undefined || (Number.isInteger(perDay) && Number(perDay) >= 1 && Number(perDay) <= 1_000_000)
  const isStore = store === undefined || (typeof store === 'object' && store !== null && typeof Reflect.get(store, 'take') === 'function')
  return isSecond && isDay && isStore
}
