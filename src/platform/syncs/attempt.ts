/** One attempt of a run: walk after walk, each kept with the run when it is done, so that the next attempt goes on behind it. */
import { type Rounds, roundsOf, storedOf, type Tree } from '../../context/sync/plan.ts'
import { isLookupDenied, type RecheckTask, recheck, recheckedEntities } from '../../context/sync/recheck.ts'
import { syncConnector } from '../../context/sync/run.ts'
import { readWalk } from '../../context/sync/state.ts'
import type { SyncTask } from '../../context/sync/types.ts'
import { asFerruleError, FerruleError, fail } from '../../errors.ts'
import { findConnector } from '../db/queries-connectors.ts'
import { addToCopy, copiesOf, keepConnector, keepCopy } from '../db/queries-sync-copies.ts'
import { keepRun } from '../db/queries-sync-queue.ts'
import type { RunRow } from '../db/queries-sync-runs.ts'
import type { Session } from '../db/session.ts'
import type { Parts } from '../parts.ts'
import type { ConnectorAccess, Connectors } from '../types.ts'
import { type AskServices, askOf } from './ask.ts'
import { copyChangeOf, expectedOf, type WalkedTree } from './copies.ts'
import { type Consequence, consequenceOf, mostFailedWalks } from './failures.ts'
import { fenced, type WalkStore } from './fence.ts'
import { coveredBy } from './groups.ts'
import { leaseMarginMs } from './leases.ts'
import { RunProgress, readProgress } from './progress.ts'
import { wantedOf } from './queue.ts'
import type { SyncEntityResult } from './records.ts'
import { flawOf, readResults, syncErrorOf } from './run-record.ts'

const day = 86_400_000

/** What walking needs. */
export interface AttemptServices extends Omit<AskServices, 'connectors'> {
  readonly parts: Parts
  readonly connectors: Pick<Connectors, 'connectionOf' | 'markAuthError' | 'markHealthy'>
  readonly store: WalkStore
}

/** How an attempt came out: all was walked; the rest goes on later; the run fails; there is nothing to do any more. */
export type AttemptOutcome = { readonly is: 'walked' } | { readonly is: 'later' | 'failed' | 'cancelled'; readonly thrown: unknown }

const outcomes: Readonly<Record<Consequence, 'later' | 'failed' | 'cancelled'>> = {
  end: 'failed',
  cancel: 'cancelled',
  wait: 'later',
  later: 'later',
  fail: 'failed',
}

/** What a walk, and looking again, are given. */
type Task = SyncTask & RecheckTask

/** An attempt of a run by one node. */
export class Attempt {
  readonly run: RunRow
  /** Slug of the kind; known once the walk has begun. */
  kind = 'unknown'
  /** Names the attempt in its lease. */
  readonly lease: { readonly id: string; readonly owner: string }
  /** Until when others keep away, in milliseconds since 1970. */
  leaseUntil: number
  /** Entities that are not done; known once the walk has begun. */
  left: readonly string[] = []
  results: readonly SyncEntityResult[]
  progress: RunProgress
  readonly #services: AttemptServices
  /** Entities that the run is for. */
  #covered: readonly string[] = []
  readonly #abort = new AbortController()
  readonly #session: Session | undefined
  readonly #signal: AbortSignal

