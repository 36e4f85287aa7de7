/** Runs one attempt of a run. Stores each finished walk with the run, so that the next attempt resumes after it. */

import { FerruleError } from 'ferrule'
import { asFerruleError, fail } from 'ferrule/internal'
import type { SyncEntityResult, SyncError } from 'ferrule/wire'
import type { Connectors } from '../../connectors/connector-types.ts'
import { findConnector } from '../../connectors/sql/connectors.ts'
import type { Session } from '../../db/session.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorAccess, viewOrganization } from '../../values/access.ts'
import { leaseMarginMs } from '../queue/times.ts'
import { addCopyRecords, listCopies, protectConnector, saveCopy } from '../sql/sync-copies.ts'
import { updateRun } from '../sql/sync-queue.ts'
import type { RunRow } from '../sql/sync-runs.ts'
import { readWantedEntities } from '../status/connector-rows.ts'
import { expandToGroups } from '../status/groups.ts'
import { buildFlawError, buildSyncError, buildWithdrawnNotice, readAsked, readEntities, readResults } from '../status/run-record.ts'
import { readProgress } from '../status/stored-progress.ts'
import type { WalkStore } from '../sync-types.ts'
import { type AskServices, createAsk } from './ask.ts'
import { buildCopyChange, computeExpectedRecords, type WalkedTree } from './copy-changes.ts'
import { type Consequence, decideConsequence, mostFailedWalks } from './failures.ts'
import { RunProgress } from './progress.ts'
import { listStored, planRun, type Tree } from './walk/plan.ts'
import { isLookupDenied, listRecheckedEntities, type RecheckTask, recheck } from './walk/recheck.ts'
import { runInTurns } from './walk/run.ts'
import type { SyncTask } from './walk/types.ts'
import type { WalkEnd } from './walk/walk.ts'

const dayMs = 86_400_000

/** Services that an attempt needs. */
export interface AttemptServices extends Omit<AskServices, 'connectors'> {
  readonly parts: Parts
  readonly connectors: Pick<Connectors, 'readAccess' | 'markAuthError' | 'markHealthy'>
  readonly store: WalkStore
}

/** How an attempt ended: everything was walked, the rest resumes later, the run fails, or nothing is left to do. */
export type AttemptOutcome = { readonly is: 'walked' } | { readonly is: 'later' | 'failed' | 'cancelled'; readonly thrown: unknown }

const outcomes: Readonly<Record<Consequence, 'later' | 'failed' | 'cancelled'>> = {
  end: 'failed',
  cancel: 'cancelled',
  wait: 'later',
  later: 'later',
  fail: 'failed',
}

/**
 * Protects the store from a walk that lost its lease, because another node may be writing: wraps every method.
 * @param check throws when the walk must stop
 */
const createFence = (store: WalkStore, check: () => void): WalkStore =>
  new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...given: readonly unknown[]): unknown => {
        check()
        return Reflect.apply(method, target, given)
      }
    },
  })

/** Options of a walk and of a recheck. */
type Task = SyncTask & RecheckTask

/** An attempt of a run on one node. */
export class Attempt {
  readonly run: RunRow
  /** Slug of the kind; known after the walk has started. */
  kind = 'unknown'
  /** Identifies the attempt in its lease. */
  readonly lease: { readonly id: string; readonly owner: string }
  /** End of the lease, in milliseconds since 1970. */
  leaseUntil: number
  /** Entities that searches wait for. */
  asked: ReadonlySet<string>
  /** Unfinished entities; known after the walk has started. */
  left: readonly string[] = []
  results: readonly SyncEntityResult[]
  progress: RunProgress
  readonly #services: AttemptServices
  /** What is to be said of entities that were read. */
  readonly #notices = new Map<string, SyncError>()
  /** Entities of the run. */
  #covered: readonly string[] = []
  readonly #abort = new AbortController()
  readonly #session: Session | undefined
  readonly #signal: AbortSignal

  /** @param lease its owner, and the session that ends it */
  constructor(
    services: AttemptServices,
    run: RunRow,
    { owner, session }: { readonly owner: string; readonly session: Session | undefined },
  ) {
    this.#session = session
    this.#signal = session === undefined ? this.#abort.signal : AbortSignal.any([this.#abort.signal, session.signal])
    this.#services = services
    this.run = run
    this.lease = { id: run.id, owner }
    this.leaseUntil = run.lease_until ?? 0
    this.results = readResults(run.results)
    this.asked = readAsked(run)
    this.progress = this.#counting(new Map())
  }

