/** Work that few may do at one time: those who ask take turns, so that many questions of one do not hold up the first of another. */
import { fail } from '../errors.ts'

/** Who asks. */
export interface Asking {
  /** Addresses take turns. */
  readonly address: string
  /** Within an address, the names that are asked about take turns. */
  readonly name: string
}

/** How much at one time, and how much may wait. */
export interface TurnOptions {
  readonly atOnce: number
  readonly waiting: number
}

interface Waiting {
  readonly start: () => void
  readonly refuse: (reason: Error) => void
}

type Names = Map<string, Waiting[]>

const sizeOf = (names: Names): number => [...names.values()].reduce((sum, { length }) => sum + length, 0)

/** The largest of some; undefined when there are none. */
const largest = <T>(all: Iterable<T>, size: (one: T) => number): T | undefined =>
  [...all].reduce<T | undefined>((most, one) => (most === undefined || size(one) > size(most) ? one : most), undefined)

/** Gives turns. When too many wait, who has most of them waiting loses the newest. */
export class FairTurns {
  readonly #options: TurnOptions
  /** In the order of their turns: a Map keeps the order of insertion. */
  readonly #addresses = new Map<string, Names>()
  #running = 0
  #waiting = 0

  constructor(options: TurnOptions) {
    this.#options = options
  }

  /** Does some work when its turn comes. @throws FerruleError `overloaded`; what the work throws */
  async run<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#options.atOnce) await this.#turn(asking)
    else this.#running += 1
    try {
      return await work()
    } finally {
      this.#next()
    }
  }

  /** Waits for the place of somebody who is done. */
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
    const [address, names] = largest(this.#addresses, (each) => sizeOf(each[1])) ?? []
    const [name] = largest(names ?? [], (each) => each[1].length) ?? []
    if (address === undefined || name === undefined) return
    this.#take({ address, name }, 'pop')?.refuse(fail('overloaded', { reason: 'too many clients ask for tokens' }, { retryAfterMs: 1_000 }))
  }

  /** Takes the oldest or the newest of a name out. */
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
