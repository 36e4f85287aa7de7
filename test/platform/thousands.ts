/** Simulates many connectors: the queue and the schedules are the real ones, walks are replaced by their simulated duration. */

import { createHash } from 'node:crypto'
import { CompiledQuery, Kysely, type KyselyPlugin } from 'kysely'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { createCatalogue } from '../../packages/server/src/platform/connectors/catalogue.ts'
import { createDatabase, type Database } from '../../packages/server/src/platform/db/database.ts'
import { endRun, hasDueRun, leaseRuns, wakeRuns } from '../../packages/server/src/platform/db/queries/sync-queue.ts'
import { noError, type RunRow } from '../../packages/server/src/platform/db/queries/sync-runs.ts'
import type { Tables } from '../../packages/server/src/platform/db/schema.ts'
import { newId } from '../../packages/server/src/platform/model/ids.ts'
import { readSettings } from '../../packages/server/src/platform/settings/settings.ts'
import { leaseMs } from '../../packages/server/src/platform/syncs/queue/leases.ts'
import { beginSyncs } from '../../packages/server/src/platform/syncs/queue/queue.ts'
import { runSchedules } from '../../packages/server/src/platform/syncs/queue/schedules.ts'
import { listCopiedEntities } from '../../packages/server/src/platform/syncs/status/groups.ts'
import { connectorBody, firstPrincipal, type World } from './world.ts'

export const hourMs = 3_600_000
const second = 1_000
const workers = 8
/** Share of the workers' time that walks take, with every connector on the default interval. */
const utilization = 0.7
/** A first walk takes as many times as long. */
const firstFactor = 3
/** Every so many connectors one has an interval of ten minutes. */
const oftenEvery = 100
const oftenSeconds = 600

/** Statements whose texts are kept; the later ones have the same texts. */
const compared = 20_000

/** Counts statements, and keeps the texts of the first ones. */
class Counter implements KyselyPlugin {
  statements = 0
  readonly texts = new Map<string, CompiledQuery>()
  readonly #plain: Kysely<Tables>

  constructor(plain: Kysely<Tables>) {
    this.#plain = plain
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) => {
    this.statements += 1
    if (this.statements > compared) return node
    const query = this.#plain.getExecutor().compileQuery(node, queryId)
    if (!this.texts.has(query.sql)) this.texts.set(query.sql, query)
    return node
  }

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result

  /** Returns the plans of all statements in SQLite's words. */
  async plans(): Promise<readonly string[]> {
    const plans: string[] = []
    for (const { sql, parameters } of this.texts.values()) {
      const { rows } = await this.#plain.executeQuery<{ readonly detail: string }>(
        CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
      )
      plans.push(...rows.map(({ detail }) => detail))
    }
    return plans
  }
}

/** What a simulation takes. */
export interface Plan {
  readonly connectors: number
  readonly hours: number
  /** Walks at once on each of the 8 workers. */
  readonly atOnce: number
}

/** What a simulation has seen. */
export interface Seen {
  /** Starts of the walks of each connector, in milliseconds. */
  readonly starts: ReadonlyMap<string, readonly number[]>
  /** Intervals that differ from the default, in milliseconds. */
  readonly often: ReadonlySet<string>
  /** Largest number of statements in a claim, without those for each claimed run. */
  readonly claimStatements: number
  /** Plans of all statements of schedules, claims and ends. */
  readonly plans: readonly string[]
  /** Largest number of rows that a connector has. */
  readonly mostRows: number
  readonly runs: number
  /** Length of the queue at the end. */
  readonly waiting: number
}

/** Narrows by name: `instanceof` alone makes the compiler compare all types of Kysely. */
const isKysely = (db: Database['db']): db is Kysely<Tables> => db instanceof Kysely

/** One simulation. */
class Simulation {
  readonly starts = new Map<string, number[]>()
  readonly often = new Set<string>()
  claimStatements = 0
  runs = 0
  readonly #world: World
  readonly #plan: Plan
  readonly #database: Database
  readonly counter: Counter
  readonly #running: { readonly run: RunRow; readonly owner: string; readonly worker: number; readonly until: number }[] = []
  readonly #parts
  readonly #kinds: readonly string[]
  #drawn = 0

  constructor(world: World, plan: Plan) {
    const raw = world.raw()
    if (!isKysely(raw.db)) throw new Error('the database is no Kysely')
    this.counter = new Counter(raw.db)
    this.#world = world
    this.#plan = plan
    this.#database = createDatabase(raw.dialect, raw.db.withPlugin(this.counter), { close: () => raw.close() })
    const all = Object.values(kinds)
    const catalogue = createCatalogue(all)
    this.#kinds = all.map(({ definition }) => definition).flatMap((each) => (listCopiedEntities(each).length > 0 ? [each.kind] : []))
    const settings = readSettings(world.env, { kinds: all.map(({ definition }) => definition.kind) })
    this.#parts = {
      database: this.#database,
      source: { clock: () => world.now, randomBytes: (size: number) => this.#draw(size) },
      catalogue,
      settings,
    }
  }

