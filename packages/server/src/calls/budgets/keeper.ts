/** Looks at the shared budgets in the database: for all keys of this node in groups, and for each key about twice a second at most. */
import type { Asker, Wish } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import { type BudgetHost, LeasedBudget } from './leased-budget.ts'
import { lookMs, shareBudget } from './share.ts'
import { SharedClock } from './shared-clock.ts'
import { readState, writeState } from './state.ts'

/** The stored state of one key. */
export interface StoredBudget {
  readonly key: string
  /** 0 if there is no row. */
  readonly version: number
  readonly state: string | undefined
}

/** A state to store, if the version is still that of the row. */
export interface BudgetChange {
  readonly key: string
  readonly version: number
  readonly state: string
  /** Time for the removal of unused rows. */
  readonly usedAt: number
}

/** Reads and stores budgets. */
export interface BudgetStore {
  /** Reads rows and the clock that all nodes share. */
  read(keys: readonly string[]): Promise<{ readonly now: number; readonly rows: ReadonlyMap<string, StoredBudget> }>
  /** Stores the states whose version is unchanged. @returns the keys that were stored */
  write(changes: readonly BudgetChange[]): Promise<ReadonlySet<string>>
}

/** Parts of a keeper. */
export interface KeeperParts {
  /** Name of this process, never used again. */
  readonly node: string
  readonly store: BudgetStore
  /** True if the database belongs to this process alone. */
  readonly isAlone: boolean
  readonly steady: () => number
  /** Runs something later. @returns a function that cancels it */
  readonly schedule: (milliseconds: number, run: () => void) => () => void
  /** Applies a vendor's wait that any node met, until the vendor accepted a call. @param until steady milliseconds; may be past */
  readonly onHold: (key: string, until: number) => void
  readonly onBackgroundError: (error: unknown) => void
}

/** Number of looks that can come earlier than usual, before their average is the usual time again. */
const earlyLooks = 2
/** Shortest time between two looks at a key, in milliseconds; the longer one after a look that brought no turn. */
const shortestMs = 20
const vainMs = 300
/** Pause after a look that failed, in milliseconds. */
const failedMs = 1_000
/** Calls wait this long for a look before they are refused, in milliseconds. */
const patienceMs = 3_000
/** Usual duration of a look, in milliseconds. */
const usualMs = 5
/** Longest time that storing is expected to take, in milliseconds. */
const longestDelayMs = 500
/** Keys of one look. */
const groupSize = 200
/** Attempts to store a key that another node changes too, and to measure the database's clock. */
const mostAttempts = 4

interface Entry {
  readonly budget: LeasedBudget
  dueAt: number
}

/** When a key was looked at. */
interface Looks {
  readonly last: number
  /** When the next look would come if all came in their average time. */
  readonly next: number
}

/** Keeps the shares of this node. */
export class LeaseKeeper implements BudgetHost {
  readonly #parts: KeeperParts
  readonly #clock: SharedClock
  /** Budgets in use. */
  readonly #entries = new Map<string, Entry>()
  readonly #looks = new WeakMap<LeasedBudget, Looks>()
  #waiters: (() => void)[] = []
  #cancel: (() => void) | undefined
  #armedFor = Number.POSITIVE_INFINITY
  #flight: { readonly since: number; readonly done: Promise<void> } | undefined
  #failedAt = Number.NEGATIVE_INFINITY
  /** Time that storing takes, in milliseconds. */
  #delayMs = 0
  #isClosed = false

  constructor(parts: KeeperParts) {
    this.#parts = parts
    this.#clock = new SharedClock(parts.isAlone ? Number.POSITIVE_INFINITY : undefined)
  }

  /** Number of keys that this node uses now. */
  get size(): number {
    return this.#entries.size
  }

  /** Opens the budget of a key. */
  open({ key, limits }: Pick<Asker, 'key' | 'limits'>): LeasedBudget {
    return this.#entries.get(key)?.budget ?? new LeasedBudget(key, limits, this)
  }

  /**
   * Waits until the database was asked for a budget of which nothing is known.
   * @returns undefined if no wait is needed
   */
  warm(budget: LeasedBudget, { now, latest, background = false }: Wish): Promise<void> | undefined {
    if (!budget.isCold(now) || this.#hasFailed(now)) return undefined
    if (this.#flight === undefined && this.#findSoonest(budget, now) > now) return undefined
    const end = budget.expect(background)
    this.want(budget, now)
    return new Promise<void>((resolve) => {
      const cancel = this.#parts.schedule(Math.min(patienceMs, latest - now), resolve)
      this.#waiters.push(() => {
        cancel()
        resolve()
      })
    }).then(end)
  }

  aheadMs(): number {
    return this.#clock.aheadMs ?? 0
  }

