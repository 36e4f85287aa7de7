/** Nodes that share vendors' budgets, in simulated time: walkers, a vendor that refuses strictly, and a database real or in memory. */
import type { Asker } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { createBudgetStore } from '../../packages/server/src/calls/budgets/budgets.ts'
import type { BudgetChange, BudgetStore, StoredBudget } from '../../packages/server/src/calls/budgets/keeper.ts'
import { SharedLimiter } from '../../packages/server/src/calls/budgets/limiter.ts'
import type { Database } from '../../packages/server/src/db/database.ts'
import { createDice, SimulatedTime, StrictVendor, type Vendor } from './budget-vendors.ts'

/** Budgets in memory, as the database would keep them. */
export class MemoryBudgets implements BudgetStore {
  readonly rows = new Map<string, StoredBudget>()
  readonly #time: SimulatedTime
  writes = 0
  /** Fails, or takes so many milliseconds. */
  trouble: number | Error = 2
  /** Step of the database's clock. */
  aheadMs = 0

  constructor(time: SimulatedTime) {
    this.#time = time
  }

  async read(keys: readonly string[]): Promise<{ readonly now: number; readonly rows: ReadonlyMap<string, StoredBudget> }> {
    await this.#pause()
    const found = keys.flatMap((key) => this.rows.get(key) ?? [])
    const now = this.#time.now + this.aheadMs
    await this.#pause()
    return { now, rows: new Map(found.map((row) => [row.key, row])) }
  }

  async write(changes: readonly BudgetChange[]): Promise<ReadonlySet<string>> {
    await this.#pause()
    const fitting = changes.filter(({ key, version }) => (this.rows.get(key)?.version ?? 0) === version)
    for (const { key, version, state } of fitting) this.rows.set(key, { key, version: version + 1, state })
    this.writes += fitting.length
    await this.#pause()
    return new Set(fitting.map(({ key }) => key))
  }

  async #pause(): Promise<void> {
    if (this.trouble instanceof Error) throw this.trouble
    await this.#time.sleep(this.trouble / 2)
  }
}

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
  readonly limiter: SharedLimiter
  readonly steady: () => number
  readonly errors: unknown[] = []
  /** Waits of calls, in milliseconds. */
  readonly waits: number[] = []
  isDead = false
  #isStopped = false
  readonly #time: SimulatedTime
  readonly #dice: () => number

  constructor(
    name: string,
    { time, store, isAlone = false, seed }: { time: SimulatedTime; store: BudgetStore; isAlone?: boolean; seed: number },
  ) {
    this.#time = time
    this.#dice = createDice(seed)
    const origin = Math.floor(this.#dice() * 1e9)
    this.steady = () => time.now - origin
    this.limiter = new SharedLimiter({
      node: name,
      store,
      isAlone,
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
      await this.call(walk)
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
    if (vendor.header !== undefined) this.limiter.observe(turn, vendor.header, this.steady())
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
export const provenFor = (key: string, limits: Asker['limits']): Asker => ({
  key,
  credential: `${key} credential`,
  limits,
  isProven: () => true,
})

/** Gong's limits. */
export const gongLimits = {
  key: [],
  rates: [
    { calls: 3, seconds: 1 },
    { calls: 10_000, seconds: 86_400 },
  ],
} as const

/** Nodes over one database. */
export interface NodesWorld<S extends BudgetStore> {
  readonly time: SimulatedTime
  readonly store: S
  readonly nodes: readonly BudgetNode[]
  /** Starts another node. */
  add(): BudgetNode
}

/** Starts nodes over a store. */
export function startNodes<S extends BudgetStore>(
  time: SimulatedTime,
  store: S,
  { count, isAlone = false }: { count: number; isAlone?: boolean },
): NodesWorld<S> {
  const nodes: BudgetNode[] = []
  const add = (): BudgetNode => {
    const node = new BudgetNode(`node ${nodes.length}`, { time, store, isAlone, seed: nodes.length + 1 })
    nodes.push(node)
    return node
  }
  for (let index = 0; index < count; index += 1) add()
  return { time, store, nodes, add }
}

/** Starts nodes over budgets in memory. */
export function createWorldOfNodes(count: number): NodesWorld<MemoryBudgets> {
  const time = new SimulatedTime()
  return startNodes(time, new MemoryBudgets(time), { count })
}

/** Starts nodes over a real database, whose clock is the simulated one. */
export function startNodesOver(database: Database, count: number, time = new SimulatedTime()): NodesWorld<BudgetStore> {
  const real = createBudgetStore({ database, source: { clock: () => time.now }, isClockGiven: true })
  const outside = async <T>(work: () => Promise<T>): Promise<T> => {
    await time.sleep(1)
    time.outside += 1
    try {
      return await work()
    } finally {
      time.outside -= 1
    }
  }
  const store: BudgetStore = { read: (keys) => outside(() => real.read(keys)), write: (changes) => outside(() => real.write(changes)) }
  return startNodes(time, store, { count, isAlone: database.dialect === 'sqlite' })
}

/**
 * Longest time between two calls when nodes die, in milliseconds: the last calls came up to a second before, then the lease ends, then the
 * second passes for which the dead node's last calls count.
 */
export const longestPauseMs = 2_500 + 2 * 1_050

/** Kills nodes that walk, one after the other, each at another time of its lease, and replaces them. */
export async function killNodes({ time, nodes, add }: NodesWorld<BudgetStore>, kills: number): Promise<StrictVendor> {
  const vendor = new StrictVendor(gongLimits.rates.slice(0, 1))
  const walk = { asker: provenFor('kills', gongLimits), vendor }
  const walkers = (node: BudgetNode) => {
    for (let walker = 0; walker < 20; walker += 1) void node.walk(walk)
  }
  nodes.forEach(walkers)
  for (let kill = 0; kill < kills; kill += 1) {
    await time.pass(2_000 + 37 * (kill % 60))
    const alive = nodes.filter(({ isDead }) => !isDead)
    // Now and then all but one are killed, so that the last one owns the key when it dies.
    for (const node of alive.slice(0, kill % 10 === 9 ? alive.length : 1)) {
      node.kill()
      walkers(add())
    }
  }
  await time.pass(5_000)
  for (const node of nodes) node.kill()
  return vendor
}
