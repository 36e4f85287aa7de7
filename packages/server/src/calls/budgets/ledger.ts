/** What is known of the calls that a vendor counts: the state behind one budget. Pure; times are those of the clock that nodes share. */
import type { Limits } from 'ferrule/definition'
import { LeakyLevel, type LedgerPart, type ObservedLevel, openWindow } from './ledger-parts.ts'

/** The vendor's limits of a budget. */
export type BudgetLimits = Pick<Limits, 'rates' | 'bucket'>

/** State by the name of the limit. A limit that changed has another name and starts empty. */
export type LedgerState = Readonly<Record<string, readonly number[]>>

/** Times further ahead than this come from a clock that stepped back, in milliseconds. */
const longestAheadMs = 3_000

/** Counts calls against all limits of a budget. */
export class Ledger {
  readonly #limits: BudgetLimits
  readonly #parts: ReadonlyMap<string, LedgerPart>
  readonly #level: LeakyLevel | undefined

  constructor(limits: BudgetLimits, state: LedgerState = {}, now = 0) {
    const { rates = [], bucket } = limits
    const latest = now + longestAheadMs
    this.#limits = limits
    this.#level = bucket === undefined ? undefined : new LeakyLevel(bucket, state['level'] ?? [], latest)
    const windows = rates.map((rate): [string, LedgerPart] => {
      const name = `${rate.calls}/${rate.seconds}`
      return [name, openWindow(rate, state[name] ?? [], latest)]
    })
    this.#parts = new Map([...windows, ...(this.#level === undefined ? [] : [['level', this.#level] as const])])
  }

  /** Computes the earliest time of one more call. */
  earliest(now: number, slack = 0): number {
    let [before, latest] = [Number.NaN, now]
    // A limit can move the time into a later part of another one.
    while (latest !== before) {
      before = latest
      for (const part of this.#parts.values()) latest = Math.max(latest, part.earliest(latest, slack))
    }
    return latest
  }

  /** Counts calls at a time. */
  take(at: number, calls = 1): void {
    for (let count = 0; count < calls; count += 1) for (const part of this.#parts.values()) part.take(at)
  }

  /** Takes back turns that passed unused. */
  refund(calls: number): void {
    if (calls > 0) for (const part of this.#parts.values()) part.refund(calls)
  }

  /** Reads a level that the vendor reported. */
  observe(level: ObservedLevel, now: number): void {
    this.#level?.observe(level, now)
  }

  /** Computes how many calls fit into a duration at most. */
  capacity(durationMs: number): number {
    return Math.min(...[...this.#parts.values()].map((part) => part.capacity(durationMs)))
  }

  /** Returns the state as JSON. */
  store(): LedgerState {
    return Object.fromEntries([...this.#parts].map(([name, part]) => [name, [...part.store()]]))
  }

  /** Copies the ledger, to look ahead. */
  copy(): Ledger {
    return new Ledger(this.#limits, this.store(), Number.MAX_SAFE_INTEGER - longestAheadMs)
  }
}
