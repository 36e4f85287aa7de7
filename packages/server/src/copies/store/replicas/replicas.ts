/** Sends searches to read replicas that have the primary's state of an entity, else to the primary (docs/decisions/postgresql.md). */
import { fail } from 'ferrule/internal'
import { GroupedLooks } from '../../../values/grouped-looks.ts'
import type { ContextDatabase, ReadOptions, Row, Session, Statement } from '../database/database.ts'
import type { TableLayout } from '../database/layout.ts'
import type { ContextStoreSettings } from '../database/settings.ts'
import { buildLookStatement, type EntityRows, type PrimaryLook, parseLook } from './facts.ts'
import { Replica } from './replica.ts'
import { type ReplicaChange, type ReplicaRules, type ReplicaStatus, replicaRules, type SearchPlace, searchPlaces } from './types.ts'

/** Options of `Replicas`. */
export interface ReplicasOptions {
  readonly settings: ContextStoreSettings
  /** Rules that differ from the usual ones. */
  readonly rules: Partial<ReplicaRules> | undefined
  readonly primary: () => Promise<ContextDatabase>
  readonly onChange: ((change: ReplicaChange) => void) | undefined
}

/** A search. */
export interface RoutedSearch<T> extends EntityRows {
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
  readonly #looks: GroupedLooks<EntityRows, PrimaryLook>
  #turn = 0
  readonly #counts = new Map<SearchPlace, number>(searchPlaces.map((place) => [place, 0]))

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

  /** Number of statements of searches by their places, since the start. */
  get counts(): ReadonlyMap<SearchPlace, number> {
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
    let place: SearchPlace = 'primary_busy'
    for (const replica of this.#choose(used)) {
      if (replica.isBusy) continue
      const outcome = await replica.search({ ...search, look }, measure())
      if (typeof outcome === 'object') {
        this.#count('replica')
        return outcome.found
      }
      place = `primary_${outcome}`
    }
    return this.#askPrimary(place, search, measure())
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

  /** Chooses the least busy replicas, and takes turns among equals. */
  #choose(used: readonly Replica[]): readonly Replica[] {
    this.#turn += 1
    const from = this.#turn % used.length
    const inTurn = [...used.slice(from), ...used.slice(0, from)]
    return inTurn.toSorted((a, b) => a.running - b.running).slice(0, mostTries)
  }

  #askPrimary<T>(place: SearchPlace, { askPrimary }: RoutedSearch<T>, options: ReadOptions | undefined): Promise<T> {
    this.#count(place)
    return askPrimary(options)
  }

  #count(place: SearchPlace): void {
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1)
  }

  /** Looks at the primary after the search was asked for. Undefined when the primary does not answer, which its search then says. */
  #look({ number, name }: EntityRows): Promise<PrimaryLook | undefined> {
    return this.#looks.look(`${number} ${name}`, { number, name }).catch(() => undefined)
  }

  async #lookAtPrimary(entities: readonly EntityRows[]): Promise<readonly PrimaryLook[]> {
    const primary = await this.#primary()
    const { rows } = await primary.glance<Row>(buildLookStatement(entities), { timeoutMs: this.#rules.answerMs })
    return rows.map(parseLook)
  }
}