  get isAborted(): boolean {
    return this.#signal.aborted
  }

  /** Ends the walk at its next step; `walk` then rejects with the reason. */
  abort(reason: Error): void {
    this.#abort.abort(reason)
  }

  /** Walks the unfinished entities. @throws only the reason of `abort` */
  async walk(): Promise<AttemptOutcome> {
    try {
      const { access, trees } = await this.#begin()
      return await this.#walkAll(access, trees)
    } catch (thrown) {
      this.#signal.throwIfAborted()
      return { is: outcomes[this.#consequenceOf(thrown)], thrown }
    }
  }

  /** Stores a failure for unfinished entities. Their copies do not change. */
  async giveUp(thrown: unknown): Promise<void> {
    const error = buildSyncError(thrown, this.run.connector_id)
    await this.#keep({ startedAt: 0, results: this.left.map((entity) => ({ entity, state: 'failed', error })) })
  }

  async #begin(): Promise<{ readonly access: ConnectorAccess; readonly trees: readonly Tree[] }> {
    const { connectors, parts } = this.#services
    const view = viewOrganization(this.run.organization_id)
    const access = await connectors.readAccess(view, this.run.connector_id)
    const row = await findConnector(parts.database.db, view, this.run.connector_id)
    if (row === undefined) throw fail('connector_not_found', {})
    const { definition } = access.connection.kind
    this.kind = definition.kind
    const done = new Set(this.results.map(({ entity }) => entity))
    this.#covered = expandToGroups(definition, readWantedEntities(parts, row), readEntities(this.run))
    this.left = this.#covered.filter((entity) => !done.has(entity))
    const trees = planRun(definition, (entity) => this.left.includes(entity))
    const copies = await listCopies(parts.database.db, { organizationId: this.run.organization_id, connectorId: this.run.connector_id })
    this.progress = this.#counting(computeExpectedRecords(trees, copies, this.run.mode))
    this.progress.count(await this.#services.store.countRecords(this.run.connector_id))
    return { access, trees }
  }

  async #walkAll(access: ConnectorAccess, trees: readonly Tree[]): Promise<AttemptOutcome> {
    let later: { readonly is: 'later'; readonly thrown: unknown } | undefined
    let failedInRow = 0
    await runInTurns(trees, {
      prepare: (tree) => this.#prepare(access, tree),
      isAsked: (entity) => this.asked.has(entity),
      turned: () => {
        failedInRow = 0
      },
      ended: (end) => this.#keep(this.#toWalked(end)),
      failed: async (tree, thrown) => {
        this.#signal.throwIfAborted()
        const consequence = this.#consequenceOf(thrown)
        if (consequence !== 'later' && consequence !== 'fail') throw thrown
        failedInRow += 1
        if (consequence === 'later') later ??= { is: 'later', thrown }
        else await this.#keep(this.#failed(tree, thrown))
        if (failedInRow >= mostFailedWalks && later !== undefined) throw later.thrown
      },
    })
    if (later === undefined && this.run.mode === 'incremental') await this.#recheck(access)
    return later ?? { is: 'walked' }
  }

  /** Looks up records that the vendor may hide by now, for the entities of the run. */
  #recheck(access: ConnectorAccess): Promise<void> {
    const { organization_id: organizationId, connector_id: connectorId } = this.run
    const onLost = async (lost: ReadonlyMap<string, number>): Promise<void> => {
      for (const [entity, by] of lost) await addCopyRecords(this.#services.parts.database.db, { organizationId, connectorId, entity }, -by)
    }
    return recheck({ ...this.#task(access, []), wanted: (entity) => this.#covered.includes(entity), onLost })
  }

  /** Returns the maximum age of a complete pass. Where a lookup is denied, complete passes replace the recheck. */
  async #fullEvery(task: Task, entities: readonly string[]): Promise<number> {
    const { kind, configuration } = task
    const seconds = kind.definition.hidden?.recheck?.seconds
    const isMeant = listRecheckedEntities(kind, configuration).some((entity) => entities.includes(entity))
    if (seconds === undefined || !isMeant || !(await isLookupDenied(task))) return task.fullEvery
    return Math.min(task.fullEvery, seconds * 1_000)
  }

  /** Builds the task of a walk before its first turn. */
  async #prepare(access: ConnectorAccess, tree: Tree): Promise<SyncTask> {
    const entities = listStored(tree).map(({ entity }) => entity)
    const own = this.#task(access, entities)
    const fullEvery = await this.#fullEvery({ ...own, wanted: (entity) => this.#covered.includes(entity) }, entities)
    this.progress.begin(entities, own.clock())
    return { ...own, fullEvery }
  }

  #toWalked({ startedAt, results }: WalkEnd): WalkedTree {
    const connectorId = this.run.connector_id
    return {
      startedAt,
      results: results.map((each) => ({
        ...each,
        error: each.error === undefined ? (this.#notices.get(each.entity) ?? null) : buildFlawError(each.error, connectorId),
      })),
    }
  }

  #task(access: ConnectorAccess, entities: readonly string[]): Task {
    const { parts, store } = this.#services
    const { kind, configuration } = access.connection
    const signal = this.#signal
    return {
      kind,
      connector: this.run.connector_id,
      configuration,
      store: createFence(store, () => this.#checkLease()),
      ask: createAsk(this.#services, {
        ...{ access, signal, called: (entity) => this.progress.called(entity) },
        withdrew: (entity, names) => this.#notices.set(entity, buildWithdrawnNotice(kind.definition.title, names)),
      }),
      wanted: (entity) => entities.includes(entity),
      mode: this.run.mode,
      run: this.run.id,
      fullEvery: parts.settings.syncFullDays * dayMs,
      clock: parts.source.clock,
      signal,
      onProgress: (progress) => this.progress.note(progress),
      onShare: (share) => this.progress.noteShare(share, parts.source.clock()),
      onFault: this.#services.onBackgroundError,
    }
  }

