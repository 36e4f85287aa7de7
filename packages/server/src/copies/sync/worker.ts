/**
 * Works for the queue on one node: queues the runs of schedules, leases runs, renews leases, stores progress, and removes copies. Uses one
 * timer for any number of connectors.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Kind } from 'ferrule/definition'
import { asFerruleError, inSpan, type Span } from 'ferrule/internal'
import type { RunState, SyncEntityResult, SyncError } from 'ferrule/wire'
import type { Connectors } from '../../connectors/connector-types.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { toConnectorRef } from '../../values/access.ts'
import { firstId, labelKind, newId } from '../../values/ids.ts'
import type { RunReport } from '../../values/metric-types.ts'
import { Ticks, tickMs, waitForWork } from '../../values/ticks.ts'
import { EndedSessions, takeOver, takeOverFrom, type WorkerParts } from '../queue/node.ts'
import { beginSyncs, isLeft, type QueueParts, queueRun } from '../queue/queue.ts'
import { computeNextAttemptAt, computeNextRunAt, leaseMarginMs, leaseMs, mostFailures, renewalMs } from '../queue/times.ts'
import { type CopyHolder, deleteRemoval, hasDueRemoval, leaseRemoval, type RemovalRow, updateRemoval } from '../sql/sync-copies.ts'
import { endRun, hasDueRun, leaseRuns, type RunEnd, releaseRun, updateRun, wakeRuns } from '../sql/sync-queue.ts'
import * as sql from '../sql/sync-runs.ts'
import { type EntityGroup, listGroups, listScheduledEntities, readWantedEntities } from '../status/groups.ts'
import { buildSyncError, readAsked, readEntities, storeRunEvent, toStoredError } from '../status/run-record.ts'
import type { ContextStore } from '../store/store.ts'
import type { SyncServices } from '../sync-types.ts'
import { Attempt, type AttemptOutcome, type AttemptServices } from './attempt.ts'

/** Time after which a run yields to waiting runs, in milliseconds. */
const sliceMs = 300_000
/** An attempt with more calls than this made progress: a repeated step has fewer calls. */
const callsOfProgress = 50

/** Aborts the walks of a stopping node. */
const stopping = new Error('the node stops')
/** Aborts a long walk while other runs wait. */
const yielding = new Error('others wait to be walked')

interface EndedAttempt {
  readonly state: RunState
  readonly error: SyncError | null
}

type EndParts = Pick<Parts, 'database' | 'source' | 'settings'>

const isRead = ({ state }: SyncEntityResult): boolean => state === 'complete' || state === 'changes' || state === 'partial'

/** Returns the final state of a run. An entity that the credentials lack does not fail a run with other entities. */
function summarizeResults(results: readonly SyncEntityResult[]): EndedAttempt & { readonly state: 'succeeded' | 'partial' | 'failed' } {
  const error = results.find(({ state }) => state === 'failed')?.error ?? results.find((each) => each.error !== null)?.error ?? null
  if (results.length > 0 && !results.some(isRead)) return { state: 'failed', error }
  const isWhole = results.every(({ state }) => state !== 'failed' && state !== 'partial')
  return isWhole ? { state: 'succeeded', error: null } : { state: 'partial', error }
}

/**
 * Stores how an attempt ended.
 * @param outcome outcome of the walk, or the reason of its abort
 * @returns undefined when the attempt no longer owns the run
 */
async function endAttempt(parts: EndParts, attempt: Attempt, outcome: AttemptOutcome | Error): Promise<EndedAttempt | undefined> {
  const { state, error, more } = await (outcome instanceof Error ? requeueRun(parts, attempt, outcome) : decideEnd(parts, attempt, outcome))
  const { database, source } = parts
  const end: RunEnd = {
    ...toStoredError(error),
    ...more,
    progress: attempt.progress.text(),
    results: JSON.stringify(attempt.results),
  }
  const isEnded = await database.transaction(async (db) => {
    if (!(await endRun(db, attempt.lease, end))) return false
    await storeRunEvent(db, source, { ...attempt.run, ...end })
    return true
  })
  if (isEnded) return { state, error }
  await releaseRun(database.db, attempt.lease)
  return undefined
}

type More =
  | { readonly state: 'succeeded' | 'partial' | 'failed' | 'cancelled'; readonly finished_at: number; readonly failures: number }
  | { readonly state: 'queued'; readonly not_before: number | null; readonly queue_order: number; readonly failures: number }

