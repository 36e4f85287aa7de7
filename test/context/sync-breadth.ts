/**
 * A first sync of the stand-in's store, with 16,000 orders, on a simulated clock. The stand-in enforces the vendor's own limits by that
 * clock, and a refused call fails the run.
 */

import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { shopifyCredentials, startSandbox } from '../../packages/sandbox/src/index.ts'
import { listStored, planRun } from '../../packages/server/src/copies/sync/walk/plan.ts'
import { runInSlices } from '../../packages/server/src/copies/sync/walk/run.ts'
import type { Ask, SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { StoreDouble } from './sync-double.ts'
import { askOf, connectionOf, truthConnector } from './sync-truth-child.ts'
import { originOf, syncedKinds } from './sync-truth-kinds.ts'

const begin = Date.parse('2026-08-10T10:00:00Z')
/** Way to the vendor and back, in milliseconds. */
const wayMs = 200
/** The vendor's bucket on the usual plan: filled to 90 %, as the service does. */
const bucket = { most: 36, perSecond: 2 } as const
const { definition } = syncedKinds.shopify

/** How the first sync of a store went. Times are seconds of the simulated clock since its begin. */
export interface BreadthReport {
  /** Orders of the store that the token sees. */
  readonly orders: number
  /** Id of its newest order. */
  readonly newestOrder: number
  /** When the first page of each entity was read: records of it can be searched, if its first parents have some. */
  readonly begun: ReadonlyMap<string, number>
  /** When the first record of each entity was stored. */
  readonly filled: ReadonlyMap<string, number>
  /** When each entity was complete. */
  readonly complete: ReadonlyMap<string, number>
  /** Number of calls by entity. */
  readonly calls: ReadonlyMap<string, number>
  /** Parents in the order in which their lists were called for, by entity. */
  readonly parents: ReadonlyMap<string, readonly number[]>
}

/** What a simulation does beside the run. */
export interface BreadthOptions {
  /** Returns whether the run is stopped; asked after each turn. */
  readonly isEnough?: (report: BreadthReport) => boolean
  /** Returns whether a search waits for an entity. @param seconds simulated time since the begin */
  readonly isAsked?: (entity: string, seconds: number) => boolean
}

const enough = new Error('enough')
const trees = planRun(definition, () => true)

/** Entities whose lists need no call per record. */
export const listedEntities = trees.filter(({ isQuick }) => isQuick).flatMap((tree) => listStored(tree).map(({ entity }) => entity))
/** Entities that are called for per record. */
export const perRecordEntities = trees.filter(({ isQuick }) => !isQuick).flatMap((tree) => listStored(tree).map(({ entity }) => entity))

/** The vendor's bucket on the simulated clock. */
class Budget {
  readonly #clock: { now: number }
  #level = 0
  #at: number

  constructor(clock: { now: number }) {
    this.#clock = clock
    this.#at = clock.now
  }

  /** Waits until the bucket has room, then for the way. */
  pass(): void {
    const drained = this.#level - ((this.#clock.now - this.#at) / 1_000) * bucket.perSecond
    this.#level = Math.max(0, drained)
    const full = this.#level + 1 - bucket.most
    if (full > 0) this.#clock.now += Math.ceil((full / bucket.perSecond) * 1_000)
    this.#level = Math.min(this.#level, bucket.most - 1) + 1
    this.#at = this.#clock.now
    this.#clock.now += wayMs
  }
}

/** Syncs the store until it is complete, or until it is enough. */
export async function simulateFirstSync({ isEnough = () => false, isAsked = () => false }: BreadthOptions = {}): Promise<BreadthReport> {
  const clock = { now: begin }
  await using sandbox = await startSandbox({ clock: () => clock.now })
  const engine = createEngine({ limits: false, clock: () => clock.now })
  const budget = new Budget(clock)
  const { counts, newestOrderId: newestOrder } = sandbox.shopify.world
  const times = (): Map<string, number> => new Map()
  const parents = new Map<string, number[]>()
  const report = { orders: counts.orders, newestOrder, begun: times(), filled: times(), complete: times(), calls: times(), parents }
  const seconds = (): number => (clock.now - begin) / 1_000
  const credentials = { api_key: shopifyCredentials.token }
  const configuration = { shop: shopifyCredentials.shop }
  const send = askOf(engine, connectionOf({ kind: 'shopify', origin: originOf(sandbox, 'shopify'), credentials, configuration }))
  const ask: Ask = async (call) => {
    budget.pass()
    report.calls.set(call.entity, (report.calls.get(call.entity) ?? 0) + 1)
    const parent = Object.entries(call.params).find(
      ([name, value]) => name.endsWith('_id') && name !== 'since_id' && typeof value === 'number',
    )
    if (parent !== undefined) parents.set(call.entity, [...(parents.get(call.entity) ?? []), Number(parent[1])])
    return send(call)
  }
  const note = (moments: Map<string, number>, entity: string): void => {
    if (!moments.has(entity)) moments.set(entity, seconds())
  }
  const task: SyncTask = {
    ...{ kind: syncedKinds.shopify, connector: truthConnector, configuration, store: new StoreDouble(definition.entities), ask },
    ...{ mode: 'full' as const, clock: () => clock.now, signal: new AbortController().signal },
    progress: {
      note: ({ entity, pages, written }) => {
        if (pages > 0) note(report.begun, entity)
        if (written > 0) note(report.filled, entity)
      },
      noteShare: () => undefined,
    },
  }
  try {
    await runInSlices(task, trees, {
      prepare: async () => 0,
      isAsked: (entity) => isAsked(entity, seconds()),
      turned: () => {
        if (isEnough(report)) throw enough
      },
      ended: async ({ results }) => {
        for (const { entity } of results) note(report.complete, entity)
      },
      failed: (_tree, thrown) => Promise.reject(thrown),
    })
  } catch (thrown) {
    if (thrown !== enough) throw thrown
  } finally {
    await engine.close()
  }
  return report
}
