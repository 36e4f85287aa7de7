/** A limiter whose budgets are kept in the database too (docs/decisions/budgets.md). */
import {
  type Asker,
  type Budget,
  createMemoryBudget,
  type Limiter,
  MemoryLimiter,
  type Reservation,
  type Turn,
  type Wish,
} from 'ferrule/engine'
import { type CallStore, isLasting, StoredBudget } from './stored-budget.ts'
import { type DeskParts, TurnDesk, type TurnStore } from './turn-desk.ts'

/** Keeps the vendors' budgets. */
export interface VendorLimiter extends Limiter {
  /** Number of budgets that this node shares now. */
  readonly size: number
}

/** A budget with something in the database. */
interface KeptBudget extends Budget {
  /** Prepares the turn of a call. @returns undefined if no wait is needed */
  prepare(wish: Wish): Promise<void> | undefined
  /** Stores what was counted. @returns undefined if there is nothing */
  store?(): Promise<void> | undefined
}

/** Parts of a limiter. */
export interface LimiterParts extends Omit<DeskParts, 'hold' | 'store'> {
  /** Turns that nodes share, or the calls of a process alone with its database. */
  readonly store: TurnStore | CallStore
}

/** A node with calls of unproven credentials says so this often, in milliseconds. */
const strangerMs = 500

const isKept = (budget: Budget): budget is KeptBudget => 'prepare' in budget

/** Keeps the rules of one process, with the database behind them. Only proven credentials reach a budget there. */
export class KeptLimiter implements VendorLimiter {
  readonly #parts: LimiterParts
  readonly #memory: MemoryLimiter
  readonly #desk: TurnDesk | undefined
  #strangers = 1
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(parts: LimiterParts) {
    const { store } = parts
    const hold = (key: string, until: number) => this.#memory.hold(key, until, parts.steady())
    const openAlone = (asker: Asker) => ('take' in store || !isLasting(asker) ? createMemoryBudget(asker) : new StoredBudget(asker, store))
    const desk = 'take' in store ? new TurnDesk({ ...parts, store, hold }) : undefined
    this.#parts = parts
    this.#desk = desk
    this.#memory = new MemoryLimiter({
      createBudget: (asker) => desk?.open(asker) ?? openAlone(asker),
      countStrangers: () => this.#strangers,
    })
  }

  get size(): number {
    return this.#desk?.size ?? 0
  }

  reserve(asker: Asker, wish: Wish): Reservation | Promise<Reservation> {
    if (this.#noteStranger(asker, wish.now)) return this.#memory.reserve(asker, wish)
    const budget = this.#memory.findBudget(asker)
    return isKept(budget) ? this.#reserveKept(asker, wish, budget) : this.#memory.reserve(asker, wish)
  }

  enter(turn: Turn, now: number): number | Promise<number> {
    this.#noteStranger(turn.asker, now)
    const wait = this.#memory.enter(turn, now)
    return this.#store(turn)?.then(() => wait) ?? wait
  }

  giveBack(turn: Turn): void {
    this.#memory.giveBack(turn)
  }

  prove(turn: Turn, taken: boolean, now: number): void {
    this.#memory.prove(turn, taken, now)
    this.#store(turn)?.catch(this.#parts.onBackgroundError)
  }

  postpone(turn: Turn, until: number, now: number): void {
    this.#memory.postpone(turn, until, now)
  }

  refuse(turn: Turn, wait: { readonly first: number; readonly longest: number }, now: number): number {
    return this.#memory.refuse(turn, wait, now)
  }

  observe(turn: Turn, header: string, now: number): void {
    this.#memory.observe(turn, header, now)
  }

  /** Stores what is left to report. */
  async close(): Promise<void> {
    await this.#desk?.close()
  }

  async #reserveKept(asker: Asker, wish: Wish, budget: KeptBudget): Promise<Reservation> {
    await budget.prepare(wish)
    const reservation = this.#memory.reserve(asker, { ...wish, now: Math.max(wish.now, this.#parts.steady()) })
    await budget.store?.()
    return reservation
  }

  #store({ asker }: Turn): Promise<void> | undefined {
    const budget = this.#memory.findBudget(asker)
    return isKept(budget) ? budget.store?.() : undefined
  }

  /** Counts this node among those that send calls of unproven credentials. @returns whether these are such */
  #noteStranger(asker: Asker, now: number): boolean {
    if (this.#memory.isProven(asker)) return false
    const { store, onBackgroundError } = this.#parts
    if (!('take' in store) || now - this.#saidAt < strangerMs) return true
    this.#saidAt = now
    store.countStrangers().then((nodes) => {
      this.#strangers = nodes
    }, onBackgroundError)
    return true
  }
}
