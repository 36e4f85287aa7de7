/** Vendor budgets in the memory of this process. */
import type { Limits } from '../definition/connector.ts'
import type { Asker, Budget, Limiter, Reservation, Turn, Wish } from './limits.ts'
import { Bucket } from './limits-bucket.ts'
import { type Credential, Unproven } from './limits-unproven.ts'
import { Windows } from './limits-windows.ts'

/** Budgets, and credentials, kept at most; what was not used for longest goes first. */
const maxKept = 10_000
/** Longest wait that a vendor's word can cause, in milliseconds: then one call looks whether it still holds. */
const longestWait = 900_000
/** How often a call looks whether it may be sent while the answer of another one decides on that, in milliseconds. */
const lookAgain = 100
/** The same with credentials that were refused: their next answer is likely to be the same. */
const lookSeldom = 500

/** What the calls with one key share. */
interface Share {
  readonly budget: Budget
  readonly rates: NonNullable<Limits['rates']>
  /** Those that may not share it; made when there are some. */
  unproven: Unproven | undefined
  /** The vendor said "wait" until this moment. */
  notBefore: number
  /** Refusals in a row without a time. */
  refusals: number
  /** The vendor said "wait", and has taken no call since. */
  isDoubted: boolean
  /** The one call that is sent to see whether it still says so. */
  probe: MemoryTurn | undefined
}

const shareOf = ({ rates = [], bucket }: Limits): Share => ({
  budget: bucket === undefined ? new Windows(rates) : new Bucket(bucket),
  rates,
  unproven: undefined,
  notBefore: Number.NEGATIVE_INFINITY,
  refusals: 0,
  isDoubted: false,
  probe: undefined,
})

const newCredential = (): Credential => ({ isProven: false, isRefused: false, notBefore: Number.NEGATIVE_INFINITY, refusals: 0 })

/** A place in a budget: `unproven` among those who share one call a second, `missed` when its moment has passed unused. */
class MemoryTurn implements Turn {
  readonly asker: Asker
  readonly share: Share
  readonly credential: Credential
  place: 'shared' | 'missed' | 'unproven'
  state: 'waiting' | 'sent' | 'over' = 'waiting'

  constructor(asker: Asker, { share, credential }: { readonly share: Share; readonly credential: Credential }) {
    this.asker = asker
    this.share = share
    this.credential = credential
    this.place = credential.isProven ? 'shared' : 'unproven'
  }
}

/** The value of a key, which counts as used now; the one that was unused for longest goes when there are too many. */
function kept<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make()
  map.delete(key) // a Map keeps the order of insertion
  map.set(key, value)
  if (map.size > maxKept) map.delete(map.keys().next().value ?? key)
  return value
}

const unprovenOf = (share: Share): Unproven => {
  share.unproven ??= new Unproven(share.rates)
  return share.unproven
}

/**
 * Budgets of this process. Proven credentials reserve their turns, so the order is that of asking, and the wait is known at once: a
 * call that cannot be served within its deadline is refused early. After every wait that the vendor asked for, one call goes first, and
 * the others follow when the vendor took it.
 */
export class MemoryLimiter implements Limiter {
  readonly #shares = new Map<string, Share>()
  readonly #credentials = new Map<string, Credential>()

  reserve(asker: Asker, { now, latest, background = false }: Wish): Reservation {
    const turn = this.#turnOf(asker)
    const { share, credential } = turn
    const wait = credential.isProven ? this.#waitOf(share, now) : unprovenOf(share).waitFor(credential, now)
    const isTooLate = now + wait > latest && !isOpen(credential, latest)
    if (isTooLate || (background && wait > 0)) return { turn: undefined, wait }
    if (credential.isProven) {
      share.budget.take(now + wait)
      return { turn, wait }
    }
    unprovenOf(share).join(credential)
    return { turn, wait: Math.min(wait, lookAgain) } // the credentials may prove themselves meanwhile
  }

  enter(given: Turn, now: number): number {
    const turn = own(given)
    const { share, credential } = turn
    if (turn.place === 'unproven') {
      if (!credential.isProven) return enterUnproven(turn, now)
      unprovenOf(share).leave(credential)
      turn.place = 'missed'
      if (share.budget.late !== undefined) share.budget.take(now)
    }
    const wait = enterShared(turn, now)
    if (wait === 0) turn.state = 'sent'
    return wait
  }

