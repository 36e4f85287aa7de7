/** One read replica: its state, its checks, and searches that run there. */
import { FerruleError } from 'ferrule'
import type { Answer, ContextDatabase, ReadOptions, Row, Session, Statement } from '../database/database.ts'
import { hasCode } from '../database/problems.ts'
import { openReplica, type ReplicaDatabase, type ReplicaOptions } from '../database/replica-engine.ts'
import { buildStampStatement, type EntityRows, factsStatement, findRefusal, type PrimaryLook, parseFacts } from './facts.ts'
import type { ReplicaChange, ReplicaRules, ReplicaState, ReplicaStatus } from './types.ts'

/** Parts of a replica. */
export interface ReplicaParts extends Omit<ReplicaOptions, 'connectMs'> {
  /** Place in the setting, from 1 on. */
  readonly position: number
  readonly rules: ReplicaRules
  /** Runs a short statement on the primary. */
  readonly glanceAtPrimary: ContextDatabase['glance']
  readonly onChange: ((change: ReplicaChange) => void) | undefined
}

/** A search, and the state of its entity on the primary. */
export interface ReplicaSearch<T> extends EntityRows {
  readonly look: PrimaryLook
  readonly work: (session: Session, number: number) => Promise<T>
}

/** Result of a search. `behind`: the replica has another state of the entity. `failed`: it did not finish. */
export type ReplicaOutcome<T> = { readonly found: T } | 'behind' | 'failed'

/** Returns the server's or the driver's message, which holds no password. */
function describeFailure(thrown: unknown): string {
  const cause = thrown instanceof FerruleError && thrown.cause !== undefined ? thrown.cause : thrown
  return cause instanceof Error && cause.message !== '' ? cause.message : 'it does not answer'
}

/** A replica. It is looked at in the background, and not used until a look was good. */
export class Replica {
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

  /** Number of running searches. */
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
      if (isLate && (isGreeted || performance.now() - begin < answerMs)) throw this.#suspect(thrown)
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
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, this.#parts.rules.answerMs)
    await Promise.race([this.#database.close(), late.promise])
    clearTimeout(timer)
  }

  /** Looks at a replica soon that let a search run out of time. */
  #suspect(thrown: unknown): unknown {
    if (this.#checking === undefined) void this.#check()
    return thrown
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