const finishRun = (
  parts: EndParts,
  { state, error }: EndedAttempt & { readonly state: Exclude<RunState, 'queued' | 'running'> },
  failures: number,
) => ({
  state,
  error,
  more: { state, finished_at: parts.source.clock(), failures } satisfies More,
})

/** Returns an aborted run to the queue without counting a failure. */
function requeueRun({ source }: EndParts, { run }: Attempt, reason: Error) {
  const now = source.clock()
  const queue_order = reason === yielding ? now : run.queue_order
  return {
    state: 'queued' as const,
    error: null,
    more: { state: 'queued', not_before: null, queue_order, failures: run.failures } satisfies More,
  }
}

async function decideEnd(parts: EndParts, attempt: Attempt, outcome: AttemptOutcome) {
  const { run } = attempt
  if (outcome.is === 'walked') return finishRun(parts, summarizeResults(attempt.results), 0)
  const { thrown } = outcome
  const error = buildSyncError(thrown, run.connector_id)
  if (outcome.is === 'cancelled') return finishRun(parts, { state: 'cancelled', error }, run.failures)
  if (outcome.is === 'later') {
    const { code, retryAfterMs } = asFerruleError(thrown)
    const { calls } = attempt.progress
    // A vendor that answers some calls and then names the time of the next call is no failure, nor is a service whose slots are taken.
    const isNamed = code === 'overloaded' || (code === 'upstream_rate_limited' && calls > 0)
    const isExact = isNamed && retryAfterMs !== undefined
    const failures = calls > callsOfProgress ? 0 : run.failures + (isExact ? 0 : 1)
    if (failures < mostFailures) {
      const not_before = computeNextAttemptAt(parts, { failures, askedMs: retryAfterMs, isExact })
      return {
        state: 'queued' as const,
        error,
        more: { state: 'queued', not_before, queue_order: run.queue_order, failures } satisfies More,
      }
    }
  }
  await attempt.giveUp(thrown)
  const state = outcome.is === 'failed' ? 'failed' : summarizeResults(attempt.results).state
  return finishRun(parts, { state, error }, run.failures)
}

interface Walking {
  readonly attempt: Attempt
  readonly begunAt: number
  keptAt: number
  readonly done: Promise<void>
}

/** Works for the queue on this node, beside any number of other nodes. */
export class SyncWorker {
  readonly #parts: WorkerParts
  readonly #services: SyncServices
  readonly #attempts: AttemptServices
  readonly #removals: Removals
  readonly #gone = new EndedSessions()
  readonly #walking = new Map<Attempt, Walking>()
  readonly #ticks: Ticks<'queued'>
  #isScheduled = false

  constructor(parts: WorkerParts, connectors: Connectors, services: SyncServices) {
    this.#parts = parts
    this.#services = services
    this.#attempts = { ...services, parts, connectors }
    this.#removals = new Removals(parts, services.store)
    const { events, onBackgroundError: onError } = parts
    this.#ticks = new Ticks<'queued'>({ events, names: ['queued'], work: () => this.#runSteps(), onError })
  }

  /** Number of active runs on this node. */
  get running(): number {
    return this.#walking.size
  }

  /** Starts polling: about once a second, and at once when this node queues a run. */
  start(): void {
    this.#ticks.start()
  }

  /** Stores progress, renews leases, and starts due work. Resolves when the work has started. `start` calls it. */
  tick(): Promise<void> {
    return this.#ticks.tick()
  }

