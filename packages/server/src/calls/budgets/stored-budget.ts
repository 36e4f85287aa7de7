/** A budget in the memory of one process. The calls of its long windows are kept in the database too, because they must survive the process. */
import { type Asker, type Budget, createMemoryBudget, type Level } from 'ferrule/engine'
import type { CountedCalls } from '../sql/vendor-budgets.ts'

/** A window of this length or longer must survive a restart, in seconds. */
const lastingSeconds = 3_600
/** Windows are longer by this factor, because the way to the vendor is not always equally long. */
export const windowSlack = 1.02
/** A window is stored in so many parts. All calls of a part count as sent with its last one. */
const windowParts = 96

/** Keeps the calls of long windows. Times are milliseconds since 1970. */
export interface CallStore {
  add(calls: CountedCalls & { readonly key: string; readonly part: number }): Promise<void>
  list(key: string, since: number): Promise<readonly CountedCalls[]>
  clock(): number
}

/** Returns whether a budget has windows that must survive a restart. */
export const isLasting = ({ limits: { rates = [] } }: Pick<Asker, 'limits'>): boolean =>
  rates.some(({ seconds }) => seconds >= lastingSeconds)

/** Reserves turns in memory. */
export class StoredBudget implements Budget {
  readonly #key: string
  readonly #memory: Budget
  readonly #longestMs: number
  readonly #store: CallStore
  #isRead = false
  #unstored = 0

  constructor({ key, limits }: Pick<Asker, 'key' | 'limits'>, store: CallStore) {
    const rates = (limits.rates ?? []).map(({ calls, seconds }) => ({ calls, seconds: seconds * windowSlack }))
    this.#key = key
    this.#memory = createMemoryBudget({ limits: { ...limits, rates } })
    this.#longestMs = Math.max(...rates.map(({ seconds }) => seconds * 1_000))
    this.#store = store
  }

  earliest(now: number): number {
    return this.#memory.earliest(now)
  }

  take(moment: number, caller?: object): void {
    this.#memory.take(moment, caller)
    this.#unstored += 1
  }

  count(now: number, caller?: object): void {
    this.#memory.count(now, caller)
    this.#unstored += 1
  }

  /** Checks the level of a bucket, which is not stored: the first answer reports it again. */
  get late(): Budget['late'] {
    return this.#memory.late?.bind(this.#memory)
  }

  giveBack(caller?: object): void {
    this.#memory.giveBack?.(caller)
  }

  observe(level: Level, now: number, caller?: object): void {
    this.#memory.observe?.(level, now, caller)
  }

  /** Reads the calls that were counted before this process. @returns undefined if they are known */
  prepare({ now }: { readonly now: number }): Promise<void> | undefined {
    if (this.#isRead) return undefined
    return this.#read(now)
  }

  /** Stores the calls that were counted since. @returns undefined if all are stored */
  store(): Promise<void> | undefined {
    if (this.#unstored === 0) return undefined
    const [calls, at] = [this.#unstored, Math.ceil(this.#store.clock())]
    this.#unstored = 0
    return this.#store.add({ key: this.#key, part: Math.floor((at * windowParts) / this.#longestMs), calls, at })
  }

  async #read(now: number): Promise<void> {
    const clock = this.#store.clock()
    const stored = await this.#store.list(this.#key, clock - this.#longestMs)
    if (this.#isRead) return
    this.#isRead = true
    for (const { calls, at } of stored)
      for (let call = 0; call < calls; call += 1) {
        this.#memory.take(now - Math.max(0, clock - at))
        this.#memory.giveBack?.() // it was sent
      }
  }
}
