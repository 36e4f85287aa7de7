/** The budget of one key that several nodes share: the turns that this node has, and the calls that wait for one. Times are steady milliseconds. */
import { type Asker, type Budget, Costs, type Level, type Wish } from 'ferrule/engine'
import type { BudgetAnswer, BudgetAsk } from '../sql/vendor-budgets.ts'
import { windowSlack } from './stored-budget.ts'

/** What a budget needs from its node. */
export interface BudgetHost {
  /** Asks for turns, or reports, as soon as the budget says. */
  want(budget: SharedBudget, now: number): void
  /** Waits until the budget was asked for. @throws FerruleError `unavailable` */
  ask(budget: SharedBudget, latest: number): Promise<void>
  /** Computes the milliseconds after which a call without a turn looks again. @throws FerruleError `unavailable` while the database fails */
  lookAgain(now: number): number
  /** Applies a vendor's wait that any node met, until the vendor accepted a call. @param until steady milliseconds; may be past */
  hold(key: string, until: number): void
}

/** A call is sent so much after its turn at most: a share of the shortest window, and milliseconds. */
const lateShare = 0.03
const longestLateMs = 1_000
/** Turns are taken so far ahead, in milliseconds: for calls that clients wait for, and for those of syncs, which go behind. */
const aheadMs = 1_000
const calmAheadMs = 400
/** The question comes so much later, because the time of the next turn is known as early as it can be, in milliseconds. */
const marginMs = 50
/** Maximum number of turns of one question, and of background calls that count as wishes. */
const mostCalls = 200
/** Number of times that a window keeps, so a longer one counts by groups of calls. */
const mostTimes = 64
/** Number of times beyond those that a row may keep. */
const spareTimes = 16
/** A background call that asks again counts as a wish for this long after its time, in milliseconds. */
const graceMs = 20
/** A key that was not used for this long is in use no longer, in milliseconds. */
const idleMs = 1_000

interface GivenTurn {
  readonly at: number
  /** It is lost after this time. */
  readonly until: number
  /** What the bucket was charged for it. */
  readonly cost: number
}

interface News {
  /** Calls that were sent without a turn. */
  counts: number
  /** What calls cost beyond their charge; negative if the charge was too high. */
  spent: number
  /** The level that the vendor reported last. */
  level?: Level | undefined
  /** End of a wait that the vendor asked this node for. */
  hold?: number | undefined
  /** True if the vendor accepted a call after such a wait. */
  isAccepted?: boolean | undefined
}

/** When a question was sent and answered. */
export interface Moments {
  readonly asked: number
  readonly answered: number
}

/** Turns are given in the order of asking. */
export class SharedBudget implements Budget {
  readonly key: string
  readonly #limits: Pick<BudgetAsk, 'rate_calls' | 'rate_ms' | 'rate_every' | 'most_kept' | 'size' | 'leak'>
  readonly #rates: readonly { readonly calls: number; readonly ms: number }[]
  readonly #lateMs: number
  readonly #host: BudgetHost
  readonly #costs: Costs
  /** Calls in the line. */
  readonly #waiting = new Set<object>()
  /** Calls that wait for an answer of the database before they join the line. */
  readonly #expecting = { urgent: 0, calm: 0 }
  /** When background calls ask again. */
  #misses: number[] = []
  #turns: GivenTurn[] = []
  /** The next turn that can be had comes at this time or later. */
  #next = Number.NEGATIVE_INFINITY
  /** True while another node tests whether the vendor's wait is over. */
  #isBarred = false
  /** Questions in a row that brought no turn. */
  #refusals = 0
  /** Share of the time ahead that a background call leaves to other nodes: who waits longest asks first. */
  #courtesy = 0
  #usedAt = Number.NEGATIVE_INFINITY
  #news: News = { counts: 0, spent: 0 }
  /** What the question under way reports. */
  #told: News = { counts: 0, spent: 0 }
  /** End of the vendor's wait on the clock of the database. */
  #heldUntil: number | null = null