  /** Resolves when all started work has ended. */
  async idle(): Promise<void> {
    while (this.#walking.size > 0 || this.#removals.isBusy) {
      await Promise.all([...this.#walking.values()].map(({ done }) => done))
      await this.#removals.idle()
    }
  }

  /** Stops new work, ends walks at their next step, and releases their runs, so that another node resumes them at once. */
  async stop(): Promise<void> {
    await this.#ticks.stop()
    for (const attempt of this.#walking.keys()) attempt.abort(stopping)
    // A walk that does not end in time keeps its lease, so that no other node starts too early.
    await waitForWork(this.idle())
  }

  async #runSteps(): Promise<void> {
    await this.#beat()
    for (const step of [this.#takeOver, this.#schedule, this.#upkeep, this.#claim, this.#remove])
      if (this.#ticks.isStopped || !(await this.#did(step))) return
  }

  /** Runs a step. @returns false while the database is unavailable: each further step would report the same failure */
  async #did(step: () => Promise<void>): Promise<boolean> {
    try {
      await step()
      return true
    } catch (thrown) {
      this.#parts.onBackgroundError(thrown)
      return asFerruleError(thrown).code !== 'unavailable'
    }
  }

  /** Stores progress and renews leases. Uses one transaction on SQLite; on PostgreSQL that would lock the rows of all runs together. */
  async #beat(): Promise<void> {
    const { database, source } = this.#parts
    const now = source.clock()
    const due = [...this.#walking.values()].filter((walking) => this.#isDue(walking, now))
    if (due.length > 0) {
      const keep = async (db: Parts['database']['db']): Promise<void> => {
        for (const walking of due) await this.#keep(db, walking)
      }
      await (database.dialect === 'sqlite' ? database.transaction(keep) : keep(database.db)).catch(this.#parts.onBackgroundError)
    }
    for (const { attempt } of this.#walking.values())
      if (source.clock() >= attempt.leaseUntil - leaseMarginMs) attempt.abort(new Error('the lease could not be renewed'))
  }

  #isDue({ attempt, keptAt }: Walking, now: number): boolean {
    if (attempt.isAborted) return false
    return now - keptAt >= renewalMs || (attempt.progress.isChanged && now - keptAt >= tickMs)
  }

  async #keep(db: Parts['database']['db'], walking: Walking): Promise<void> {
    const { attempt } = walking
    const now = this.#parts.source.clock()
    const change = {
      lease_until: now + leaseMs,
      ...(attempt.progress.isChanged ? { progress: attempt.progress.text() } : {}),
      ...(attempt.progress.calls > callsOfProgress ? { failures: 0 } : {}),
    }
    const kept = await updateRun(db, attempt.lease, change)
    if (kept !== undefined) {
      walking.keptAt = now
      attempt.leaseUntil = change.lease_until
      attempt.asked = readAsked(kept)
    } else attempt.abort(new Error('the run was ended, or belongs to another node by now'))
  }

  readonly #takeOver = async (): Promise<void> => {
    await this.#parts.node.name()
    await takeOver(this.#parts)
    for (const session of await this.#gone.find(this.#parts)) await takeOverFrom(this.#parts, { session })
  }

  readonly #schedule = (): Promise<void> => runSchedules(this.#parts)

  readonly #upkeep = async (): Promise<void> => {
    if (this.#isScheduled) return
    await scheduleMissing(this.#parts)
    this.#isScheduled = true
  }

  readonly #remove = (): Promise<void> => this.#removals.tick()

  readonly #claim = async (): Promise<void> => {
    const { database, source, settings } = this.#parts
    const free = (this.#services.atOnce ?? settings.syncConcurrency) - this.#walking.size
    const now = source.clock()
    await wakeRuns(database.db, now)
    if (!(await hasDueRun(database.db, now))) return
    if (free <= 0) return this.#yield(now)
    // Each attempt has its own owner id, so that a late write cannot reach the next attempt of the run.
    const node = await this.#parts.node.name()
    const session = await this.#parts.node.session()
    const lease = { owner: newId(source), node, session: session?.key ?? null, now, until: now + leaseMs }
    const runs = await database.transaction(async (db) => {
      const leased = await leaseRuns(db, lease, free)
      for (const run of leased) if (run.attempts === 1) await storeRunEvent(db, source, run)
      return leased
    })
    for (const run of runs) this.#begin(new Attempt(this.#attempts, run, { owner: lease.owner, session }))
  }

  /** Aborts the longest walk while other runs wait. The run resumes from the end of the queue. */
  #yield(now: number): void {
    const aborted = [...this.#walking.keys()].some(({ isAborted }) => isAborted)
    const [longest] = [...this.#walking.values()].sort((one, other) => one.begunAt - other.begunAt)
    if (aborted || longest === undefined || now - longest.begunAt < sliceMs) return
    if (longest.attempt.progress.calls > callsOfProgress) longest.attempt.abort(yielding)
  }

  #begin(attempt: Attempt): void {
    const now = this.#parts.source.clock()
    const { id, connector_id: connectorId, mode, cause } = attempt.run
    const attributes = {
      'ferrule.connector_id': connectorId,
      'ferrule.sync.id': id,
      'ferrule.sync.mode': mode,
      'ferrule.sync.cause': cause,
    }
    const done = inSpan(
      () => ({ name: 'sync', kind: 'internal', attributes }),
      (span) => this.#work(attempt, span),
    )
      .catch(this.#parts.onBackgroundError)
      .finally(() => {
        this.#walking.delete(attempt)
        this.#parts.events.emit('ended')
        if (this.#ticks.isStarted) this.#ticks.look()
      })
    this.#walking.set(attempt, { attempt, begunAt: now, keptAt: now, done })
  }

  async #work(attempt: Attempt, span: Span | undefined): Promise<void> {
    try {
      const outcome = await attempt.walk().catch((reason: Error) => reason)
      const ended = await endAttempt(this.#parts, attempt, outcome)
      if (ended === undefined) return
      const report = buildReport(attempt, ended)
      span?.set({ 'ferrule.kind': labelKind(report).kind, 'ferrule.sync.state': report.state })
      if (report.code !== 'ok') span?.fail(report.code)
      this.#services.onRun?.(report)
    } catch (thrown) {
      if (!attempt.isAborted) throw thrown
      await releaseRun(this.#parts.database.db, attempt.lease)
    }
  }
}

const buildReport = (
  { run, kind }: Attempt,
  { state, error }: { readonly state: RunReport['state']; readonly error: { readonly code: RunReport['code'] } | null },
): RunReport => ({
  runId: run.id,
  connectorId: run.connector_id,
  kind,
  mode: run.mode,
  cause: run.cause,
  state,
  code: error?.code ?? 'ok',
  attempts: run.attempts,
})

type RemovalStore = Pick<ContextStore, 'countRecords' | 'deleteAll' | 'moveRows' | 'removeConnector'>

interface Removing {
  readonly id: string
  readonly owner: string
  keptAt: number
}

class Removals {
  readonly #parts: WorkerParts
  readonly #store: RemovalStore
  #removing: Removing | undefined
  #done: Promise<void> = Promise.resolve()

  constructor(parts: WorkerParts, store: RemovalStore) {
    this.#parts = parts
    this.#store = store
  }

  get isBusy(): boolean {
    return this.#removing !== undefined
  }

  idle(): Promise<void> {
    return this.#done
  }

  /** Renews the lease of the removal in progress, or starts a due removal. */
  async tick(): Promise<void> {
    const { database, source } = this.#parts
    const now = source.clock()
    if (this.#removing !== undefined) return this.#renew(this.#removing, now)
    if (!(await hasDueRemoval(database.db, now))) return
    const owner = newId(source)
    const node = await this.#parts.node.name()
    const row = await database.transaction((db) => leaseRemoval(db, { owner, node, now, until: now + leaseMs }))
    if (row === undefined) return
    this.#removing = { id: row.id, owner, keptAt: now }
    this.#done = this.#remove(row, owner)
      .catch(this.#parts.onBackgroundError)
      .finally(() => {
        this.#removing = undefined
        this.#parts.events.emit('queued') // wakes the next removal, or a run that waited for this one
      })
  }

  async #renew(removing: Removing, now: number): Promise<void> {
    if (now - removing.keptAt < renewalMs) return
    removing.keptAt = now
    await updateRemoval(this.#parts.database.db, removing, { not_before: now + leaseMs })
  }

  async #remove(row: RemovalRow, owner: string): Promise<void> {
    const { db } = this.#parts.database
    const removal = { id: row.id, owner }
    try {
      await this.#removeCopies(row)
      await deleteRemoval(db, removal)
      await sql.unparkRuns(db, { organizationId: row.organization_id, connectorId: row.connector_id })
    } catch (thrown) {
      const failures = row.failures + 1
      const not_before = computeNextAttemptAt(this.#parts, { failures, askedMs: undefined, isExact: false })
      await updateRemoval(db, removal, { failures, not_before })
      throw thrown
    }
  }

  /** Moves the rows of a connector to another version of its kind. Of a version that was deleted meanwhile no row can be read. */
  async #moveRows({ organization_id, connector_id, kind }: RemovalRow, nextKind: string): Promise<void> {
    const { kinds } = this.#parts
    const [from, to] = [await kinds.find({ organization_id, kind }), await kinds.find({ organization_id, kind: nextKind })]
    if (to?.own !== undefined) await this.#store.moveRows(connector_id, from?.own ?? to.own, to.own)
  }

  async #removeCopies(removal: RemovalRow): Promise<void> {
    const { connector_id: connector, kind } = removal
    const asked = readEntities(removal)
    if (asked === null) return this.#store.removeConnector(connector)
    const kept = await this.#store.countRecords(connector)
    // Emptying would create a missing table, so only existing copies are emptied.
    for (const entity of asked) if (kept.has(entity)) await this.#store.deleteAll({ connector, kind, entity })
    if (removal.next_kind !== null) await this.#moveRows(removal, removal.next_kind)
  }
}

type ScheduleParts = QueueParts & Pick<Parts, 'database'>

/** Connectors per batch, and per query. */
const connectorsAtOnce = 100

/**
 * Queues due runs. Each connector has its own transaction, which skips those that other nodes have locked. Yields between connectors,
 * because the embedded database blocks the event loop.
 */
export async function runSchedules(parts: ScheduleParts): Promise<void> {
  const { database, source } = parts
  if (!(await sql.hasDueSchedule(database.db, source.clock()))) return
  for (let more = true, queued = 0; more && queued < connectorsAtOnce; queued += 1) {
    more = await database.transaction(async (db) => {
      const connector = await sql.lockDueConnector(db, source.clock())
      if (connector !== undefined) await queueDue(parts, db, connector)
      return connector !== undefined
    })
    await yieldToEventLoop()
  }
}

async function queueDue(parts: ScheduleParts, db: Db, connector: sql.ScheduledConnector): Promise<void> {
  const ref = toConnectorRef(connector)
  const now = parts.source.clock()
  const schedules = await sql.listSchedules(db, ref)
  const due = schedules.filter(({ next_run_at }) => next_run_at !== null && next_run_at <= now)
  for (const schedule of due) await sql.saveSchedule(db, { ...schedule, next_run_at: computeNextRunAt(parts, schedule) })
  const groups = listUsedGroups(connector, await parts.kinds.find(connector, db))
  const entities = await filterFree(db, connector, new Set(due.flatMap((each) => listScheduledEntities(each, schedules, groups))))
  if (entities.size === 0) return
  const isAll = groups.every((group) => group.entities.every((entity) => entities.has(entity)))
  await queueRun(parts, db, { ref, wish: { mode: 'incremental', cause: 'schedule', entities: isAll ? null : [...entities] } })
}

/** Returns the groups of a connector; none where its workspace is inactive or deleted. */
function listUsedGroups(connector: sql.ScheduledConnector, kind: Kind | undefined): readonly EntityGroup[] {
  if (kind === undefined || connector.workspace_status !== 'active' || connector.deleted_at !== null) return []
  return listGroups(kind.definition, readWantedEntities(kind, connector))
}

/** Filters the entities that no started run has left. For the others the next interval is soon enough. */
async function filterFree(db: Db, connector: sql.ScheduledConnector, entities: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const begun = (await sql.listUnfinishedRuns(db, toConnectorRef(connector))).filter(({ attempts }) => attempts > 0)
  return new Set([...entities].filter((entity) => !begun.some((run) => isLeft(run, entity))))
}

/**
 * Stores the missing schedule and first run of connectors of an older version, or of a kind that became searchable. Reads all connectors: the
 * start of each node is often enough, because a running version stores the schedules of all its kinds.
 */
async function scheduleMissing(parts: Pick<Parts, 'settings' | 'database' | 'source' | 'kinds'>): Promise<void> {
  const { database } = parts
  const kinds = parts.kinds.served.listCopied()
  if (kinds.length === 0) return
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const rows: readonly CopyHolder[] = await sql.listConnectorsWithoutSchedule(database.db, kinds, { after, limit: connectorsAtOnce })
    for (const row of rows) {
      await database.transaction(async (db) => {
        if ((await sql.lockScheduledConnector(db, row.id)) === undefined) return
        if ((await sql.listSchedules(db, toConnectorRef(row))).length === 0) await beginSyncs(parts, db, row)
      })
      await yieldToEventLoop()
    }
    after = rows.length === connectorsAtOnce ? rows.at(-1)?.id : undefined
  }
}
