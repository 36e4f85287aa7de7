/** Syncs from a stand-in whose world changes, under faults, clock jumps and kills, and compares the copy record by record. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isObject } from '../../packages/ferrule/src/definition/object.ts'
import { createEngine, type Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { parseJson } from '../../packages/ferrule/src/values/json/json.ts'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts'
import { Random } from '../../packages/sandbox/src/random.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SyncTask } from '../../packages/server/src/copies/sync/walk/types.ts'
import { createSearcher } from '../support/searcher.ts'
import { type SyncResult, syncConnector } from './sync-connector.ts'
import { askOf, type ChildLine, connectionOf, type SyncChildOptions, settingsOf, truthConnector } from './sync-truth-child.ts'
import { type Changeable, disturb, drawSyncFault, originOf, type SyncedKind, syncedKinds, type TruthCase } from './sync-truth-kinds.ts'
import { expectedOf, textOf } from './sync-truth-walks.ts'

const program = fileURLToPath(new URL('./sync-truth-child.ts', import.meta.url))
const hour = 3_600_000
const day = 24 * hour
const begin = Date.parse('2026-08-10T10:00:00Z')

/** Result of a round of disturbances. */
export interface TruthReport {
  readonly rounds: number
  readonly kills: number
  /** Runs that ended with an error of the vendor or the store. */
  readonly failures: number
  readonly changes: number
  readonly faults: number
}

/** Size of the disturbances. */
export interface TruthOptions {
  readonly seed: number
  readonly rounds: number
  /** Maximum time before a run is killed, in milliseconds. */
  readonly longestLife: number
}

/** What can be changed: the stand-in's name for it → the entity that lists it, and its id there. */
const listed: Readonly<Record<SyncedKind, Readonly<Record<string, readonly [entity: string, id: string]>>>> = {
  gong: { calls: ['calls', 'id'] },
  shopify: {
    orders: ['orders', 'id'],
    checkouts: ['abandoned_checkouts', 'id'],
    price_rules: ['price_rules', 'id'],
    collections: ['custom_collections', 'id'],
    draft_orders: ['draft_orders', 'id'],
    locations: ['locations', 'id'],
    metafields_shop: ['metafield_shops', 'id'],
    customers: ['customers', 'id'],
    products: ['products', 'id'],
  },
  'tiktok-marketing': {
    campaigns: ['campaigns', 'campaign_id'],
    ad_groups: ['ad_groups', 'adgroup_id'],
    ads: ['ads', 'ad_id'],
    audiences: ['audiences', 'audience_id'],
    images: ['creative_assets_images', 'image_id'],
    videos: ['creative_assets_videos', 'video_id'],
  },
}

/** Lists of a page or two: enough to change something. */
const firstPage: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  orders: { status: 'any', limit: 250 },
  abandoned_checkouts: { status: 'any' },
}

/** A stand-in with a connector and its copy. */
export class Truth {
  readonly given: TruthCase
  readonly sandbox: Sandbox
  /** Clock of the vendor, and how far the service's clock is ahead, in milliseconds. */
  readonly clock: { now: number; ahead: number }
  readonly at: SyncChildOptions['at']
  readonly #engine: Engine
  #ids: Changeable = new Map()
  #runs = 0
  #counts = { rounds: 0, kills: 0, failures: 0, changes: 0, faults: 0 }

  private constructor(given: TruthCase, sandbox: Sandbox, { clock, at }: { clock: Truth['clock']; at: Truth['at'] }) {
    this.given = given
    this.sandbox = sandbox
    this.clock = clock
    this.at = at
    this.#engine = createEngine({ limits: false, clock: () => clock.now })
  }

  /**
   * Opens a world.
   * @param calls number of Gong's calls
   */
  static async open(given: TruthCase, at: Truth['at'], calls?: number): Promise<Truth> {
    const clock = { now: begin, ahead: 0 }
    const sandbox = await startSandbox({ limits: false, clock: () => clock.now, ...(calls === undefined ? {} : { calls }) })
    const truth = new Truth(given, sandbox, { clock, at })
    truth.#ids = await truth.#changeable()
    return truth
  }

  /** Returns the ids that can be changed, by the stand-in's name for their records. */
  idsOf(name: string): readonly string[] {
    return this.#ids.get(name) ?? []
  }

  get report(): TruthReport {
    return this.#counts
  }

  async close(): Promise<void> {
    await this.#engine.close()
    await this.sandbox.close()
  }

  /** Runs rounds with faults, changes and clock jumps; most are killed. */
  async disturbed({ seed, rounds, longestLife }: TruthOptions): Promise<void> {
    const random = new Random('truth', this.given.kind, seed)
    // Restores the records that exist only later, one by one.
    for (let count = 0; count < 60; count += 1) this.#change(random)
    for (let round = 0; round < rounds; round += 1) {
      this.#counts.rounds += 1
      this.clock.now += random.int(0, 3 * day)
      this.clock.ahead = random.pick([0, 0, 0, hour, -2 * hour, day, -day, 300 * day])
      for (let count = random.int(0, 4); count > 0; count -= 1) {
        this.sandbox.faults.add(drawSyncFault(random, this.given.kind))
        this.#counts.faults += 1
      }
      const isKilled = random.chance(0.8)
      const mode = random.chance(0.4) ? 'full' : 'incremental'
      await this.#child({ mode, life: isKilled ? random.int(0, longestLife) : undefined, random })
      this.sandbox.faults.clear()
    }
    this.clock.ahead = 0
  }

