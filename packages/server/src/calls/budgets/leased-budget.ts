/** The budget of one key on this node: the node's share, and the calls that wait for it. Times are steady milliseconds unless named `shared`. */
import type { Budget } from 'ferrule/engine'
import { Lease } from './lease.ts'
import type { BudgetLimits } from './ledger.ts'
import { type ObservedLevel, readTolerance } from './ledger-parts.ts'
import { computePace, type Pace } from './pace.ts'
import { type Look, lookMs, type Share, slack } from './share.ts'
import type { Slot } from './state.ts'

/** What a budget needs from its node. */
export interface BudgetHost {
  /** Steps from the steady clock to the database's, in milliseconds. */
  aheadMs(): number
  /** Looks at the database from time to time, as long as the budget is in use. */
  keep(budget: LeasedBudget, now: number): void
  /** Asks for a look as soon as possible. @returns milliseconds until its probable answer */
  want(budget: LeasedBudget, now: number): number
  /** Throws while the database does not answer. @throws FerruleError `unavailable` */
  check(now: number): void
}

/** A background call that asks again counts as a wish for this long after its time, in milliseconds. */
const graceMs = 20
/** A node that did not use its key for this long gives it back, in milliseconds. */
export const idleMs = 1_000
/** A node that used so many planned turns between two looks is busy. */
const busyCalls = 2
/** A turn further ahead than this is known without another look, in milliseconds. */
const farMs = 5_000
/** Maximum number of background calls that count as wishes. */
const mostMisses = 100

/** What a budget reports with a look. */
type Report = Omit<Look, 'node' | 'isAlone' | 'delayMs'>

/** Turns are given in the order of asking, by the node's ownership or by its planned turns. */
export class LeasedBudget implements Budget {
  readonly key: string
  readonly limits: BudgetLimits
  readonly #host: BudgetHost
  readonly #toleranceMs: number
  readonly #pace: Pace
  readonly #waiting = new Set<object>()
  #misses: number[] = []
  /** Background calls that wait for a look. */
  #expecting = 0
  /** Planned turns that were used since the last look. */
  #used = 0
  #lease: Lease | undefined
  #slots: Slot[] = []
  #lastSlot = 0
  #next = Number.NEGATIVE_INFINITY
  #nodes = 1
  /** True while the ledger is being stored: a call that is sent meanwhile would be missing in it. */
  #isStoring = false
  #usedAt = Number.NEGATIVE_INFINITY
  /** True for a vendor without limits that are known in advance: only its waits are shared. */
  readonly #isFree: boolean
  #counts = 0
  #unused = 0
  #level: ObservedLevel | undefined
  #holdUntil: number | undefined
  #isAccepted = false

  constructor(key: string, limits: BudgetLimits, host: BudgetHost) {
    this.key = key
    this.limits = limits
    this.#host = host
    this.#toleranceMs = readTolerance(limits, slack)
    this.#pace = computePace(limits)
    this.#isFree = this.#pace.intervalMs === 0
  }

