/** Simulates many connectors: the queue and the schedules are the real ones, walks are replaced by their simulated duration. */

import { createHash } from 'node:crypto'
import { Kysely } from 'kysely'
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import { createKinds } from '../../packages/server/src/connectors/kinds.ts'
import { beginSyncs } from '../../packages/server/src/copies/queue/queue.ts'
import { computeNextAttemptAt, leaseMs, mostFailures } from '../../packages/server/src/copies/queue/times.ts'
import { endRun, hasDueRun, leaseRuns, type RunEnd, wakeRuns } from '../../packages/server/src/copies/sql/sync-queue.ts'
import { noError, type RunRow } from '../../packages/server/src/copies/sql/sync-runs.ts'
import { listCopiedEntities } from '../../packages/server/src/copies/sync/walk/plan.ts'
import { runSchedules } from '../../packages/server/src/copies/sync/worker.ts'
import { createDatabase, type Database } from '../../packages/server/src/db/database.ts'
import type { Tables } from '../../packages/server/src/db/schema/schema.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { newId } from '../../packages/server/src/values/ids.ts'
import { Counter } from './thousands-counter.ts'
import { behaviourOf, durationOf, oftenSeconds, type Simulated } from './thousands-walks.ts'
import { connectorBody, firstPrincipal, type World } from './world.ts'

export const hourMs = 3_600_000
const workers = 8
/** Time after which a walk yields to waiting runs, as the workers do it. */
const sliceMs = 300_000
/** Looks of the workers in one transaction of the simulation: commits cost more than what they commit. */
const looksAtOnce = 200

/** What a simulation takes. */
export interface Plan {
  readonly connectors: number
  readonly hours: number
  /** Walks at once on each of the 8 workers. */
  readonly atOnce: number
  /** Time between two looks of the workers, in milliseconds. */
  readonly turnMs: number
  /** Called at the end of each simulated hour. */
  readonly onHour?: (progress: Progress) => void
}

/** Figures during a simulation. */
export interface Progress extends Starts {
  readonly hour: number
  readonly ended: Readonly<Record<string, number>>
  /** Walks at the end of the hour. */
  readonly walking: number
  /** Size of the platform's database. */
  readonly bytes: number
}

/** When runs started. */
export interface Starts {
  readonly connectors: ReadonlyMap<string, Simulated>
  /** Starts of the runs of each connector, in milliseconds; a resumed run counts once. */
  readonly starts: ReadonlyMap<string, readonly number[]>
}

/** What a simulation has seen. */
export interface Seen extends Starts {
  /** Largest number of statements in a claim, without those for each claimed run. */
  readonly claimStatements: number
  /** Plans of all statements of schedules, claims and ends. */
  readonly plans: readonly string[]
  /** Largest number of rows that a connector has. */
  readonly mostRows: number
  /** Ended runs by their state. */
  readonly ended: Readonly<Record<string, number>>
  readonly waiting: number
}

interface Walk {
  readonly run: RunRow
  readonly owner: string
  readonly worker: number
  readonly begunAt: number
  readonly until: number
}

type Without<E> = E extends RunEnd ? Omit<E, 'progress' | 'results' | keyof typeof noError> : never
/** How a walk ends. */
type Ending = Without<RunEnd>

/** Narrows by name: `instanceof` alone makes the compiler compare all types of Kysely. */
const isKysely = (db: Database['db']): db is Kysely<Tables> => db instanceof Kysely

/** One simulation. */
class Simulation {
  readonly connectors = new Map<string, Simulated>()
  readonly starts = new Map<string, number[]>()
  readonly ended: Record<string, number> = {}
  claimStatements = 0
  readonly counter: Counter
  readonly #world: World
  readonly #plan: Plan
  readonly #database: Database
  /** The transaction of the looks. */
  #inside: Database
  #walks: Walk[] = []
  /** Time that yielded walks still take. */
  readonly #left = new Map<string, number>()
  readonly #parts
  readonly #kinds: readonly string[]
  #drawn = 0