  /** @param lease its name, and the session that it ends with */
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
    this.progress = this.#counting(new Map())
  }

  get isAborted(): boolean {
    return this.#signal.aborted
  }

  /** Ends the walk at its next step; `walk` is rejected with the reason. */
  abort(reason: Error): void {
    this.#abort.abort(reason)
  }

  /** Walks what is left. @throws the reason of `abort`, and nothing else */
  async walk(): Promise<AttemptOutcome> {
    try {
      const { access, rounds } = await this.#begin()
      return await this.#walkAll(access, rounds)
    } catch (thrown) {
      this.#signal.throwIfAborted()
      return { is: outcomes[this.#consequenceOf(thrown)], thrown }
    }
  }

  /** Keeps how it ended for entities that are not done. Nothing of their copies changes. */
  async giveUp(thrown: unknown): Promise<void> {
    const error = syncErrorOf(thrown, this.run.connector_id)
    await this.#keep({ startedAt: 0, results: this.left.map((entity) => ({ entity, state: 'failed', error })) })
  }

  async #begin(): Promise<{ readonly access: ConnectorAccess; readonly rounds: Rounds }> {
    const { connectors, parts } = this.#services
    const view = { organizationId: this.run.organization_id, workspaceId: null }
    const access = await connectors.connectionOf(view, this.run.connector_id)
    const row = await findConnector(parts.database.db, view, this.run.connector_id)
    if (row === undefined) throw fail('connector_not_found', {})
    const { definition } = access.connection.kind
    this.kind = definition.kind
    const done = new Set(this.results.map(({ entity }) => entity))
    const asked: readonly string[] | null = this.run.entities === null ? null : JSON.parse(this.run.entities)
    this.#covered = coveredBy(definition, wantedOf(parts, row), asked)
    this.left = this.#covered.filter((entity) => !done.has(entity))
    const rounds = roundsOf(definition, (entity) => this.left.includes(entity))
    const copies = await copiesOf(parts.database.db, { organizationId: this.run.organization_id, connectorId: this.run.connector_id })
    this.progress = this.#counting(expectedOf([...rounds.quick, ...rounds.slow], copies, this.run.mode))
    this.progress.count(await this.#services.store.counts(this.run.connector_id))
    return { access, rounds }
  }

  async #walkAll(access: ConnectorAccess, rounds: Rounds): Promise<AttemptOutcome> {
    let later: AttemptOutcome | undefined
    let failedInRow = 0
    for (const tree of this.#inOrder(rounds)) {
      try {
        await this.#keep(await this.#walkTree(access, tree))
        failedInRow = 0
      } catch (thrown) {
        this.#signal.throwIfAborted()
        const consequence = this.#consequenceOf(thrown)
        if (consequence !== 'later' && consequence !== 'fail') throw thrown
        failedInRow += 1
        if (consequence === 'later') later ??= { is: 'later', thrown }
        else await this.#keep(this.#failed(tree, thrown))
        if (failedInRow >= mostFailedWalks && later !== undefined) break
      }
    }
    if (later === undefined && this.run.mode === 'incremental') await this.#recheck(access)
    return later ?? { is: 'walked' }
  }

  /** What few calls bring comes first: of what is asked for record by record, that of the fewest parents, as far as they were met. */
  *#inOrder({ quick, slow }: Rounds): Generator<Tree> {
    yield* quick
    const parentsOf = ({ entity, nested }: Tree): number =>
      Math.max(...[entity, ...nested.map((each) => each.entity)].map((name) => this.progress.sizeOf(name)))
    yield* slow.toSorted((one, other) => parentsOf(one) - parentsOf(other))
  }

  /** Looks again for what the vendor hides by now: of the entities that the run is for. */
  #recheck(access: ConnectorAccess): Promise<void> {
    const { organization_id: organizationId, connector_id: connectorId } = this.run
    const onLost = async (lost: ReadonlyMap<string, number>): Promise<void> => {
      for (const [entity, by] of lost) await addToCopy(this.#services.parts.database.db, { organizationId, connectorId, entity }, -by)
    }
    return recheck({ ...this.#task(access, []), wanted: (entity) => this.#covered.includes(entity), onLost })
  }

  /** How old a complete pass may be: where nothing can be looked up again, passes stand in for it. */
  async #fullEvery(task: Task, entities: readonly string[]): Promise<number> {
    const { kind, configuration } = task
    const seconds = kind.definition.hidden?.recheck?.seconds
    const isMeant = recheckedEntities(kind, configuration).some((entity) => entities.includes(entity))
    if (seconds === undefined || !isMeant || !(await isLookupDenied(task))) return task.fullEvery
    return Math.min(task.fullEvery, seconds * 1_000)
  }

  async #walkTree(access: ConnectorAccess, tree: Tree): Promise<WalkedTree> {
    const entities = storedOf(tree).map(({ entity }) => entity)
    const own = this.#task(access, entities)
    const task = { ...own, fullEvery: await this.#fullEvery({ ...own, wanted: (entity) => this.#covered.includes(entity) }, entities) }
    const [holder = tree.entity] = entities
    // A walk that an earlier run left behind may be gone on with: then the copy is as old as its beginning.
    const kept = await readWalk(task.store, { connector: task.connector, kind: task.kind.definition.kind, entity: holder }, tree.entity)
    const now = task.clock()
    const startedAt = Math.min(now, kept?.startedAt ?? now)
    this.progress.begin(entities, now)
    const first = await syncConnector(task)
    const { entities: results } = first.again ? await syncConnector(task) : first
    const connectorId = this.run.connector_id
    return {
      startedAt,
      results: results.map((each) => ({ ...each, error: each.error === undefined ? null : flawOf(each.error, connectorId) })),
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
      store: fenced(store, () => this.#checkLease()),
      ask: askOf(this.#services, { access, signal, called: (entity) => this.progress.called(entity) }),
      wanted: (entity) => entities.includes(entity),
      mode: this.run.mode,
      run: this.run.id,
      fullEvery: parts.settings.syncFullDays * day,
      clock: parts.source.clock,
      signal,
      onProgress: (progress) => this.progress.note(progress),
    }
  }

  #checkLease(): void {
    this.#session?.holds() // what it has lost it tells by the signal
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
    return consequenceOf(asFerruleError(thrown))
  }

  #failed(tree: Tree, thrown: unknown): WalkedTree {
    const error = syncErrorOf(thrown, this.run.connector_id)
    return { startedAt: 0, results: storedOf(tree).map(({ entity }) => ({ entity, state: 'failed', error })) }
  }

  #counting(expected: ReadonlyMap<string, number>): RunProgress {
    const done = new Set(this.results.map(({ entity }) => entity))
    return new RunProgress(readProgress(this.run.progress), { done, expected, now: this.#services.parts.source.clock() })
  }

  /** Keeps what a walk brought: with the run, and with each entity. */
  async #keep(walked: WalkedTree): Promise<void> {
    const { parts, store } = this.#services
    const { organization_id: organizationId, connector_id: connectorId } = this.run
    const entities = walked.results.map(({ entity }) => entity)
    this.progress.end(entities)
    const records = await store.counts(connectorId).catch(() => new Map<string, number>()) // they are counted again after the next walk
    const results = [...this.results, ...walked.results]
    const now = parts.source.clock()
    const isKept = await parts.database.transaction(async (db) => {
      if (!(await keepConnector(db, { organizationId, connectorId }))) return false
      if (!(await keepRun(db, this.lease, { results: JSON.stringify(results), progress: this.progress.text(now) }))) return false
      for (const result of walked.results) {
        const met = this.progress.recordsOf(result.entity)
        const change = copyChangeOf(result, { now, startedAt: walked.startedAt, records: records.get(result.entity), met })
        await keepCopy(db, { organizationId, connectorId, entity: result.entity }, change)
      }
      return true
    })
    if (!isKept) this.#lose()
    this.results = results
    this.left = this.left.filter((entity) => !entities.includes(entity))
  }
}
