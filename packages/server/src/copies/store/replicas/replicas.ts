/** Sends searches to read replicas that have the primary's state of an entity, else to the primary (docs/decisions/postgresql.md). */
import { FerruleError } from 'ferrule'
import { fail } from 'ferrule/internal'
import type { ServerOptions } from '../../../db/connections/database-server.ts'
import { GroupedLooks } from '../../../values/grouped-looks.ts'
import { within } from '../../../values/within.ts'
import { connectWith, createPool, type PoolOptions } from '../database/client-pools.ts'
import { createContextDatabase } from '../database/context-database.ts'
import {
  type Answer,
  type ContextDatabase,
  type Engine,
  Lane,
  type ReadOptions,
  type Row,
  type Session,
  type Statement,
  type TableLayout,
} from '../database/database.ts'
import { hasCode } from '../database/problems.ts'
import type { ContextStoreSettings } from '../database/settings.ts'
import {
  buildLookStatement,
  buildStampStatement,
  factsStatement,
  findRefusal,
  type PrimaryLook,
  parseFacts,
  parseLook,
  type SearchedRows,
} from './facts.ts'
import {
  type ReplicaChange,
  type ReplicaRules,
  type ReplicaState,
  type ReplicaStatus,
  replicaRules,
  type SearchRoute,
  searchRoutes,
} from './types.ts'

interface ReplicaOptions extends Pick<ServerOptions, 'url' | 'password'> {
  /** Maximum number of concurrent searches, each with a connection. */
  readonly searches: number
  /** Timeout of a search in milliseconds. */
  readonly searchMs: number
  /** Timeout of connecting in milliseconds. */
  readonly connectMs: number
}

interface ReplicaDatabase extends Pick<ContextDatabase, 'read' | 'glance' | 'close'> {
  readonly running: number
}

/** Opens a replica. The first statement connects. */
function openReplica(options: ReplicaOptions): ReplicaDatabase {
  const lane = new Lane({ slots: options.searches, waiting: 0, waitMs: 0 })
  const database = createContextDatabase(createReplicaEngine(options, lane))
  return {
    read: database.read,
    glance: database.glance,
    close: database.close,
    get running() {
      return lane.load.running
    },
  }
}

function createReplicaEngine(options: ReplicaOptions, lane: Lane): Engine {
  const limits: PoolOptions = { ...options, writers: 0, writeMs: options.searchMs }
  const { url, password, connectMs } = options
  // The driver is loaded with the first replica.
  const createServer = async () => {
    const { Server } = await import('../../../db/connections/database-server.ts')
    return new Server({ url, password, connectMs, setting: 'CONTEXT_READ_URLS', isReplica: true })
  }
  let made: ReturnType<typeof createServer> | undefined
  const openPools = async () => {
    made ??= createServer()
    const server = await made
    const isPooled = await server.greet()
    const create = (use: 'search' | 'lookup') => createPool(server, limits, use, isPooled)
    return { server, isPooled, search: create('search'), lookup: create('lookup') }
  }
  let opening: ReturnType<typeof openPools> | undefined
  const open = () => {
    opening ??= openPools().catch((thrown: unknown) => {
      opening = undefined
      throw thrown
    })
    return opening
  }
  return {
    name: 'postgres',
    lanes: { search: lane, write: lane },
    limits: { search: options.searchMs, write: options.searchMs },
    connect: async (_purpose, hasOnePlan = false) => {
      const { server, isPooled, ...pools } = await open()
      const use = hasOnePlan ? 'lookup' : 'search'
      const client = await pools[use].connect()
      return connectWith({ client, use, isPooled, server, giveBack: (broken) => server.release(client, broken) }, limits)
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined)
      await Promise.all([opened?.search.end(), opened?.lookup.end()])
      const server = await made
      server?.close()
    },
  }
}

interface ReplicaParts extends Omit<ReplicaOptions, 'connectMs'> {
  /** Position in the setting, from 1 on. */
  readonly position: number
  readonly rules: ReplicaRules
  /** Runs a short statement on the primary. */
  readonly glanceAtPrimary: ContextDatabase['glance']
  readonly onChange: ((change: ReplicaChange) => void) | undefined
}