  earliest(now: number): number {
    this.touch(now)
    if (this.#isFree) return now
    const at = this.#timeOf(this.#waiting.size, this.#toShared(now))
    return at === undefined ? now + this.#estimate(now) : Math.max(now, now + at - this.#toShared(now))
  }

  take(_moment: number, caller: object = {}): void {
    this.#waiting.add(caller)
  }

  giveBack(caller: object = {}): void {
    this.#waiting.delete(caller)
  }

  late(now: number, caller: object = {}): number {
    this.touch(now)
    if (this.#isFree) {
      this.#waiting.delete(caller)
      return 0
    }
    const shared = this.#toShared(now)
    const at = this.#timeOf(this.#findPlace(caller), shared)
    if (at === undefined) return this.#estimate(now, this.#findPlace(caller))
    if (at > shared) return Math.max(1, at - shared)
    this.#use(shared)
    this.#waiting.delete(caller)
    return 0
  }

  count(now: number): void {
    this.#usedAt = now
    const lease = this.#findLease(this.#toShared(now))
    if (lease === undefined || this.#isStoring) this.#counts += 1
    else lease.take(lease.earliest(this.#toShared(now)))
    this.#host.want(this, now)
  }

  miss(moment: number): void {
    if (this.#misses.length >= mostMisses) this.#misses.shift()
    this.#misses.push(moment)
  }

  observe(header: string, now: number): void {
    const [, used = '', size = ''] = /^\s*(\d{1,6})\s*\/\s*(\d{1,6})\s*$/.exec(header) ?? []
    if (Number(size) === 0) return
    const level = { used: Number(used), size: Number(size) }
    const shared = this.#toShared(now)
    const lease = this.#findLease(shared)
    if (lease === undefined || this.#isStoring) this.#level = level
    else lease.observe(level, shared)
  }

  hold(until: number): void {
    this.#holdUntil = until
    this.#host.want(this, this.#usedAt)
  }

  accept(): void {
    this.#isAccepted = true
    this.#host.want(this, this.#usedAt)
  }

  /** Notes that the key is in use. */
  touch(now: number): void {
    this.#usedAt = now
    this.#host.keep(this, now)
  }

  /** Counts a call as a wish while it waits for a look. @returns a function that ends this */
  expect(background: boolean): () => void {
    const call = {}
    if (background) this.#expecting += 1
    else this.#waiting.add(call)
    return () => {
      if (background) this.#expecting -= 1
      this.#waiting.delete(call)
    }
  }

  /** Returns the number of nodes that use the key, as far as known. */
  get nodes(): number {
    return this.#nodes
  }

  /** Returns whether nothing is known that would give a call its turn. */
  isCold(now: number): boolean {
    const shared = this.#toShared(now)
    return !this.#isFree && this.#findLease(shared) === undefined && this.#next <= shared + farMs && this.#findSlots(shared).length === 0
  }

  /** Returns whether the node has a reason to look at the database again. */
  isInUse(now: number): boolean {
    return this.#countWishes(now) > 0 || this.#hasNews() || now - this.#usedAt < idleMs
  }

  /** Returns whether the node owns the key, which it gives back when it is idle. */
  get isOwner(): boolean {
    return this.#lease !== undefined
  }

  /** Returns whether a look would change nothing: nobody else asks, and the ownership lasts. */
  isSettled(now: number, share: Share): boolean {
    const shared = this.#toShared(now)
    const lease = this.#findLease(shared + lookMs)
    if (lease === undefined || share.lease === undefined || share.nodes > 1 || this.#hasNews()) return false
    return lease.isFresh && 2 * (lease.until - shared) > share.lease.until - shared
  }

  /** Begins to store the ledger. No call is sent before `settle`. */
  report(now: number): Report {
    const shared = this.#toShared(now)
    this.#findSlots(shared)
    const isLeaving = !this.isInUse(now)
    const wishes = this.#countWishes(now)
    this.#isStoring = true
    return {
      now: shared,
      urgent: this.#waiting.size,
      calm: wishes - this.#waiting.size,
      isBusy: this.isOwner || this.#used >= busyCalls || wishes > 0,
      ledger: this.#lease?.store(),
      counts: this.#counts,
      unused: this.#unused,
      level: this.#level,
      holdUntil: this.#holdUntil === undefined ? undefined : this.#toShared(this.#holdUntil),
      isAccepted: this.#isAccepted,
      isLeaving,
    }
  }

  /**
   * Ends a look.
   * @param outcome the share, if it was stored; `kept` if nothing was stored; `unknown` if the outcome is unknown, which ends the ownership
   */
  settle(outcome: { readonly sent: Report; readonly share: Share } | 'kept' | 'unknown'): void {
    this.#isStoring = false
    if (outcome === 'kept') return
    this.#unused = 0 // counted twice, it would allow a call too many
    this.#lease = undefined
    if (outcome === 'unknown') return
    this.#used = 0
    const { sent, share } = outcome
    this.#counts -= sent.counts
    if (this.#level === sent.level) this.#level = undefined
    if (sent.holdUntil !== undefined) this.#holdUntil = undefined
    if (sent.isAccepted) this.#isAccepted = false
    this.#read(share)
  }

  #read({ lease, slots, lastSlot, next, nodes }: Share): void {
    this.#lease = lease === undefined ? undefined : new Lease(this.limits, lease)
    const seen = this.#lastSlot > lastSlot ? 0 : this.#lastSlot // a smaller number comes from a new state
    this.#slots.push(...slots.filter(({ id }) => id > seen))
    this.#lastSlot = lastSlot
    this.#next = next
    this.#nodes = nodes
  }

  /** Counts the calls that want a turn soon. */
  #countWishes(now: number): number {
    this.#misses = this.#misses.filter((moment) => moment + graceMs >= now && moment <= now + farMs)
    return this.#waiting.size + this.#expecting + this.#misses.length
  }

  #hasNews(): boolean {
    return this.#counts > 0 || this.#holdUntil !== undefined || this.#isAccepted
  }

  #toShared(now: number): number {
    return now + this.#host.aheadMs()
  }

  #findPlace(caller: object): number {
    let place = 0
    for (const each of this.#waiting) {
      if (each === caller) return place
      place += 1
    }
    return place
  }

  #findLease(shared: number): Lease | undefined {
    return this.#lease?.isValid(shared) ? this.#lease : undefined
  }

  /** Returns the turns that can still be used. One far ahead comes from a clock that stepped back. */
  #findSlots(shared: number): readonly Slot[] {
    const usable = this.#slots.filter(({ at }) => at + this.#toleranceMs >= shared && at <= shared + farMs)
    this.#unused += this.#slots.length - usable.length
    this.#slots = usable
    return usable
  }

  /** Computes when the call at a place has its turn; undefined if a look must come first. */
  #timeOf(place: number, shared: number): number | undefined {
    const slots = this.#findSlots(shared)
    const slot = slots[place]
    if (slot !== undefined) return Math.max(slot.at, shared)
    const behind = place - slots.length
    const lease = this.#findLease(shared)
    if (lease !== undefined && !this.#isStoring && lease.hasRoom(behind)) return lease.earliest(shared, behind)
    return this.#next > shared + farMs ? this.#next + behind * this.#pace.intervalMs : undefined
  }

  /** Uses the first turn. */
  #use(shared: number): void {
    const [slot] = this.#slots
    if (slot !== undefined && slot.at <= shared) {
      this.#slots.shift()
      this.#used += 1
      return
    }
    const lease = this.#findLease(shared)
    if (lease === undefined) throw new Error('no turn is due')
    lease.take(shared)
  }

  /** Estimates the wait of a call whose turn a look must bring. */
  #estimate(now: number, place = this.#waiting.size): number {
    this.#host.check(now)
    const behind = place - this.#slots.length - this.#pace.atOnce
    return this.#host.want(this, now) + Math.max(0, behind) * this.#pace.intervalMs
  }
}