  constructor({ key, limits: { rates = [], bucket } }: Pick<Asker, 'key' | 'limits'>, host: BudgetHost) {
    this.key = key
    this.#host = host
    this.#costs = new Costs(bucket)
    this.#rates = rates.map(({ calls, seconds }) => ({ calls, ms: Math.ceil(seconds * 1_000 * windowSlack) }))
    this.#limits = {
      rate_calls: rates.map(({ calls }) => calls),
      rate_ms: this.#rates.map(({ ms }) => ms),
      rate_every: rates.map(({ calls }) => Math.ceil(calls / mostTimes)),
      most_kept: spareTimes + rates.reduce((sum, { calls }) => sum + Math.min(calls, mostTimes), 0),
      size: bucket?.size,
      leak: bucket && bucket.perSecond / bucket.size / 1_000,
    }
    this.#lateMs = Math.min(longestLateMs, ...this.#rates.map(({ ms }) => ms * lateShare))
  }

  earliest(now: number): number {
    return now + this.#waitFor(this.#waiting.size, now)
  }

  take(_moment: number, caller: object = {}): void {
    this.#waiting.add(caller)
    this.#host.want(this, this.#usedAt)
  }

  giveBack(caller: object = {}): void {
    this.#waiting.delete(caller)
  }

  late(now: number, caller: object = {}): number {
    this.#waiting.add(caller)
    const wait = this.#waitFor([...this.#waiting].indexOf(caller), now)
    if (wait > 0) return Math.max(1, wait)
    this.#costs.charge(caller, this.#turns.shift()?.cost)
    this.#waiting.delete(caller)
    return 0
  }

  count(now: number, caller?: object): void {
    this.#news.counts += 1
    this.#costs.charge(caller)
    this.#host.want(this, now)
  }

  miss(moment: number): void {
    if (this.#misses.length >= mostCalls) this.#misses.shift()
    this.#misses.push(moment)
    this.#host.want(this, this.#usedAt)
  }

  observe(level: Level, _now: number, caller?: object): void {
    this.#news.level = level
    if (level.cost !== undefined) this.#news.spent += this.#costs.settle(caller, level.cost)
  }

  hold(until: number): void {
    this.#news.hold = until
    this.#host.want(this, this.#usedAt)
  }

  accept(): void {
    this.#news.isAccepted = true
    this.#host.want(this, this.#usedAt)
  }

  /**
   * Asks the database for the turn of a call, unless it would come too late to be taken now.
   * @returns undefined if no wait is needed. @throws FerruleError `unavailable` if the database does not answer
   */
  prepare({ now, latest, background = false }: Wish): Promise<void> | undefined {
    this.#usedAt = now
    if (this.#findTurns(now).length > this.#waiting.size || this.#dueAt(background) > now) return undefined
    const kind = background ? 'calm' : 'urgent'
    this.#expecting[kind] += 1
    return this.#host.ask(this, latest).finally(() => {
      this.#expecting[kind] -= 1
    })
  }

  /** Returns whether calls used the key a short time ago. */
  isInUse(now: number): boolean {
    return this.#waiting.size > 0 || now - this.#usedAt < idleMs
  }

  /** Computes when to ask the database again; undefined if nobody wants a turn and nothing is to report. */
  wantsAt(now: number): number | undefined {
    if (this.hasNews) return now
    const missing = this.#countMissing(now)
    if (missing.urgent > 0) return Math.max(now, this.#dueAt(false))
    return missing.calm > 0 ? Math.max(now, this.#dueAt(true)) : undefined
  }

  /** Returns whether other nodes must hear of something. A level goes with the next question. */
  get hasNews(): boolean {
    const { counts, hold, isAccepted } = this.#news
    return counts > 0 || hold !== undefined || isAccepted === true
  }

  /** Builds the question. @param delayMs time that an answer takes */
  ask(now: number, delayMs: number): BudgetAsk {
    const { urgent, calm } = this.#countMissing(now)
    const wanted = urgent > 0 ? urgent : Math.min(calm, this.#mostCalm())
    const { counts, spent, level, hold, isAccepted } = this.#news
    this.#told = this.#news
    this.#news = { counts: 0, spent: 0 }
    return {
      key: this.key,
      calls: counts > 0 ? counts : Math.max(0, Math.min(wanted, mostCalls)),
      is_sent: counts > 0,
      ahead: urgent > 0 ? aheadMs : calmAheadMs,
      late: Math.ceil(this.#lateMs + delayMs),
      ...this.#limits,
      cost: this.#costs.next,
      spent,
      seen_level: level?.used,
      seen_size: level?.size,
      hold: hold === undefined ? undefined : Math.ceil(hold - now),
      is_accepted: isAccepted === true,
    }
  }

  /** Reads the answer. The database gave the turns between both times, so they are lost early rather than late. */
  settle(ask: BudgetAsk, { granted, wait, hold_until, held }: BudgetAnswer, { asked, answered }: Moments): void {
    if (!ask.is_sent)
      for (let turn = 0; turn < granted; turn += 1)
        this.#turns.push({ at: answered + wait, until: asked + wait + ask.late, cost: ask.cost })
    this.#next = asked + wait // a call that slept longer would miss a turn
    this.#isBarred = ask.calls > 0 && granted === 0 && wait <= ask.ahead
    if (ask.calls > 0) this.#refusals = granted > 0 ? 0 : this.#refusals + 1
    this.#courtesy = (0.5 + Math.random() / 4) / Math.max(1, this.#refusals)
    if (hold_until !== null && held !== null && hold_until !== this.#heldUntil) this.#host.hold(this.key, answered + held)
    this.#heldUntil = hold_until
  }

  /** Keeps what a question reported that got no answer. Calls that it did count are counted twice, which is one too few sent. */
  keep(): void {
    const { counts, spent, ...told } = this.#told
    this.#news = { ...told, ...this.#news, counts: counts + this.#news.counts, spent: spent + this.#news.spent }
  }

  /** Computes from when on a turn can be taken. */
  #dueAt(background: boolean): number {
    if (this.#isBarred) return this.#next
    return this.#next + marginMs - (background ? calmAheadMs * (1 - this.#courtesy) : aheadMs)
  }

  /** Counts the calls that have no turn yet. */
  #countMissing(now: number): { readonly urgent: number; readonly calm: number } {
    this.#misses = this.#misses.filter((moment) => moment + graceMs >= now)
    const urgent = this.#waiting.size + this.#expecting.urgent - this.#findTurns(now).length
    return { urgent, calm: urgent + this.#expecting.calm + this.#misses.length }
  }

  /** Computes how many turns background calls take at once: half of what comes in the time ahead, so that other nodes get some. */
  #mostCalm(): number {
    return Math.ceil(Math.min(mostCalls, ...this.#rates.map(({ calls, ms }) => (calls / ms) * calmAheadMs)) / 2)
  }

  #findTurns(now: number): readonly GivenTurn[] {
    this.#turns = this.#turns.filter(({ until }) => until >= now)
    return this.#turns
  }

  /** Computes or estimates the wait of the call at a position of the line. An estimate is never too long. */
  #waitFor(position: number, now: number): number {
    this.#usedAt = now
    const turns = this.#findTurns(now)
    const turn = turns[position]
    if (turn !== undefined) return Math.max(0, turn.at - now)
    const soonest = this.#host.lookAgain(now)
    this.#host.want(this, now)
    const behind = position - turns.length
    const { size = 0, leak = 0 } = this.#limits
    const longest = Math.max(0, ...this.#rates.map(({ calls, ms }) => Math.floor(behind / calls) * ms))
    return Math.max(
      soonest,
      this.#next - now + Math.max(longest, leak > 0 && this.#next > now ? (behind * this.#costs.next) / (size * leak) : 0),
    )
  }
}
