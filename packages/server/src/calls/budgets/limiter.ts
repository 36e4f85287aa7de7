/** A limiter whose budgets are kept in the database too (docs/decisions/budgets.md). */
import { randomUUID } from 'node:crypto'
import type { FerruleError } from 'ferrule'
import {
  type Asker,
  type Budget,
  createMemoryBudget,
  type Level,
  type Limiter,
  MemoryLimiter,
  type Reservation,
  type Turn,
  type Wish,
} from 'ferrule/engine'
import { BoundedMap, fail } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import * as sql from '../sql/vendor-budgets.ts'
import { type BudgetHost, SharedBudget } from './shared-budget.ts'
import { type CallStore, isLasting, StoredBudget } from './stored-budget.ts'

interface TurnStore {
  /** Gives turns of several keys, each of which is named once. */
  take(asks: readonly sql.BudgetAsk[]): Promise<readonly sql.BudgetAnswer[]>
  /** Counts this node among those with calls of unproven credentials. @returns their number */
  countStrangers(): Promise<number>
}

interface DeskParts {
  readonly store: TurnStore
  readonly steady: () => number
  /** Runs something later. @returns a function that cancels it */
  readonly schedule: (milliseconds: number, run: () => void) => () => void
  readonly hold: BudgetHost['hold']
  readonly onBackgroundError: (error: unknown) => void
}

/** Maximum number of budgets; the least recently used goes first. */
const mostBudgets = 10_000
/**
 * Calls wait this long for a database that fails, in milliseconds. A statement under way is waited for: a busy machine answers late, and
 * the connection ends what hangs.
 */
const patienceMs = 3_000
/** Pause after a statement that failed, in milliseconds. */
const failedMs = 500
const mostKeys = 200
/** Longest time that a statement is expected to take, in milliseconds. */
const longestDelayMs = 500
/** While an answer is due, a call without a turn looks again after this part of the time so far, within these limits in milliseconds. */
const lookShare = 1 / 8
const [soonestLookMs, latestLookMs] = [5, 250]

/** A call that waits for the answer of the next statement. */
interface Waiter {
  readonly since: number
  readonly resolve: () => void
  readonly reject: (error: FerruleError) => void
}

/** Keeps the budgets of this node. */
export class TurnDesk implements BudgetHost {
  readonly #parts: DeskParts
  readonly #budgets = new BoundedMap<string, SharedBudget>(mostBudgets)
  readonly #due = new Map<SharedBudget, number>()
  /** Lets calls continue that wait for the answer of the next statement. */
  readonly #waiters = new Map<SharedBudget, Set<Waiter>>()
  #cancel: (() => void) | undefined
  #armedFor = Number.POSITIVE_INFINITY
  #flight: Promise<void> | undefined
  /** Since when the database owes an answer. */
  #owedSince: number | undefined
  /** True if the last statement failed. */
  #isFailing = false
  /** Time that a statement takes, in milliseconds. */
  #delayMs = 0
  #isClosed = false

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  open(asker: Pick<Asker, 'key' | 'limits'>): SharedBudget {
    return this.#budgets.take(asker.key, () => new SharedBudget(asker, this))
  }

  /** Number of keys that this node uses now. */
  get size(): number {
    const now = this.#parts.steady()
    return this.#budgets
      .values()
      .filter((budget) => budget.isInUse(now))
      .toArray().length
  }

  hold(key: string, until: number): void {
    this.#parts.hold(key, until)
  }