  giveBack(given: Turn): void {
    const turn = own(given)
    const { share, credential } = turn
    if (turn.state === 'waiting' && turn.place === 'unproven') unprovenOf(share).leave(credential)
    else if (turn.state === 'waiting') share.budget.giveBack?.()
    turn.state = 'over'
    if (share.probe === turn) share.probe = undefined
  }

  prove(given: Turn, taken: boolean, now: number): void {
    const turn = own(given)
    const { share, credential } = turn
    credential.isProven = taken
    credential.isRefused = !taken
    if (!taken) return
    if (turn.place === 'unproven') share.budget.count(now) // the vendor counted it
    turn.place = 'shared'
    share.refusals = 0
    if (share.probe !== turn) return
    share.probe = undefined
    share.isDoubted = false
  }

  postpone(given: Turn, until: number, now: number): void {
    const turn = own(given)
    const held = this.#heldBy(turn)
    held.notBefore = Math.max(held.notBefore, Math.min(until, now + longestWait))
  }

  refuse(given: Turn, { first, longest }: { readonly first: number; readonly longest: number }, now: number): number {
    const held = this.#heldBy(own(given))
    if (now >= held.notBefore) {
      held.notBefore = now + Math.min(longest * 1_000, first * 1_000 * 2 ** held.refusals, longestWait)
      held.refusals += 1
    }
    return held.notBefore - now
  }

  observe(given: Turn, header: string, now: number): void {
    const { share, credential } = own(given)
    if (credential.isProven) share.budget.observe?.(header, now)
  }

  #turnOf(asker: Asker): MemoryTurn {
    const share = kept(this.#shares, asker.key, () => shareOf(asker.limits))
    const credential = kept(this.#credentials, asker.credential, newCredential)
    if (!credential.isProven && asker.isProven?.()) credential.isProven = true
    return new MemoryTurn(asker, { share, credential })
  }

  /** Milliseconds until one more call of proven credentials would be sent. */
  #waitOf({ budget, notBefore, probe }: Share, now: number): number {
    const wait = Math.max(budget.earliest(now), notBefore) - now
    return probe === undefined ? wait : Math.max(wait, lookAgain)
  }

  /** Whom the vendor's "wait" holds: all that share the budget, or the credentials that may not share it. */
  #heldBy(turn: MemoryTurn): Share | Credential {
    const { share, credential } = turn
    if (!credential.isProven) return credential
    share.isDoubted = true
    if (share.probe === turn) share.probe = undefined
    return share
  }
}

/** Whether a call that is under way may still prove the credentials, so that another need not wait for its turn as long as it seems. */
const isOpen = ({ isProven, isRefused, notBefore }: Credential, latest: number): boolean => !isProven && !isRefused && notBefore <= latest

/** A turn of this room. */
function own(turn: Turn): MemoryTurn {
  if (turn instanceof MemoryTurn) return turn
  throw new TypeError('the turn is of another limiter')
}

function enterUnproven(turn: MemoryTurn, now: number): number {
  const { share, credential } = turn
  if (!unprovenOf(share).enter(credential, now)) return Math.max(credential.isRefused ? lookSeldom : lookAgain, credential.notBefore - now)
  turn.state = 'sent'
  return 0
}

function enterShared(turn: MemoryTurn, now: number): number {
  const { share } = turn
  const { budget, notBefore } = share
  if (now < notBefore) {
    if (budget.late !== undefined) return notBefore - now
    turn.place = 'shared'
    return turnAt(budget, Math.max(budget.earliest(now), notBefore), now) // a new turn: all at the end of the wait would be too many
  }
  if (share.isDoubted && (share.probe ?? turn) !== turn) {
    turn.place = 'missed'
    return lookAgain
  }
  if (share.isDoubted) share.probe = turn
  if (budget.late !== undefined) return budget.late(now)
  if (turn.place !== 'missed') return 0 // turns of moving windows stay spread as they were given
  turn.place = 'shared'
  return turnAt(budget, budget.earliest(now), now)
}

/** Takes a moment. @returns milliseconds until then */
function turnAt(budget: Budget, moment: number, now: number): number {
  budget.take(moment)
  return moment - now
}
