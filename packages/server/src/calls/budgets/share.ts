/**
 * Shares a budget among nodes. A node that comes back and finds itself alone with a key owns it, and counts by itself. Other nodes get planned
 * turns in a common order. Pure; times are milliseconds of the database's clock.
 */
import { type BudgetLimits, Ledger, type LedgerState } from './ledger.ts'
import type { ObservedLevel } from './ledger-parts.ts'
import type { BudgetState, Demand, Slot } from './state.ts'

/** Life of an ownership, in milliseconds. A node that dies gives its key back after it. */
export const leaseMs = 2_500
/** Usual time between two looks of a node at a key in use, in milliseconds. */
export const lookMs = 500
/** Windows of planned turns are longer by this share, because calls of several nodes are not equally late. */
export const slack = 0.05
/** The same for the calls of an owner: the way to the vendor is not always equally long. */
export const ownerSlack = 0.02

/** A demand counts for this time after the node's last look, in milliseconds. */
const demandMs = 5 * lookMs
/** Turns are planned this far ahead, in milliseconds: further than the next look of every node. */
const horizonMs = 1_100
/** Turns for other nodes begin this far ahead, in milliseconds, since those must read them first. */
const leadMs = lookMs + 100
/** Maximum number of planned turns of a key. */
const mostPlanned = 200
/** A doubted wait is forgotten this long after its end, in milliseconds. */
const doubtMs = 900_000

/** What a node reports about a key, and what it wants. */
export interface Look {
  readonly node: string
  readonly now: number
  readonly urgent: number
  readonly calm: number
  /** True if the node calls often, so that owning the key pays. */
  readonly isBusy: boolean
  /** Ledger of the owner; undefined if this node does not own the key. */
  readonly ledger: LedgerState | undefined
  /** Calls that were sent without a turn. */
  readonly counts: number
  /** Planned turns that passed unused. */
  readonly unused: number
  readonly level: ObservedLevel | undefined
  /** End of a wait that the vendor asked this node for. */
  readonly holdUntil: number | undefined
  /** True if the vendor accepted a call after such a wait. */
  readonly isAccepted: boolean
  /** True if the node needs the key no longer. */
  readonly isLeaving: boolean
  /** Time until the node knows its turns, in milliseconds. */
  readonly delayMs: number
  /** True if no other node can exist: what others left behind is over. */
  readonly isAlone: boolean
}

/** What a node may do until its next look. */
export interface Share {
  readonly lease: { readonly until: number; readonly quota: number; readonly ledger: LedgerState } | undefined
  readonly slots: readonly Slot[]
  /** Earliest time of a call beyond these. */
  readonly next: number
  /** Number of nodes that use the key. */
  readonly nodes: number
  /** Number of the last turn that was planned for anybody. */
  readonly lastSlot: number
  /** End of a wait that the vendor asked any node for. */
  readonly hold: number | undefined
}

/** Applies a node's look at a key. */
export function shareBudget(limits: BudgetLimits, state: BudgetState, look: Look): { readonly state: BudgetState; readonly share: Share } {
  const { node, now } = look
  const { ledger, other } = settleOwner(limits, state, look)
  report(ledger, look)
  const hold = mergeHold(state.hold, look)
  const others = Object.entries(state.demands).filter(([id, { at }]) => id !== node && isFresh(at, look))
  const slots = state.slots.filter(({ at }) => at > now - 1_000 && at <= now + 2 * horizonMs)
  const isHeldNow = look.holdUntil !== undefined && hold !== null
  const base = { ...state, hold, slots: isHeldNow ? [] : slots }
  if (look.isLeaving) {
    const left = { ...base, slots: base.slots.filter((slot) => slot.node !== node), demands: Object.fromEntries(others) }
    return answer({ ...left, ledger: ledger.store(), owner: other }, look, ledger)
  }
  const all = new Map([...others, [node, readDemand(base, look, others)] as const])
  const own = { node, until: now + leaseMs, quota: computeQuota(ledger, look) }
  const before = state.demands[node]
  const isBack = look.isAlone || (look.isBusy && before !== undefined && isFresh(before.at, look))
  const isOnly = others.length === 0 && isBack
  const mayOwn = other === null && (isOnly || (hold !== null && now >= hold))
  const planned = mayOwn || other !== null || hold !== null ? base : plan(base, all, { ledger, look })
  const owner = other ?? (mayOwn ? own : null)
  return answer({ ...planned, ledger: ledger.store(), owner, demands: Object.fromEntries(all) }, look, ledger)
}