  lookAgain(now: number): number {
    const owedMs = this.#owedSince === undefined ? 0 : now - this.#owedSince
    if (this.#isClosed || (this.#isFailing && owedMs > patienceMs)) throw unreachable()
    return Math.min(latestLookMs, Math.max(soonestLookMs, owedMs * lookShare))
  }

  want(budget: SharedBudget, now: number): void {
    const due = budget.wantsAt(now)
    if (due === undefined || this.#isClosed) return
    this.#due.set(budget, due)
    this.#arm(due, now)
  }

  async ask(budget: SharedBudget, latest: number): Promise<void> {
    const { steady, schedule } = this.#parts
    const now = steady()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const cancel = schedule(Math.max(0, latest - now), () => reject(unreachable()))
    this.#waiters.set(budget, (this.#waiters.get(budget) ?? new Set()).add({ since: now, resolve, reject }))
    this.want(budget, now)
    await promise.finally(cancel)
  }

  /** Stores what is left to report, with one try. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    await this.#flight
    const left = new Set([...this.#due.keys()].filter(({ hasNews }) => hasNews))
    while (left.size > 0) {
      const taken = this.#takeDue((budget) => left.has(budget))
      for (const budget of taken) left.delete(budget)
      await this.#flySafely(taken)
    }
    for (const waiters of this.#waiters.values()) for (const { reject } of waiters) reject(unreachable())
    this.#waiters.clear()
  }

  /**
   * Takes the budgets of a statement. It names a key once: a budget that was dropped for others and opened again is there twice, and one
   * of both waits for the next statement.
   */
  #takeDue(isMeant: (budget: SharedBudget, at: number) => boolean): readonly SharedBudget[] {
    const meant = [...this.#due].flatMap(([budget, at]) => (isMeant(budget, at) ? [[budget.key, budget] as const] : []))
    const taken = [...new Map(meant).values()].slice(0, mostKeys)
    for (const budget of taken) this.#due.delete(budget)
    return taken
  }

  /** Starts a statement, or the timer of the next one. While one is under way, others wait and go together. */
  #arm(due: number, now: number): void {
    if (this.#flight !== undefined || this.#isClosed || due >= this.#armedFor) return
    this.#cancel?.()
    this.#cancel = undefined
    if (due <= now) this.#run()
    else {
      this.#armedFor = due
      this.#cancel = this.#parts.schedule(due - now, () => this.#run())
    }
  }

  #run(): void {
    this.#armedFor = Number.POSITIVE_INFINITY
    const now = this.#parts.steady()
    const due = this.#takeDue((_budget, at) => at <= now + 1)
    this.#flight = this.#flySafely(due).then(() => {
      this.#flight = undefined
      this.#arm(Math.min(...this.#due.values()), this.#parts.steady())
    })
  }

  async #flySafely(budgets: readonly SharedBudget[]): Promise<void> {
    const { steady, onBackgroundError } = this.#parts
    const waiting = budgets.map((budget) => this.#takeWaiters(budget))
    try {
      await this.#fly(budgets)
      this.#owedSince = undefined
      this.#isFailing = false
      for (const { resolve } of waiting.flatMap((each) => [...each])) resolve()
      for (const budget of budgets) {
        const now = steady()
        this.want(budget, now)
        // Calls that came meanwhile do not wait for a question that is far ahead.
        if ((this.#due.get(budget) ?? Number.POSITIVE_INFINITY) > now) for (const { resolve } of this.#takeWaiters(budget)) resolve()
      }
    } catch (error) {
      onBackgroundError(error)
      this.#isFailing = true
      budgets.forEach((budget, index) => {
        budget.keep()
        this.#keepPatient(budget, [...(waiting[index] ?? []), ...this.#takeWaiters(budget)])
        if (budget.wantsAt(steady()) !== undefined) this.#due.set(budget, steady() + failedMs)
      })
      if (this.#due.size === 0) this.#owedSince = undefined
    }
  }

  /** Keeps waiters for another try, except those that have waited long enough. */
  #keepPatient(budget: SharedBudget, waiters: readonly Waiter[]): void {
    const now = this.#parts.steady()
    const { kept = [], refused = [] } = Object.groupBy(waiters, ({ since }) => (now - since < patienceMs ? 'kept' : 'refused'))
    if (kept.length > 0) this.#waiters.set(budget, new Set(kept))
    for (const { reject } of refused) reject(unreachable())
  }

  #takeWaiters(budget: SharedBudget): ReadonlySet<Waiter> {
    const waiters = this.#waiters.get(budget) ?? new Set()
    this.#waiters.delete(budget)
    return waiters
  }

  async #fly(budgets: readonly SharedBudget[]): Promise<void> {
    const { steady, store } = this.#parts
    const asked = steady()
    this.#owedSince ??= asked
    const asks = budgets.map((budget) => [budget, budget.ask(asked, 2 * this.#delayMs)] as const)
    const answers = new Map((await store.take(asks.map(([, ask]) => ask))).map((answer) => [answer.key, answer]))
    const answered = steady()
    this.#delayMs = Math.min(longestDelayMs, Math.max(answered - asked, (7 * this.#delayMs + answered - asked) / 8))
    for (const [budget, ask] of asks) {
      const answer = answers.get(ask.key)
      if (answer !== undefined) budget.settle(ask, answer, { asked, answered })
    }
  }
}

const unreachable = () => fail('unavailable', { reason: 'the database of vendor budgets does not answer' })

/** Keeps the vendors' budgets. */
export interface VendorLimiter extends Limiter {
  /** Number of budgets that this node shares now. */
  readonly size: number
}

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

  observe(turn: Turn, level: Level, now: number): void {
    this.#memory.observe(turn, level, now)
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

/** Unused budgets are kept this long, in milliseconds: longer than the longest window of any vendor. */
const keptMs = 2 * 86_400_000

interface StoreParts extends Pick<Parts, 'database'> {
  readonly source: Pick<Parts['source'], 'clock'>
  /** True if times are those of `source.clock`, which a test moves; else PostgreSQL's own clock counts. */
  readonly isClockGiven: boolean
}

interface BudgetParts extends StoreParts, Pick<Parts, 'steady' | 'onBackgroundError'> {}

/** The budgets of this node. */
export interface VendorBudgets {
  readonly limiter: KeptLimiter
  purgeExpired(now: number): Promise<number>
}

/** Opens the budgets. */
export function createVendorBudgets(parts: BudgetParts): VendorBudgets {
  const { database, steady, onBackgroundError } = parts
  const limiter = new KeptLimiter({ store: createBudgetStore(parts), steady, schedule: scheduleTimer, onBackgroundError })
  return { limiter, purgeExpired: (now) => sql.deleteUnusedBudgets(database.db, now - keptMs) }
}

/** Builds the store of one node. The embedded database's clock is that of the platform, which continues after a restart. */
export function createBudgetStore({ database: { db, dialect }, source, isClockGiven }: StoreParts): LimiterParts['store'] {
  if (dialect === 'sqlite')
    return { add: (calls) => sql.countCalls(db, calls), list: (key, since) => sql.listCalls(db, key, since), clock: source.clock }
  const node = randomUUID()
  const now = () => (isClockGiven ? source.clock() : null)
  return { take: (asks) => sql.takeTurns(db, asks, now()), countStrangers: () => sql.countStrangers(db, { node, now: now() }) }
}

/** A timer keeps no process alive. */
function scheduleTimer(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds).unref()
  return () => clearTimeout(timer)
}