interface ReplicaSearch<T> extends SearchedRows {
  readonly look: PrimaryLook
  readonly work: (session: Session, number: number) => Promise<T>
}

/** Result of a search. `behind`: the replica has another state of the entity. `failed`: it did not finish. */
type ReplicaOutcome<T> = { readonly found: T } | 'behind' | 'failed'

/** Returns the server's or the driver's message, which holds no password. */
function describeFailure(thrown: unknown): string {
  const cause = thrown instanceof FerruleError && thrown.cause !== undefined ? thrown.cause : thrown
  return cause instanceof Error && cause.message !== '' ? cause.message : 'it does not answer'
}

/** A replica. It is looked at in the background, and not used until a look was good. */
class Replica {
  readonly #parts: ReplicaParts
  readonly #database: ReplicaDatabase
  #state: ReplicaState = 'unknown'
  #reason: string | undefined
  #timeline = 0
  #lagBytes: number | null = null
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined
  #failures = 0
  #isClosed = false
  /** Stops searches of a replica that is left, so that the primary answers them in time. */
  #leaving = new AbortController()

  constructor(parts: ReplicaParts) {
    this.#parts = parts
    this.#database = openReplica({ ...parts, connectMs: parts.rules.answerMs })
  }

  /** Returns the state as of the last look. */
  get status(): ReplicaStatus {
    return { position: this.#parts.position, state: this.#state, lagBytes: this.#lagBytes }
  }

  get isUsed(): boolean {
    return this.#state === 'used'
  }

  get running(): number {
    return this.#database.running
  }

  get isBusy(): boolean {
    return this.running >= this.#parts.searches
  }

  /** Looks at the replica now, and from then on in intervals. */
  start(): void {
    if (!this.#isClosed && this.#timer === undefined && this.#checking === undefined) void this.#check()
  }

  /**
   * Runs a search in one snapshot, if the snapshot has the primary's state of the entity.
   * @throws the reason of the caller's signal; FerruleError `context_store_timeout` when the time of the search is over
   */
  async search<T>({ look, work, ...rows }: ReplicaSearch<T>, options: ReadOptions): Promise<ReplicaOutcome<T>> {
    if (!this.isUsed || look.timeline !== this.#timeline) return 'behind'
    const { answerMs } = this.#parts.rules
    const left = this.#leaving.signal
    const signal = options.signal === undefined ? left : AbortSignal.any([left, options.signal])
    const begin = performance.now()
    let isGreeted = false
    const compare = async (session: Session): Promise<ReplicaOutcome<T>> => {
      const [seen] = (await session.query<Row>(buildStampStatement(rows))).rows
      isGreeted = true
      if (seen?.['standby'] !== true) {
        this.#leave('refused', 'it was promoted')
        return 'failed'
      }
      return seen['stamp'] === look.stamp ? { found: await work(session, rows.number) } : 'behind'
    }
    try {
      return await this.#database.read(compare, { ...options, signal, isOneSnapshot: true, firstMs: answerMs })
    } catch (thrown) {
      options.signal?.throwIfAborted()
      const isLate = hasCode(thrown, 'context_store_timeout') && !left.aborted
      if (isLate && (isGreeted || performance.now() - begin < answerMs)) {
        if (this.#checking === undefined) void this.#check() // soon, because it let a search run out of time
        throw thrown
      }
      const isBroken = !isGreeted || hasCode(thrown, 'context_store_unavailable')
      if (isBroken && !left.aborted && !hasCode(thrown, 'overloaded')) this.#leave('gone', describeFailure(thrown))
      return 'failed'
    }
  }

  /** Runs a short statement outside of searches. @throws what the database throws */
  glance(statement: Statement): Promise<Answer> {
    return this.#database.glance(statement, { timeoutMs: this.#parts.rules.answerMs })
  }

  /** Stops searches and closes the connections; those that a dead server leaves open end with the process. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#leaving.abort(new Error('the context store is closed'))
    await this.#checking
    await within(this.#parts.rules.answerMs, this.#database.close(), () => undefined)
  }

  #check(): Promise<void> {
    clearTimeout(this.#timer)
    this.#checking ??= this.#compare()
      .catch((thrown: unknown) => this.#leave('gone', describeFailure(thrown)))
      .finally(() => {
        this.#checking = undefined
        this.#plan()
      })
    return this.#checking
  }

  #plan(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    const { checkMs, retryMs, longestRetryMs } = this.#parts.rules
    const waitMs = this.isUsed ? checkMs : Math.min(longestRetryMs, retryMs * 2 ** Math.max(0, this.#failures - 1))
    this.#timer = setTimeout(() => void this.#check(), waitMs).unref()
  }

  async #compare(): Promise<void> {
    const own = parseFacts((await this.glance(factsStatement)).rows)
    const primary = await this.#readPrimary()
    if (primary === undefined) return
    const refusal = findRefusal(own, primary)
    if (refusal !== undefined) return this.#leave('refused', refusal)
    this.#failures = 0
    this.#timeline = own.timeline
    this.#lagBytes = Math.max(0, Number(primary.position - own.position))
    if (this.#leaving.signal.aborted && !this.#isClosed) this.#leaving = new AbortController()
    this.#change('used', undefined)
  }

  /** Reads the facts of the primary; undefined when it does not answer, which says nothing about the replica. */
  async #readPrimary() {
    const { glanceAtPrimary, rules } = this.#parts
    const answer = await glanceAtPrimary<Row>(factsStatement, { timeoutMs: rules.answerMs }).catch(() => undefined)
    return answer && parseFacts(answer.rows)
  }

  /** Leaves a replica, unless a search did so before. */
  #leave(state: 'gone' | 'refused', reason: string): void {
    if (!this.isUsed && this.#checking === undefined) return
    this.#failures += 1
    this.#lagBytes = null
    this.#leaving.abort(new Error('the replica is left'))
    this.#change(state, reason)
    if (this.#checking === undefined) this.#plan()
  }

  #change(state: ReplicaState, reason: string | undefined): void {
    if (this.#isClosed || (state === this.#state && reason === this.#reason)) return
    this.#state = state
    this.#reason = reason
    this.#parts.onChange?.({ position: this.#parts.position, state, reason })
  }
}

/** Options of `Replicas`. */
export interface ReplicasOptions {
  readonly settings: ContextStoreSettings
  /** Rules that differ from the usual ones. */
  readonly rules: Partial<ReplicaRules> | undefined
  readonly primary: () => Promise<ContextDatabase>
  readonly onChange: ((change: ReplicaChange) => void) | undefined
}

/** A search. */
export interface RoutedSearch<T> extends SearchedRows {
  /** Runs the statements of the search; runs again on the primary when a replica has failed. */
  readonly work: (session: Session, number: number) => Promise<T>
  /** Runs the search on the primary. */
  readonly askPrimary: (options: ReadOptions | undefined) => Promise<T>
}

/** Maximum number of replicas that a search tries. */
const mostTries = 2

/** The replicas of a node. */
export class Replicas {
  readonly #rules: ReplicaRules
  readonly #searchMs: number
  readonly #primary: () => Promise<ContextDatabase>
  readonly #replicas: readonly Replica[]
  readonly #looks: GroupedLooks<SearchedRows, PrimaryLook>
  #rotation = 0
  readonly #counts = new Map<SearchRoute, number>(searchRoutes.map((route) => [route, 0]))

  constructor({ settings, rules, primary, onChange }: ReplicasOptions) {
    this.#rules = { ...replicaRules, ...rules }
    this.#searchMs = settings.searchSeconds * 1_000
    this.#primary = primary
    const { replicas: urls = [], password, searches } = settings.engine === 'postgres' ? settings : { searches: 0 }
    const glanceAtPrimary: ContextDatabase['glance'] = async (...asked) => (await primary()).glance(...asked)
    const common = { password, searches, searchMs: this.#searchMs, rules: this.#rules, glanceAtPrimary, onChange }
    this.#replicas = urls.map((url, index) => new Replica({ ...common, url, position: index + 1 }))
    this.#looks = new GroupedLooks((entities) => this.#lookAtPrimary(entities))
  }

  /**
   * Checks the layout of the context database.
   * @throws FerruleError `setting_invalid` with Citus: a position in the coordinator's log says nothing about the other machines
   */
  assertUsable(layout: TableLayout): void {
    if (layout === 'citus' && this.#replicas.length > 0)
      throw fail('setting_invalid', {
        name: 'CONTEXT_READ_URLS',
        reason:
          'Citus distributes the copy over machines, and replicas of one of them are not enough; leave the setting out and add workers',
      })
  }

  /** Begins to look at the replicas. They look at the primary, which must be open or opening. */
  start(): void {
    for (const replica of this.#replicas) replica.start()
  }

  /** Returns the replicas as this node sees them. */
  get status(): readonly ReplicaStatus[] {
    return this.#replicas.map(({ status }) => status)
  }

  /** Number of statements of searches by their routes, since the start. */
  get counts(): ReadonlyMap<SearchRoute, number> {
    return this.#counts
  }

  /**
   * Runs a search where its answer is as new as the primary's.
   * @throws what `askPrimary` throws; the reason of the signal; FerruleError `context_store_timeout`
   */
  async search<T>(search: RoutedSearch<T>, options: ReadOptions | undefined): Promise<T> {
    const used = this.#replicas.filter(({ isUsed }) => isUsed)
    if (used.length === 0) return this.#askPrimary('primary', search, options)
    const { timeoutMs = this.#searchMs } = options ?? {}
    const end = performance.now() + timeoutMs
    const measure = (): ReadOptions => ({ wholeMs: timeoutMs, ...options, timeoutMs: Math.max(1, end - performance.now()) })
    const look = await this.#look(search)
    if (look === undefined) return this.#askPrimary('primary_failed', search, measure())
    let route: SearchRoute = 'primary_busy'
    for (const replica of this.#choose(used)) {
      if (replica.isBusy) continue
      const outcome = await replica.search({ ...search, look }, measure())
      if (typeof outcome === 'object') {
        this.#count('replica')
        return outcome.found
      }
      route = `primary_${outcome}`
    }
    return this.#askPrimary(route, search, measure())
  }

  /** Runs a short statement on each replica that is used. Leaves out those that fail. */
  async readAll(statement: Statement): Promise<readonly Row[]> {
    const used = this.#replicas.filter(({ isUsed }) => isUsed)
    const answers = await Promise.allSettled(used.map((replica) => replica.glance(statement)))
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.rows : []))
  }

  /** Stops the searches on replicas and closes the connections. */
  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()))
  }

  /** Chooses the least busy replicas, and rotates among equals. */
  #choose(used: readonly Replica[]): readonly Replica[] {
    this.#rotation += 1
    const from = this.#rotation % used.length
    const rotated = [...used.slice(from), ...used.slice(0, from)]
    return rotated.toSorted((a, b) => a.running - b.running).slice(0, mostTries)
  }

  #askPrimary<T>(route: SearchRoute, { askPrimary }: RoutedSearch<T>, options: ReadOptions | undefined): Promise<T> {
    this.#count(route)
    return askPrimary(options)
  }

  #count(route: SearchRoute): void {
    this.#counts.set(route, (this.#counts.get(route) ?? 0) + 1)
  }

  /** Looks at the primary after the search was asked for. Undefined when the primary does not answer, which its search then says. */
  #look({ number, name, related }: SearchedRows): Promise<PrimaryLook | undefined> {
    return this.#looks.look([number, name, ...related].join(' '), { number, name, related }).catch(() => undefined)
  }

  async #lookAtPrimary(searches: readonly SearchedRows[]): Promise<readonly PrimaryLook[]> {
    const primary = await this.#primary()
    const { rows } = await primary.glance<Row>(buildLookStatement(searches), { timeoutMs: this.#rules.answerMs })
    return rows.map(parseLook)
  }
}
