/** A limiter whose budgets nodes share through the database (docs/decisions/budgets.md). */
import { type Asker, createMemoryBudget, type Limiter, MemoryLimiter, type Reservation, type Turn, type Wish } from 'ferrule/engine'
import { type KeeperParts, LeaseKeeper } from './keeper.ts'
import { LeasedBudget } from './leased-budget.ts'

/** Key under which nodes count themselves while they send calls of unproven credentials. No budget's digest equals it. */
const strangersKey = 'strangers'
/** A window of this length or longer must survive a restart, in seconds. */
const lastingSeconds = 3_600

/** Returns whether the budget of a key is stored. A process alone with its database stores only what must survive it. */
const isStored = ({ limits: { rates = [] } }: Asker, isAlone: boolean): boolean =>
  !isAlone || rates.some(({ seconds }) => seconds >= lastingSeconds)

/** Keeps the rules of one process, with budgets of all nodes behind them. Only proven credentials reach those. */
export class SharedLimiter implements Limiter {
  readonly #memory: MemoryLimiter
  readonly #keeper: LeaseKeeper
  readonly #strangers: LeasedBudget
  readonly #isAlone: boolean
  readonly #steady: () => number

  constructor(parts: Omit<KeeperParts, 'onHold'>) {
    this.#isAlone = parts.isAlone
    this.#steady = parts.steady
    this.#keeper = new LeaseKeeper({ ...parts, onHold: (key, until) => this.#memory.hold(key, until, parts.steady()) })
    this.#strangers = new LeasedBudget(strangersKey, {}, this.#keeper)
    this.#memory = new MemoryLimiter({
      createBudget: (asker) => (isStored(asker, parts.isAlone) ? this.#keeper.open(asker) : createMemoryBudget(asker)),
      countStrangers: () => this.#strangers.nodes,
    })
  }

  /** Number of keys that this node uses now. */
  get size(): number {
    return this.#keeper.size
  }

  reserve(asker: Asker, wish: Wish): Reservation | Promise<Reservation> {
    if (this.#noteStranger(asker, wish.now)) return this.#memory.reserve(asker, wish)
    const budget = this.#memory.findBudget(asker)
    const warmed = budget instanceof LeasedBudget ? this.#keeper.warm(budget, wish) : undefined
    return warmed === undefined
      ? this.#memory.reserve(asker, wish)
      : warmed.then(() => this.#memory.reserve(asker, { ...wish, now: Math.max(wish.now, this.#steady()) }))
  }

  enter(turn: Turn, now: number): number {
    this.#noteStranger(turn.asker, now)
    return this.#memory.enter(turn, now)
  }

  giveBack(turn: Turn): void {
    this.#memory.giveBack(turn)
  }

  prove(turn: Turn, taken: boolean, now: number): void {
    this.#memory.prove(turn, taken, now)
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

  /** Gives all shares back. */
  close(): Promise<void> {
    return this.#keeper.close()
  }

  /** Counts this node among those that send calls of unproven credentials. @returns whether these are such */
  #noteStranger(asker: Asker, now: number): boolean {
    if (this.#memory.isProven(asker)) return false
    if (!this.#isAlone) this.#strangers.touch(now)
    return true
  }
}
