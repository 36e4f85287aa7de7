/** Vendor budgets in the memory of this process. */
import type { Limits, Rate } from '../../definition/connector.ts'
import { BoundedMap } from '../../values/bounded-map.ts'
import { BucketAndWindows } from './bucket.ts'
import type { Asker, Budget, Level, Limiter, Reservation, Turn, Wish } from './limits.ts'
import { Windows } from './windows.ts'

/** Time between two calls, in milliseconds. */
const interval = 1_000

interface Credential {
  /** True if the vendor accepted them before. */
  isProven: boolean
  /** True if the vendor refused them, and has not accepted them since. */
  isRefused: boolean
  /** The vendor asked these credentials alone to wait until this time. */
  notBefore: number
  /** Number of refusals in a row without a wait. */
  refusals: number
}

/** Alternates between credentials, so that many calls with one wrong secret do not delay another's first call. */
class Unproven {
  readonly #windows: Windows
  readonly #countStrangers: () => number
  /** Time of the last call. */
  #last = Number.NEGATIVE_INFINITY
  /** Number of waiting calls by credentials; the first in the Map is next. */
  readonly #waiting = new Map<Credential, number>()

  /**
   * @param rates the vendor's rates, which also apply to these calls
   * @param countStrangers returns how many processes share the one call per second
   */
  constructor(rates: readonly Rate[], countStrangers: () => number) {
    this.#windows = new Windows(rates)
    this.#countStrangers = countStrangers
  }