/** A time in the future comes from a clock that stepped back. */
const isFresh = (at: number, { now, isAlone }: Look): boolean => !isAlone && at > now - demandMs && at <= now + demandMs

/** Ends the ownership of this node, or of one that did not come back: whatever that one was allowed to send counts as sent. */
function settleOwner(limits: BudgetLimits, { ledger: stored, owner }: BudgetState, look: Look) {
  const { node, now } = look
  const isOwn = owner?.node === node
  if (isOwn && look.ledger !== undefined) return { ledger: new Ledger(limits, look.ledger, now), other: null }
  const ledger = new Ledger(limits, stored, now)
  if (owner === null) return { ledger, other: null }
  const isOver = isOwn || look.isAlone || owner.until <= now || owner.until > now + 2 * leaseMs
  if (!isOver) return { ledger, other: owner }
  ledger.take(Math.min(owner.until, now), owner.quota)
  return { ledger, other: null }
}

function report(ledger: Ledger, { now, counts, unused, level }: Look): void {
  if (level !== undefined) ledger.observe(level, now)
  for (let count = 0; count < counts; count += 1) ledger.take(ledger.earliest(now))
  ledger.refund(unused)
}

function mergeHold(stored: number | null, { now, holdUntil, isAccepted }: Look): number | null {
  if (holdUntil !== undefined) return Math.max(stored ?? 0, holdUntil)
  const isOver = stored === null || stored + doubtMs < now || stored > now + 2 * doubtMs
  return isOver || (isAccepted && stored <= now) ? null : stored
}

/** Builds the demand of the looking node. A newcomer starts where the others are, so that it catches up on nothing. */
function readDemand({ demands, slots }: BudgetState, look: Look, others: readonly [string, Demand][]): Demand {
  const { node, now, urgent, calm } = look
  const planned = slots.filter((slot) => slot.node === node && slot.at > now).length
  const before = demands[node]
  const least = others.length === 0 ? 0 : Math.min(...others.map(([, { served }]) => served))
  const served = before !== undefined && isFresh(before.at, look) ? before.served : Math.max(before?.served ?? 0, least)
  return { urgent, calm, planned, served, at: now }
}

/** Computes how many calls an owner may send until it looks again: what it probably needs, and what the vendor allows at most. */
const computeQuota = (ledger: Ledger, { urgent, calm }: Look): number => Math.min(ledger.capacity(leaseMs), 4 + 2 * (urgent + calm))

interface Planning {
  readonly ledger: Ledger
  readonly look: Look
}

/** Plans turns up to the horizon. `demands` receives what was planned. */
function plan(state: BudgetState, demands: Map<string, Demand>, { ledger, look }: Planning): BudgetState {
  const { now } = look
  const from = now + look.delayMs
  const slots = [...state.slots]
  let { lastSlot } = state
  for (let at = ledger.earliest(from, slack); at <= from + horizonMs && slots.length < mostPlanned; at = ledger.earliest(from, slack)) {
    const chosen = chooseNode(demands, at, look)
    if (chosen === undefined) break
    const [node, demand] = chosen
    demands.set(node, { ...demand, planned: demand.planned + 1, served: demand.served + 1 })
    ledger.take(at)
    lastSlot += 1
    slots.push({ id: lastSlot, at, node })
  }
  return { ...state, slots, lastSlot }
}

/** Chooses the node of a turn: those with waiting clients first, then the one that got least. */
function chooseNode(demands: ReadonlyMap<string, Demand>, at: number, { node, now }: Look): readonly [string, Demand] | undefined {
  const wanting = [...demands].filter(([id, { urgent, calm, planned }]) => planned < urgent + calm && (id === node || at >= now + leadMs))
  const rank = ([, { urgent, planned }]: readonly [string, Demand]) => (planned < urgent ? 0 : 1)
  const [first] = wanting.toSorted(
    (a, b) => rank(a) - rank(b) || a[1].served - b[1].served || Number(b[0] === node) - Number(a[0] === node),
  )
  return first
}

function answer(state: BudgetState, { node, now }: Look, ledger: Ledger): { readonly state: BudgetState; readonly share: Share } {
  const { owner, hold, slots, demands } = state
  const lease = owner?.node === node ? { until: owner.until, quota: owner.quota, ledger: state.ledger } : undefined
  return {
    state,
    share: {
      lease,
      slots: slots.filter((slot) => slot.node === node),
      next: Math.max(hold ?? 0, ledger.earliest(now, slack)),
      nodes: Math.max(1, Object.keys(demands).length),
      lastSlot: state.lastSlot,
      hold: hold ?? undefined,
    },
  }
}