  constructor(world: World, plan: Plan) {
    const raw = world.raw()
    if (!isKysely(raw.db)) throw new Error('the database is no Kysely')
    this.counter = new Counter(raw.db)
    this.#world = world
    this.#plan = plan
    this.#database = createDatabase(raw.dialect, raw.db.withPlugin(this.counter), { close: () => raw.close(), ready: () => raw.ready() })
    this.#inside = this.#database
    const all = Object.values(kinds)
    this.#kinds = all.map(({ definition }) => definition).flatMap((each) => (listCopiedEntities(each).length > 0 ? [each.kind] : []))
    const settings = readSettings(world.env, { kinds: all.map(({ definition }) => definition.kind) })
    const source = { clock: () => world.now, randomBytes: (size: number) => this.#draw(size) }
    this.#parts = { source, kinds: createKinds(raw.db, all), settings }
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
    const first = await this.#database.db.selectFrom('connectors').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    await this.#database.transaction(async (inside) => {
      for (let index = 0; index < this.#plan.connectors; index += 1) {
        const kind = this.#kinds[index % this.#kinds.length] ?? first.kind
        const behaviour = behaviourOf(index)
        const own = {
          id: newId(this.#parts.source),
          name: `Connector ${index}`,
          kind,
          unchecked: behaviour === 'unchecked',
          sandbox: false,
        }
        const row = { ...first, ...own }
        await inside.insertInto('connectors').values(row).execute()
        await beginSyncs(this.#parts, inside, row)
        if (behaviour === 'often')
          await inside.updateTable('sync_schedules').set({ interval_seconds: oftenSeconds }).where('connector_id', '=', row.id).execute()
        this.connectors.set(row.id, { id: row.id, kind, behaviour })
        this.starts.set(row.id, [])
      }
    })
    this.counter.texts.clear()
    this.counter.statements = 0
  }

  async run(): Promise<void> {
    const begin = this.#world.now
    const end = begin + this.#plan.hours * hourMs
    for (let hour = 1; this.#world.now < end; ) {
      await this.#database.transaction(async (inside) => {
        this.#inside = { ...this.#database, db: inside, transaction: (work) => work(inside) }
        for (let look = 0; look < looksAtOnce && this.#world.now < end; look += 1) await this.#look(look)
      })
      for (; this.#world.now >= begin + hour * hourMs; hour += 1) this.#plan.onHour?.(await this.#measure(hour))
    }
    this.#inside = this.#database
  }

  async #look(look: number): Promise<void> {
    await this.#finish()
    await runSchedules({ ...this.#parts, database: this.#inside })
    for (let turn = 0; turn < workers; turn += 1) if (!(await this.#claim((look + turn) % workers))) break
    this.#world.now += this.#plan.turnMs
  }

  /** Claims as the worker of a node does. @returns false when nothing is due */
  async #claim(worker: number): Promise<boolean> {
    const { db, transaction } = this.#inside
    const { now } = this.#world
    const own = this.#walks.filter((each) => each.worker === worker)
    const free = this.#plan.atOnce - own.length
    const before = this.counter.statements
    await wakeRuns(db, now)
    if (!(await hasDueRun(db, now))) return false
    if (free <= 0) {
      await this.#yield(own)
      return true
    }
    const owner = newId(this.#parts.source)
    const lease = { owner, node: `${worker}`, session: null, now, until: now + leaseMs }
    const runs = await transaction((inside) => leaseRuns(inside, lease, free))
    this.claimStatements = Math.max(this.claimStatements, this.counter.statements - before - runs.length)
    for (const run of runs) {
      this.#walks.push({ run, owner, worker, begunAt: now, until: now + this.#durationOf(run) })
      if (run.attempts === 1) this.starts.get(run.connector_id)?.push(now)
    }
    return true
  }

  #durationOf({ id, connector_id, cause }: RunRow): number {
    const connector = this.connectors.get(connector_id)
    return this.#left.get(id) ?? (connector === undefined ? 0 : durationOf(connector, cause))
  }

  /** Ends the longest walk of a full worker, as workers do. */
  async #yield(own: readonly Walk[]): Promise<void> {
    const { now } = this.#world
    const [longest] = own.toSorted((one, other) => one.begunAt - other.begunAt)
    if (longest === undefined || now - longest.begunAt < sliceMs) return
    this.#left.set(longest.run.id, longest.until - now)
    this.#walks = this.#walks.filter((walk) => walk !== longest)
    await this.#end(longest, { state: 'queued', not_before: null, queue_order: now, failures: longest.run.failures })
  }

  async #finish(): Promise<void> {
    const { now } = this.#world
    const over = this.#walks.filter(({ until }) => until <= now)
    if (over.length === 0) return
    this.#walks = this.#walks.filter(({ until }) => until > now)
    for (const walk of over) {
      const { id, connector_id, queue_order, failures: before } = walk.run
      this.#left.delete(id)
      const isFailing = this.connectors.get(connector_id)?.behaviour === 'failing'
      const failures = isFailing ? before + 1 : 0
      if (isFailing && failures < mostFailures) {
        const not_before = computeNextAttemptAt(this.#parts, { failures, askedMs: undefined, isExact: false })
        await this.#end(walk, { state: 'queued', not_before, queue_order, failures })
      } else await this.#end(walk, { state: isFailing ? 'failed' : 'succeeded', finished_at: now, failures })
    }
  }

  async #end({ run, owner }: Walk, how: Ending): Promise<void> {
    this.ended[how.state] = (this.ended[how.state] ?? 0) + 1
    await endRun(this.#inside.db, { id: run.id, owner }, { progress: run.progress, results: '[]', ...noError, ...how })
  }

  async #measure(hour: number): Promise<Progress> {
    const bytes = await this.counter.bytes()
    const { connectors, starts, ended } = this
    return { hour, ended, walking: this.#walks.length, bytes, connectors, starts }
  }

  async seen(): Promise<Seen> {
    const plans = await this.counter.plans()
    const { db } = this.#database
    const rows = await db.selectFrom('sync_runs').select(['connector_id', 'state']).execute()
    const counts = [...Map.groupBy(rows, ({ connector_id }) => connector_id).values()].map(({ length }) => length)
    const { connectors, starts, claimStatements, ended } = this
    const waiting = rows.filter(({ state }) => state === 'queued').length
    const mostRows = counts.reduce((one, other) => Math.max(one, other), 0)
    return { connectors, starts, claimStatements, ended, waiting, mostRows, plans }
  }
}

/** Simulates a platform whose connectors were all created together. */
export async function simulate(world: World, plan: Plan): Promise<Seen> {
  const simulation = new Simulation(world, plan)
  await simulation.fill()
  await simulation.run()
  return simulation.seen()
}