  keep(budget: LeasedBudget, now: number): void {
    if (!this.#entries.has(budget.key)) this.want(budget, now)
  }

  want(budget: LeasedBudget, now: number): number {
    const soonest = this.#findSoonest(budget, now)
    const entry = this.#entries.get(budget.key) ?? { budget, dueAt: soonest }
    this.#entries.set(budget.key, entry)
    entry.dueAt = Math.min(entry.dueAt, soonest)
    this.#arm(entry.dueAt, now)
    return Math.max(0, entry.dueAt - now) + usualMs
  }

  check(now: number): void {
    const isSlow = this.#flight !== undefined && now - this.#flight.since > patienceMs
    if (isSlow || this.#isClosed || this.#hasFailed(now))
      throw fail('unavailable', { reason: 'the database of vendor budgets does not answer' })
  }

  /** Gives all keys back. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel?.()
    await this.#flight?.done
    const entries = [...this.#entries.values()]
    for (let index = 0; index < entries.length; index += groupSize) await this.#lookSafely(entries.slice(index, index + groupSize))
  }

  /** Finds the time of the next look, if somebody waits for it. */
  #findSoonest(budget: LeasedBudget, now: number): number {
    const looks = this.#looks.get(budget)
    if (looks === undefined) return now
    const pause = this.#hasFailed(now) ? failedMs : budget.isCold(now) ? vainMs : shortestMs
    return Math.max(now, looks.last + pause, looks.next - earlyLooks * lookMs)
  }

  /** Returns whether the last look failed a short time ago. Later, calls wait for another look. */
  #hasFailed(now: number): boolean {
    return now - this.#failedAt < failedMs
  }

  /** Sets the timer for the next look, unless it comes earlier. */
  #arm(due: number, now: number): void {
    if (this.#flight !== undefined || this.#isClosed || due >= this.#armedFor) return
    this.#cancel?.()
    this.#armedFor = due
    this.#cancel = this.#parts.schedule(Math.max(0, due - now), () => this.#run())
  }

  #run(): void {
    this.#armedFor = Number.POSITIVE_INFINITY
    const since = this.#parts.steady()
    const due = [...this.#entries.values()].filter(({ dueAt }) => dueAt <= since + 1).slice(0, groupSize)
    const done = this.#lookSafely(due).then(() => {
      this.#flight = undefined
      let next = Number.POSITIVE_INFINITY
      for (const { dueAt } of this.#entries.values()) next = Math.min(next, dueAt)
      this.#arm(next, this.#parts.steady())
    })
    this.#flight = { since, done }
  }

  async #lookSafely(entries: readonly Entry[]): Promise<void> {
    const waiters = this.#waiters
    this.#waiters = []
    try {
      await this.#look(entries)
      this.#failedAt = Number.NEGATIVE_INFINITY
    } catch (error) {
      this.#failedAt = this.#parts.steady()
      this.#parts.onBackgroundError(error)
    }
    const now = this.#parts.steady()
    for (const entry of entries) this.#plan(entry, now)
    for (const resolve of waiters) resolve()
  }

  /** Plans the next look, or forgets a key that is in use no longer. */
  #plan(entry: Entry, now: number): void {
    const { budget } = entry
    this.#looks.set(budget, { last: now, next: Math.max(now, this.#looks.get(budget)?.next ?? now) + lookMs })
    if (budget.isInUse(now) || budget.isOwner) entry.dueAt = now + (this.#hasFailed(now) ? failedMs : lookMs)
    else this.#entries.delete(budget.key)
  }

  async #look(entries: readonly Entry[]): Promise<void> {
    let pending = entries
    for (let attempt = 0; attempt < mostAttempts && pending.length > 0; attempt += 1) pending = await this.#tryLook(pending)
  }

  /** @returns the entries that another node changed at the same time */
  async #tryLook(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const { store, steady } = this.#parts
    const rows = await this.#read(entries.map(({ budget }) => budget.key))
    const began = steady()
    const changes = entries.flatMap((entry) => this.#change(entry, rows.get(entry.budget.key)))
    const stored = await store.write(changes.map(({ change }) => change)).catch((error: unknown) => {
      for (const { entry } of changes) entry.budget.settle('unknown')
      throw error
    })
    if (changes.length > 0) this.#delayMs = Math.min(longestDelayMs, Math.max(steady() - began, (this.#delayMs + steady() - began) / 2))
    for (const { entry, ...outcome } of changes) entry.budget.settle(stored.has(entry.budget.key) ? outcome : 'kept')
    return changes.filter(({ entry }) => !stored.has(entry.budget.key)).map(({ entry }) => entry)
  }

  /** Reads rows; again while the clock of the database is unknown, since a busy machine slows one look only. */
  async #read(keys: readonly string[]): Promise<ReadonlyMap<string, StoredBudget>> {
    const { store, steady } = this.#parts
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const asked = steady()
      const { now: told, rows } = await store.read(keys)
      this.#clock.measure({ asked, told, answered: steady() })
      if (this.#clock.aheadMs !== undefined) return rows
    }
    throw fail('unavailable', { reason: 'the database answers too slowly' })
  }

  /** Computes what to store for a key; nothing if all stays as it is. */
  #change(entry: Entry, row: StoredBudget | undefined) {
    const { node, isAlone, steady, onHold } = this.#parts
    const { budget } = entry
    const now = steady()
    const sent = budget.report(now)
    const { state, share } = shareBudget(budget.limits, readState(row?.state), {
      ...sent,
      node,
      isAlone,
      delayMs: this.#delayMs,
      isLeaving: this.#isClosed || sent.isLeaving,
    })
    if (share.hold !== undefined) onHold(budget.key, share.hold - this.aheadMs())
    if (!this.#isClosed && budget.isSettled(now, share)) {
      budget.settle('kept')
      return []
    }
    const change = { key: budget.key, version: row?.version ?? 0, state: writeState(state), usedAt: Math.ceil(sent.now) }
    return [{ entry, sent, share, change }]
  }
}