  /** Returns bytes that are the same in each simulation. */
  #draw(size: number): Buffer {
    this.#drawn += 1
    return createHash('sha256').update(`${this.#drawn}`).digest().subarray(0, size)
  }

  /** Creates all connectors together: the worst herd. */
  async fill(): Promise<void> {
    const platform = await this.#world.open()
    const { id } = await platform.connectors.create(await firstPrincipal(platform), connectorBody())
    const { db } = this.#database
    const first = await db.selectFrom('connectors').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const rows = Array.from({ length: this.#plan.connectors }, (_, index) => ({
      ...first,
      id: newId(this.#parts.source),
      name: `Connector ${index}`,
      kind: this.#kinds[index % this.#kinds.length] ?? first.kind,
      unchecked: false,
      sandbox: false,
    }))
    await this.#database.transaction(async (inside) => {
      for (const row of rows) {
        await inside.insertInto('connectors').values(row).execute()
        await beginSyncs(this.#parts, inside, row)
        if (this.often.size * oftenEvery < this.starts.size) this.often.add(row.id)
        this.starts.set(row.id, [])
      }
      const seldom = inside.updateTable('sync_schedules').set({ interval_seconds: oftenSeconds })
      for (const often of this.often) await seldom.where('connector_id', '=', often).execute()
    })
    this.counter.texts.clear()
    this.counter.statements = 0
  }

  async run(): Promise<void> {
    const end = this.#world.now + this.#plan.hours * hourMs
    while (this.#world.now < end) {
      await this.#finish()
      await runSchedules(this.#parts)
      for (let worker = 0; worker < workers; worker += 1) if (!(await this.#claim(worker))) break
      this.#world.now = await this.#next()
    }
  }

  /** Claims as the worker of a node does. @returns false when nothing is due */
  async #claim(worker: number): Promise<boolean> {
    const { db } = this.#database
    const now = this.#world.now
    const free = this.#plan.atOnce - this.#running.filter((each) => each.worker === worker).length
    if (free <= 0) return true
    const before = this.counter.statements
    await wakeRuns(db, now)
    if (!(await hasDueRun(db))) return false
    const owner = newId(this.#parts.source)
    const lease = { owner, node: `${worker}`, session: null, now, until: now + leaseMs }
    const runs = await this.#database.transaction((inside) => leaseRuns(inside, lease, free))
    this.claimStatements = Math.max(this.claimStatements, this.counter.statements - before - runs.length)
    for (const run of runs) {
      this.#running.push({ run, owner, worker, until: now + this.#durationOf(run) })
      this.starts.get(run.connector_id)?.push(now)
    }
    return true
  }

  /** Returns the duration of a walk: from 0.5 to 1.5 times the mean, by the kind and the connector. */
  #durationOf({ connector_id, cause }: RunRow): number {
    const { connectors, atOnce } = this.#plan
    const perInterval = connectors * (1 + (hourMs / (oftenSeconds * second) - 1) / oftenEvery)
    const mean = (utilization * workers * atOnce * hourMs) / perInterval
    const share = createHash('sha256').update(`duration ${connector_id}`).digest().readUInt8(0) / 255
    return Math.round(mean * (0.5 + share) * (cause === 'created' ? firstFactor : 1))
  }

  async #finish(): Promise<void> {
    const over = this.#running.filter(({ until }) => until <= this.#world.now)
    for (const ended of over) {
      this.#running.splice(this.#running.indexOf(ended), 1)
      const { id, progress } = ended.run
      const end = { state: 'succeeded', finished_at: this.#world.now, progress, results: '[]', failures: 0, ...noError } as const
      await endRun(this.#database.db, { id, owner: ended.owner }, end)
      this.runs += 1
    }
  }

  /** Returns the time of the next event, at the nodes' pace of a second. */
  async #next(): Promise<number> {
    const { db } = this.#database
    const soon = this.#world.now + second
    const row = await db
      .selectFrom('sync_schedules')
      .select('next_run_at')
      .where('next_run_at', 'is not', null)
      .orderBy('next_run_at')
      .limit(1)
      .executeTakeFirst()
    const ends = this.#running.map(({ until }) => until)
    return Math.max(soon, Math.ceil(Math.min(row?.next_run_at ?? soon, ...ends) / second) * second)
  }

  async seen(): Promise<Seen> {
    const plans = await this.counter.plans()
    const { db } = this.#database
    const rows = await db.selectFrom('sync_runs').select(['connector_id', 'state']).execute()
    const counts = [...Map.groupBy(rows, ({ connector_id }) => connector_id).values()].map(({ length }) => length)
    const { starts, often, claimStatements, runs } = this
    const waiting = rows.filter(({ state }) => state === 'queued').length
    const mostRows = counts.reduce((one, other) => Math.max(one, other), 0)
    return { starts, often, claimStatements, runs, waiting, mostRows, plans }
  }
}

/** Simulates a platform whose connectors were all created together. */
export async function simulate(world: World, plan: Plan): Promise<Seen> {
  const simulation = new Simulation(world, plan)
  await simulation.fill()
  await simulation.run()
  return simulation.seen()
}

/** Returns the longest time between two starts of a connector, as a fraction of its interval. */
export function findLongestGap({ starts, often }: Seen, after: number): number {
  let longest = 0
  for (const [id, times] of starts) {
    const interval = often.has(id) ? oftenSeconds * second : hourMs
    const late = times.filter((time) => time >= after)
    late.forEach((time, index) => {
      longest = Math.max(longest, (time - (late[index - 1] ?? time)) / interval)
    })
  }
  return longest
}

/** Counts the starts in each ten minutes of the hour. */
export function countByTenMinutes({ starts }: Seen, after: number): readonly number[] {
  const parts = [0, 0, 0, 0, 0, 0]
  for (const time of [...starts.values()].flat().filter((each) => each >= after)) {
    const part = Math.floor((time % hourMs) / 600_000)
    parts[part] = (parts[part] ?? 0) + 1
  }
  return parts
}