  /** Computes the milliseconds until one more call of the credentials could be sent. */
  waitFor(credential: Credential, now: number): number {
    const own = this.#waiting.get(credential) ?? 0
    let before = own
    for (const [other, calls] of this.#waiting) if (other !== credential) before += Math.min(calls, own + 1)
    return Math.max(credential.notBefore, this.#earliest(now) + before * this.#interval) - now
  }

  /** Adds a waiting call of the credentials. */
  join(credential: Credential): void {
    this.#waiting.set(credential, (this.#waiting.get(credential) ?? 0) + 1)
  }

  leave(credential: Credential): void {
    const calls = (this.#waiting.get(credential) ?? 0) - 1
    if (calls > 0) this.#waiting.set(credential, calls)
    else this.#waiting.delete(credential)
  }

  /** Starts a call of the credentials if it is their turn. @returns true if the call is to be sent now and no longer waits */
  enter(credential: Credential, now: number): boolean {
    if (this.#earliest(now) > now || this.#next(now) !== credential) return false
    this.#windows.take(now)
    this.#last = now
    const calls = this.#waiting.get(credential) ?? 0
    this.#waiting.delete(credential) // goes to the end of the Map
    if (calls > 1) this.#waiting.set(credential, calls - 1)
    return true
  }

  get #interval(): number {
    return interval * Math.max(1, this.#countStrangers())
  }

  #earliest(now: number): number {
    return Math.max(this.#windows.earliest(now), this.#last + this.#interval)
  }

  #next(now: number): Credential | undefined {
    for (const credential of this.#waiting.keys()) if (credential.notBefore <= now) return credential
    return undefined
  }
}

/** Maximum number of budgets, and of credentials; the least recently used goes first. */
const maxKept = 10_000
/** Longest wait on a vendor's request, in milliseconds. Then one call tests whether the wait still applies. */
const longestWait = 900_000
/** Interval of checks while another call's answer decides, in milliseconds. */
const lookAgain = 100
/** The same for refused credentials, whose next answer is probably also a refusal. */
const lookSeldom = 500

/** The state that the calls with one key share. */
interface Share {
  readonly budget: Budget
  readonly rates: NonNullable<Limits['rates']>
  /** Calls of unproven credentials; made on first use. */
  unproven: Unproven | undefined
  /** The vendor asked to wait until this time. */
  notBefore: number
  /** Number of refusals in a row without a wait. */
  refusals: number
  /** True if the vendor asked to wait and has accepted no call since. */
  isDoubted: boolean
  /** The one call that tests whether the vendor still asks to wait. */
  probe: MemoryTurn | undefined
}

/** Replaces what a limiter does by itself. */
export interface MemoryLimiterOptions {
  /** Creates the budget of a key; by default in the memory of this process. */
  readonly createBudget?: (asker: Asker) => Budget
  /** Returns how many processes send calls of unproven credentials. Each takes its part of the one call per second; 1 by default. */
  readonly countStrangers?: () => number
}

/** Creates a budget in the memory of this process. */
export const createMemoryBudget = ({ limits: { rates = [], bucket } }: Pick<Asker, 'limits'>): Budget =>
  bucket === undefined ? new Windows(rates) : new BucketAndWindows(bucket, new Windows(rates))

const createShare = ({ rates = [] }: Limits, budget: Budget): Share => ({
  budget,
  rates,
  unproven: undefined,
  notBefore: Number.NEGATIVE_INFINITY,
  refusals: 0,
  isDoubted: false,
  probe: undefined,
})

const createCredential = (): Credential => ({ isProven: false, isRefused: false, notBefore: Number.NEGATIVE_INFINITY, refusals: 0 })

/** A turn in a budget: `shared`; `unproven` for credentials that share one call per second; `missed` after its time passed unused. */
class MemoryTurn implements Turn {
  readonly asker: Asker
  readonly share: Share
  readonly credential: Credential
  standing: 'shared' | 'missed' | 'unproven'
  state: 'waiting' | 'sent' | 'over' = 'waiting'

  constructor(asker: Asker, { share, credential }: { readonly share: Share; readonly credential: Credential }) {
    this.asker = asker
    this.share = share
    this.credential = credential
    this.standing = credential.isProven ? 'shared' : 'unproven'
  }
}

/**
 * Budgets of this process. Proven credentials reserve turns in the order of requests, so the wait is known at once: a call that cannot meet
 * its deadline is refused early. After a wait that the vendor asked for, one call goes first, and the others follow when the vendor accepts
 * it.
 */
export class MemoryLimiter implements Limiter {
  readonly #shares = new BoundedMap<string, Share>(maxKept)
  readonly #credentials = new BoundedMap<string, Credential>(maxKept)
  readonly #createBudget: (asker: Asker) => Budget
  readonly #countStrangers: () => number

  constructor({ createBudget = createMemoryBudget, countStrangers = () => 1 }: MemoryLimiterOptions = {}) {
    this.#createBudget = createBudget
    this.#countStrangers = countStrangers
  }

  /** Returns whether the asker shares the budget of its key. */
  isProven(asker: Asker): boolean {
    return this.#findCredential(asker).isProven
  }

  findBudget(asker: Asker): Budget {
    return this.#findShare(asker).budget
  }

  /** Applies a vendor's wait that another process met. The key's next call tests whether it still applies. */
  hold(key: string, until: number, now: number): void {
    const share = this.#shares.get(key)
    if (share === undefined || until <= share.notBefore) return
    share.notBefore = Math.min(until, now + longestWait)
    share.isDoubted = true
    share.probe = undefined
  }

  reserve(asker: Asker, { now, latest, background = false }: Wish): Reservation {
    const turn = this.#createTurn(asker)
    const { share, credential } = turn
    const wait = credential.isProven ? this.#computeWait(share, now) : this.#openUnproven(share).waitFor(credential, now)
    const isTooLate = now + wait > latest && !isOpen(credential, latest)
    if (isTooLate || (background && wait > 0)) {
      if (background && credential.isProven) share.budget.miss?.(now + wait)
      return { turn: undefined, wait }
    }
    if (credential.isProven) {
      share.budget.take(now + wait, turn)
      return { turn, wait }
    }
    this.#openUnproven(share).join(credential)
    return { turn, wait: Math.min(wait, lookAgain) } // the credentials may be proven earlier
  }

  enter(given: Turn, now: number): number {
    const turn = toMemoryTurn(given)
    const { share, credential } = turn
    if (turn.standing === 'unproven') {
      if (!credential.isProven) return this.#enterUnproven(turn, now)
      this.#openUnproven(share).leave(credential)
      turn.standing = 'missed'
      if (share.budget.late !== undefined) share.budget.take(now, turn)
    }
    const wait = enterShared(turn, now)
    if (wait === 0) turn.state = 'sent'
    return wait
  }

  giveBack(given: Turn): void {
    const turn = toMemoryTurn(given)
    const { share, credential } = turn
    if (turn.state === 'waiting' && turn.standing === 'unproven') this.#openUnproven(share).leave(credential)
    else if (turn.state === 'waiting') share.budget.giveBack?.(turn)
    turn.state = 'over'
    if (share.probe === turn) share.probe = undefined
  }

  prove(given: Turn, taken: boolean, now: number): void {
    const turn = toMemoryTurn(given)
    const { share, credential } = turn
    credential.isProven = taken
    credential.isRefused = !taken
    if (!taken) return
    if (turn.standing === 'unproven') share.budget.count(now, turn) // the vendor counted it
    turn.standing = 'shared'
    share.refusals = 0
    if (share.probe !== turn) return
    share.probe = undefined
    share.isDoubted = false
    share.budget.accept?.()
  }

  postpone(given: Turn, until: number, now: number): void {
    const turn = toMemoryTurn(given)
    const held = this.#heldBy(turn)
    held.notBefore = Math.max(held.notBefore, Math.min(until, now + longestWait))
    if (held === turn.share) turn.share.budget.hold?.(held.notBefore)
  }

  refuse(given: Turn, { first, longest }: { readonly first: number; readonly longest: number }, now: number): number {
    const turn = toMemoryTurn(given)
    const held = this.#heldBy(turn)
    if (now >= held.notBefore) {
      held.notBefore = now + Math.min(longest * 1_000, first * 1_000 * 2 ** held.refusals, longestWait)
      held.refusals += 1
      if (held === turn.share) turn.share.budget.hold?.(held.notBefore)
    }
    return held.notBefore - now
  }

  observe(given: Turn, level: Level, now: number): void {
    const turn = toMemoryTurn(given)
    if (turn.credential.isProven) turn.share.budget.observe?.(level, now, turn)
  }

  #createTurn(asker: Asker): MemoryTurn {
    return new MemoryTurn(asker, { share: this.#findShare(asker), credential: this.#findCredential(asker) })
  }

  #findShare(asker: Asker): Share {
    return this.#shares.take(asker.key, () => createShare(asker.limits, this.#createBudget(asker)))
  }

  #findCredential(asker: Asker): Credential {
    const credential = this.#credentials.take(asker.credential, createCredential)
    if (!credential.isProven && asker.isProven?.()) credential.isProven = true
    return credential
  }

  #openUnproven(share: Share): Unproven {
    share.unproven ??= new Unproven(share.rates, this.#countStrangers)
    return share.unproven
  }

  #enterUnproven(turn: MemoryTurn, now: number): number {
    const { share, credential } = turn
    if (!this.#openUnproven(share).enter(credential, now))
      return Math.max(credential.isRefused ? lookSeldom : lookAgain, credential.notBefore - now)
    turn.state = 'sent'
    return 0
  }

  /** Computes the milliseconds until one more call of proven credentials could be sent. */
  #computeWait({ budget, notBefore, probe }: Share, now: number): number {
    const wait = Math.max(budget.earliest(now), notBefore) - now
    return probe === undefined ? wait : Math.max(wait, lookAgain)
  }

  /** Finds whom a vendor's wait applies to: all calls of the budget, or the unproven credentials alone. */
  #heldBy(turn: MemoryTurn): Share | Credential {
    const { share, credential } = turn
    if (!credential.isProven) return credential
    share.isDoubted = true
    if (share.probe === turn) share.probe = undefined
    return share
  }
}

/** Returns whether a running call may still prove the credentials, which would shorten the wait of another call. */
const isOpen = ({ isProven, isRefused, notBefore }: Credential, latest: number): boolean => !isProven && !isRefused && notBefore <= latest

function toMemoryTurn(turn: Turn): MemoryTurn {
  if (turn instanceof MemoryTurn) return turn
  throw new TypeError('the turn is of another limiter')
}

function enterShared(turn: MemoryTurn, now: number): number {
  const { share } = turn
  const { budget, notBefore } = share
  if (now < notBefore) {
    if (budget.late !== undefined) return notBefore - now
    turn.standing = 'shared'
    return takeTurnAt(budget, Math.max(budget.earliest(now), notBefore), now) // a new turn, because all calls at the end of the wait would be too many
  }
  if (share.isDoubted && (share.probe ?? turn) !== turn) {
    turn.standing = 'missed'
    return lookAgain
  }
  if (share.isDoubted) share.probe = turn
  if (budget.late !== undefined) return budget.late(now, turn)
  if (turn.standing !== 'missed') return 0 // turns of moving windows stay spread as reserved
  turn.standing = 'shared'
  return takeTurnAt(budget, budget.earliest(now), now)
}

/** Reserves a call at a time. @returns milliseconds until then */
function takeTurnAt(budget: Budget, moment: number, now: number): number {
  budget.take(moment)
  return moment - now
}
