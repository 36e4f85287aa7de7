/** Nodes that share vendors' budgets, in simulated time: walkers, a vendor that refuses strictly, and a database real or in memory. */
import type { Limits } from '../../packages/ferrule/src/definition/connector.ts'
import type { Asker } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { createBudgetStore, KeptLimiter, type LimiterParts } from '../../packages/server/src/calls/budgets/limiter.ts'
import type { Database } from '../../packages/server/src/db/database.ts'
import { provenAsker } from '../engine/limiter-support.ts'
import { createDice, SimulatedTime, StrictVendor, type Vendor } from './budget-vendors.ts'

/** What a walker does. */
export interface Walk {
  readonly asker: Asker
  readonly vendor: Vendor
  /** False for calls that a client waits for. */
  readonly background?: boolean
  /** Pause between two calls, in milliseconds. */
  readonly pauseMs?: number
}

/** A node whose steady clock has an origin of its own. */
export class BudgetNode {
  readonly limiter: KeptLimiter
  readonly steady: () => number
  readonly errors: unknown[] = []
  /** Waits of calls, in milliseconds. */
  readonly waits: number[] = []
  isDead = false
  #isStopped = false
  readonly #time: SimulatedTime
  readonly #dice: () => number

  constructor({ time, store, seed }: { time: SimulatedTime; store: LimiterParts['store']; seed: number }) {
    this.#time = time
    this.#dice = createDice(seed)
    const origin = Math.floor(this.#dice() * 1e9)
    this.steady = () => time.now - origin
    this.limiter = new KeptLimiter({
      store,
      steady: this.steady,
      schedule: (milliseconds, run) => time.schedule(milliseconds, () => this.isDead || run()),
      onBackgroundError: (error) => this.errors.push(error),
    })
  }

  /** Ends without giving anything back. */
  kill(): void {
    this.isDead = true
    this.#isStopped = true
  }

  /** Makes no more calls. */
  stop(): void {
    this.#isStopped = true
  }

  /** Walks until the node dies or stops. */
  async walk(walk: Walk): Promise<void> {
    while (!this.#isStopped) {
      await this.call(walk).catch((error: unknown) => {
        if (!this.#isStopped) throw error
      })
      if (walk.pauseMs !== undefined) await this.#time.sleep(walk.pauseMs * (0.5 + this.#dice()))
    }
  }

  /** Makes one call. @returns whether the vendor accepted it; undefined if the node died before */
  async call({ asker, vendor, background = true }: Walk): Promise<boolean | undefined> {
    const began = this.#time.now
    const turn = await this.#reserve(asker, background)
    if (turn === undefined) return undefined
    for (let wait = await this.limiter.enter(turn, this.steady()); wait > 0; wait = await this.limiter.enter(turn, this.steady())) {
      await this.#time.sleep(wait + this.#dice() * 3)
      if (this.#isStopped) {
        this.limiter.giveBack(turn)
        return undefined
      }
    }
    this.waits.push(this.#time.now - began)
    await this.#time.sleep(10 + this.#dice() * 8)
    const isAccepted = vendor.call(this.#time.now)
    await this.#time.sleep(80 + this.#dice() * 100)
    if (this.isDead) return isAccepted
    if (vendor.level !== undefined) this.limiter.observe(turn, vendor.level, this.steady())
    if (isAccepted) this.limiter.prove(turn, true, this.steady())
    else if (vendor.retryAfterMs !== undefined) this.limiter.postpone(turn, this.steady() + vendor.retryAfterMs, this.steady())
    this.limiter.giveBack(turn)
    return isAccepted
  }

  async #reserve(asker: Asker, background: boolean) {
    while (!this.#isStopped) {
      const now = this.steady()
      const { turn, wait } = await this.limiter.reserve(asker, { now, latest: now + 60_000, background })
      if (turn === undefined && !background) throw new Error(`refused with a wait of ${wait} ms`)
      await this.#time.sleep(wait + this.#dice() * 3)
      if (turn !== undefined) return turn
    }
    return undefined
  }
}

/** Credentials that proved themselves. */
export const provenFor = (key: string, limits: Limits): Asker => provenAsker(limits, key)

/** Gong's limits. */
export const gongLimits = {
  key: [],
  rates: [
    { calls: 3, seconds: 1 },
    { calls: 10_000, seconds: 86_400 },
  ],
} as const

/** Nodes over one database. */
export interface NodesWorld {
  readonly time: SimulatedTime
  readonly nodes: readonly BudgetNode[]
  /** How the database fares: it fails, or takes so many milliseconds. `aheadMs` is a step of its clock. */
  readonly state: { trouble: number | Error; aheadMs: number }
  /** Number of statements so far. */
  countStatements(): number
  /** Starts another node. */
  add(): BudgetNode
}

/** Starts nodes over a database, whose clock is the simulated one. */
export function startNodes(database: Database, count: number, time = new SimulatedTime()): NodesWorld {
  const state: NodesWorld['state'] = { trouble: 2, aheadMs: 0 }
  let statements = 0
  const pause = async () => {
    if (state.trouble instanceof Error) throw state.trouble
    await time.sleep(state.trouble / 2)
  }
  const outside = async <T>(work: () => Promise<T>): Promise<T> => {
    await pause()
    statements += 1
    time.outside += 1
    const done = await work().finally(() => {
      time.outside -= 1
    })
    await pause()
    return done
  }
  const open = (): LimiterParts['store'] => {
    const store = createBudgetStore({ database, source: { clock: () => time.now + state.aheadMs }, isClockGiven: true })
    if ('take' in store)
      return { take: (asks) => outside(() => store.take(asks)), countStrangers: () => outside(() => store.countStrangers()) }
    return { ...store, add: (calls) => outside(() => store.add(calls)), list: (key, since) => outside(() => store.list(key, since)) }
  }
  const nodes: BudgetNode[] = []
  const add = (): BudgetNode => {
    const node = new BudgetNode({ time, store: open(), seed: nodes.length + 1 })
    nodes.push(node)
    return node
  }
  for (let index = 0; index < count; index += 1) add()
  return { time, nodes, state, countStatements: () => statements, add }
}

/** Longest time between two calls when nodes die, in milliseconds: a window, and another one for the turns that dead nodes had. */
export const longestPauseMs = 2 * 1_050 + 400

/** Kills nodes that walk, one after the other, each at another time of the window, and replaces them. */
export async function killNodes({ time, nodes, add }: NodesWorld, kills: number): Promise<StrictVendor> {
  const vendor = new StrictVendor(gongLimits.rates.slice(0, 1))
  const walk = { asker: provenFor('kills', gongLimits), vendor }
  const walkers = (node: BudgetNode) => {
    for (let walker = 0; walker < 20; walker += 1) void node.walk(walk)
  }
  nodes.forEach(walkers)
  for (let kill = 0; kill < kills; kill += 1) {
    await time.pass(2_000 + 37 * (kill % 60))
    const alive = nodes.filter(({ isDead }) => !isDead)
    // Now and then all but one are killed, so that nobody else can continue at once.
    for (const node of alive.slice(0, kill % 10 === 9 ? alive.length : 1)) {
      node.kill()
      walkers(add())
    }
  }
  await time.pass(5_000)
  for (const node of nodes) node.kill()
  return vendor
}