  /** Runs once in this process, without disturbances. */
  async sync(store: ContextStore, mode: SyncTask['mode']): Promise<SyncResult> {
    const { kind, configuration, wanted } = this.given
    this.#runs += 1
    return syncConnector({
      kind: syncedKinds[kind],
      connector: truthConnector,
      configuration,
      store,
      ask: askOf(this.#engine, connectionOf({ ...this.given, origin: originOf(this.sandbox, kind) })),
      wanted: (entity) => wanted.includes(entity),
      mode,
      run: `run ${this.#runs}`,
      fullEvery: 7 * day,
      clock: () => this.clock.now + this.clock.ahead,
      signal: new AbortController().signal,
    })
  }

  /** Opens the copy in this process. */
  store(): ContextStore {
    return new ContextStore({
      settings: settingsOf(this.at),
      kinds: [syncedKinds[this.given.kind].definition],
      clock: () => this.clock.now,
    })
  }

  /** Reads the copy of an entity through searches: records as sorted strings. */
  async copyOf(store: ContextStore, entity: string): Promise<readonly string[]> {
    const ref = { connector: truthConnector, kind: this.given.kind, entity }
    const found: string[] = []
    for await (const page of createSearcher(store).readPages(
      { ref, params: { query: {} }, key: new Uint8Array(32), now: this.clock.now },
      5_000,
    ))
      for (const json of page) {
        const record = parseJson(json)
        if (isObject(record)) found.push(textOf(this.given.kind, entity, record))
      }
    return found.toSorted()
  }

  /** Compares the copy with the vendor: what is missing and what is extra, by entity. Empty when they agree. */
  async differences(store: ContextStore): Promise<Record<string, unknown>> {
    const ask = askOf(this.#engine, connectionOf({ ...this.given, origin: originOf(this.sandbox, this.given.kind) }))
    const expected = await expectedOf(ask, this.given, this.clock.now)
    const differences: Record<string, unknown> = {}
    for (const [entity, rows] of expected) {
      const copy = await this.copyOf(store, entity)
      const [there, wanted] = [new Set(copy), new Set(rows)]
      const missing = rows.filter((row) => !there.has(row))
      const surplus = copy.filter((row) => !wanted.has(row))
      if (missing.length + surplus.length > 0 || copy.length !== rows.length)
        differences[entity] = { of: rows.length, found: copy.length, missing: shown(missing), surplus: shown(surplus) }
      if (rows.length === 0 && isFilled(entity)) differences[entity] = 'the vendor has none: nothing is proved'
    }
    return differences
  }

  /** Makes one change at the vendor. */
  #change(random: Random): void {
    disturb(this.sandbox, this.given.kind, { random, ids: this.#ids })
    this.#counts.changes += 1
  }

  async #changeable(): Promise<Changeable> {
    const { kind, configuration } = this.given
    const ask = askOf(this.#engine, connectionOf({ ...this.given, origin: originOf(this.sandbox, kind) }))
    const { advertiser_id: advertiser } = configuration
    const params = kind === 'tiktok-marketing' ? { advertiser_id: Array.isArray(advertiser) ? advertiser[0] : advertiser } : {}
    const found = new Map<string, readonly string[]>()
    for (const [name, [entity, id]] of Object.entries(listed[kind])) {
      const all: string[] = []
      for (let current: Readonly<Record<string, unknown>> | null = { ...params, ...firstPage[entity] }; current !== null; ) {
        const { rows, next } = await ask({ entity, action: 'list', params: current })
        all.push(...rows.flatMap((row) => (isObject(row) ? [String(row[id])] : [])))
        // Calls come oldest first and all can be changed; of the other entities one page is enough.
        current = next === null || kind !== 'gong' ? null : { ...current, ...next }
      }
      found.set(name, all)
    }
    return found
  }

  async #child({ mode, life, random }: { mode: SyncTask['mode']; life: number | undefined; random: Random }): Promise<void> {
    this.#runs += 1
    const { kind, credentials, configuration, wanted } = this.given
    const origin = originOf(this.sandbox, kind)
    const now = this.clock.now + this.clock.ahead
    const options: SyncChildOptions = { kind, at: this.at, origin, credentials, configuration, wanted, mode, run: `run ${this.#runs}`, now }
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let changing: NodeJS.Timeout | undefined
    let dying: NodeJS.Timeout | undefined
    for await (const line of createInterface({ input: child.stdout })) {
      const said = lineOf(line)
      if ('ready' in said) {
        changing = setInterval(() => this.#change(random), random.int(5, 40))
        if (life !== undefined) dying = setTimeout(() => child.kill('SIGKILL'), life)
      } else if ('failed' in said) this.#counts.failures += 1
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    clearInterval(changing)
    clearTimeout(dying)
    if (child.signalCode === 'SIGKILL') this.#counts.kills += 1
    else if (child.exitCode !== 0) throw new Error(`the run ended with ${child.exitCode}`)
  }
}

/** Returns the first few records, shortened. */
const shown = (rows: readonly string[]): string[] => rows.slice(0, 2).map((row) => row.slice(0, 400))

const lineOf = (line: string): ChildLine => JSON.parse(line)

/** Returns whether even a small world has records of an entity. */
const isFilled = (entity: string): boolean => !/^(abandoned_checkouts|metafield_)/.test(entity)