  #checkLease(): void {
    this.#session?.holds() // aborts the signal when the session is lost
    this.#signal.throwIfAborted()
    if (this.#services.parts.source.clock() >= this.leaseUntil - leaseMarginMs) this.#lose()
  }

  #lose(): never {
    const reason = new Error('the run belongs to another node by now')
    this.abort(reason)
    throw reason
  }

  #consequenceOf(thrown: unknown): Consequence {
    if (!(thrown instanceof FerruleError)) this.#services.onBackgroundError(thrown)
    return decideConsequence(asFerruleError(thrown))
  }

  #failed(tree: Tree, thrown: unknown): WalkedTree {
    const error = buildSyncError(thrown, this.run.connector_id)
    return { startedAt: 0, results: listStored(tree).map(({ entity }) => ({ entity, state: 'failed', error })) }
  }

  #counting(expected: ReadonlyMap<string, number>): RunProgress {
    const done = new Set(this.results.map(({ entity }) => entity))
    return new RunProgress(readProgress(this.run.progress), { done, expected })
  }

  /** Stores the result of a walk with the run and with each entity. */
  async #keep(walked: WalkedTree): Promise<void> {
    const { parts, store } = this.#services
    const { organization_id: organizationId, connector_id: connectorId } = this.run
    const entities = walked.results.map(({ entity }) => entity)
    this.progress.end(entities)
    // A busy store may not count; then the number of the attempt's start with its changes counts.
    const counted = await store.countRecords(connectorId).catch(() => new Map<string, number>())
    const results = [...this.results, ...walked.results]
    const now = parts.source.clock()
    const isKept = await parts.database.transaction(async (db) => {
      if (!(await protectConnector(db, { organizationId, connectorId }))) return false
      const change = { results: JSON.stringify(results), progress: this.progress.text(now) }
      if ((await updateRun(db, this.lease, change)) === undefined) return false
      for (const result of walked.results) {
        const met = this.progress.countRecords(result.entity)
        const records = counted.get(result.entity) ?? this.progress.countStored(result.entity)
        const change = buildCopyChange(result, { now, startedAt: walked.startedAt, records, met })
        await saveCopy(db, { organizationId, connectorId, entity: result.entity }, change)
      }
      return true
    })
    if (!isKept) this.#lose()
    this.results = results
    this.left = this.left.filter((entity) => !entities.includes(entity))
  }
}
