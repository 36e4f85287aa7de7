/** Limits concurrent work fairly: many requests of one client do not delay the first request of another. */
import { fail } from 'ferrule/internal'

/** Origin of a request. */
export interface Asking {
  /** Addresses take turns. */
  readonly address: string
  /** Names take turns within an address. */
  readonly name: string
}

/** Limits of concurrent and waiting work. */
export interface TurnOptions {
  readonly atOnce: number
  readonly waiting: number
}

interface Waiting {
  readonly start: () => void
  readonly refuse: (reason: Error) => void
}

type Names = Map<string, Waiting[]>

const countWaiting = (names: Names): number => [...names.values()].reduce((sum, { length }) => sum + length, 0)

/** Returns the largest element; undefined when empty. */
const findLargest = <T>(all: Iterable<T>, size: (one: T) => number): T | undefined =>
  [...all].reduce<T | undefined>((most, one) => (most === undefined || size(one) > size(most) ? one : most), undefined)

/** Gives turns. At the limit, whoever has most requests waiting loses the newest one. */
export class FairTurns {
  readonly #options: TurnOptions
  /** In the order of turns: a Map keeps the order of insertion. */
  readonly #addresses = new Map<string, Names>()
  #running = 0
  #waiting = 0

  constructor(options: TurnOptions) {
    this.#options = options
  }

  /** Runs work at its turn. @throws FerruleError `overloaded`; errors of the work */
  async run<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#options.atOnce) await this.#turn(asking)
    else this.#running += 1
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  /** Waits until other work ends. */
  #turn({ address, name }: Asking): Promise<void> {
    const { promise, resolve: start, reject: refuse } = Promise.withResolvers<void>()
    const names = this.#addresses.get(address) ?? new Map<string, Waiting[]>()
    this.#addresses.set(address, names)
    names.set(name, [...(names.get(name) ?? []), { start, refuse }])
    this.#waiting += 1
    if (this.#waiting > this.#options.waiting) this.#dropOne()
    return promise
  }

  #next(): void {
    const [address] = this.#addresses.keys()
    const names = address === undefined ? undefined : this.#addresses.get(address)
    const [name] = names?.keys() ?? []
    if (address === undefined || names === undefined || name === undefined) {
      this.#running -= 1
      return
    }
    const next = this.#take({ address, name }, 'shift')
    if (names.has(name)) moveToEnd(names, name)
    if (this.#addresses.has(address)) moveToEnd(this.#addresses, address)
    next?.start()
  }

  #dropOne(): void {
    const [address, names] = findLargest(this.#addresses, (each) => countWaiting(each[1])) ?? []
    const [name] = findLargest(names ?? [], (each) => each[1].length) ?? []
    if (address === undefined || name === undefined) return
    this.#take({ address, name }, 'pop')?.refuse(fail('overloaded', { reason: 'too many clients ask for tokens' }, { retryAfterMs: 1_000 }))
  }

  /** Removes the oldest or newest waiting request of a name. */
  #take({ address, name }: Asking, end: 'shift' | 'pop'): Waiting | undefined {
    const names = this.#addresses.get(address)
    const taken = names?.get(name)?.[end]()
    if (taken !== undefined) this.#waiting -= 1
    if (names?.get(name)?.length === 0) names.delete(name)
    if (names?.size === 0) this.#addresses.delete(address)
    return taken
  }
}

function moveToEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key)
  map.delete(key)
  if (value !== undefined) map.set(key, value)
}
