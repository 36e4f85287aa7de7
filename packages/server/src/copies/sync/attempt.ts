/** Runs one attempt of a run, with calls behind those of clients. Stores each finished walk, so that the next attempt resumes after it. */
import { FerruleError } from 'ferrule'
import type { Withdrawn } from 'ferrule/definition'
import { type BodyMemory, type Engine, type Outcome, RawJson, RawRows } from 'ferrule/engine'
import { asFerruleError, errorConsequences, fail, isObject, readBatches } from 'ferrule/internal'
import type { RunMode, SyncEntityResult, SyncError } from 'ferrule/wire'
import { type CallServices, runMarked } from '../../connectors/access.ts'
import type { Connectors } from '../../connectors/connector-types.ts'
import { findConnector, requireConnector } from '../../connectors/sql/connectors.ts'
import type { Session } from '../../db/session.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorAccess, viewOrganization } from '../../values/access.ts'
import { leaseMarginMs } from '../queue/times.ts'
import { addCopyRecords, type CopyChange, type CopyRow, listCopies, protectConnector, saveCopy } from '../sql/sync-copies.ts'
import { updateRun } from '../sql/sync-queue.ts'
import type { RunRow } from '../sql/sync-runs.ts'
import { expandToGroups, readWantedEntities } from '../status/groups.ts'
import {
  buildFlawError,
  buildSyncError,
  buildWithdrawnNotice,
  readAsked,
  readEntities,
  readProgress,
  readResults,
  storeReadyEvent,
  toStoredError,
} from '../status/run-record.ts'
import type { SyncServices, WalkStore } from '../sync-types.ts'
import { RunProgress } from './progress.ts'
import { listStored, planRun, type Tree, tracksChanges } from './walk/plan.ts'
import { isLookupDenied, listRecheckedEntities, type RecheckTask, recheck } from './walk/recheck.ts'
import { runInSlices } from './walk/run.ts'
import type { Answered, Ask, SyncTask } from './walk/types.ts'
import type { WalkEnd } from './walk/walk.ts'

/** Timeout of a call, in milliseconds. */
const deadlineMs = 120_000

interface AskServices extends Omit<CallServices, 'usage'> {
  readonly engine: Pick<Engine, 'run'>
  /** Memory budget for answers. */
  readonly memory?: BodyMemory | undefined
  readonly onBackgroundError: (error: unknown) => void
}

interface AskOptions {
  readonly access: ConnectorAccess
  readonly signal: AbortSignal
  /** Called after every successful call. */
  readonly called: (entity: string) => void
  /** Called when values of an entity are left out because the vendor has withdrawn them. */
  readonly withdrew?: (entity: string, names: readonly string[]) => void
}

async function readAllRows(rows: readonly unknown[] | RawRows): Promise<readonly unknown[]> {
  if (!(rows instanceof RawRows)) return rows
  const all: unknown[] = []
  for await (const batch of readBatches(rows)) for (const row of batch) all.push(row)
  return all
}

async function readAnswer(outcome: Outcome, entity: string): Promise<Answered> {
  if (outcome.type === 'file') throw fail('definition_invalid', { reason: `${entity} answers a file to a sync` })
  if (outcome.type === 'record') return { rows: [outcome.data instanceof RawJson ? outcome.data.toJSON() : outcome.data], next: null }
  const { next_params: next } = outcome.meta
  const { hidden, doubt, token } = outcome
  return {
    rows: await readAllRows(outcome.data),
    next: isObject(next) ? next : null,
    hidden,
    doubt,
    token,
  }
}

/** Builds the function that calls the vendor. Refused credentials set `auth_error`, and the first success clears it. */
export function createAsk(services: AskServices, options: AskOptions): Ask {
  return leaveOutWithdrawn(createPlainAsk(services, options), options)
}

function createPlainAsk(services: AskServices, { access, signal, called }: AskOptions): Ask {
  const { engine, memory } = services
  return async (asked) => {
    const lease = memory?.open(access.ref.organizationId)
    const call = { ...asked, deadlineMs, background: true, unfiltered: true, signal, memory: lease }
    try {
      const outcome = await runMarked(services, { access, call }, () => engine.run(access.connection, call))
      called(asked.entity)
      return await readAnswer(outcome, asked.entity)
    } catch (thrown) {
      const error = signal.aborted ? thrown : asFerruleError(thrown)
      if (error !== thrown) services.onBackgroundError(thrown) // a fault of this service, which fails one list at most
      throw error
    } finally {
      lease?.close()
    }
  }
}

/** Parses a JSON array of strings; undefined for anything else. */
function parseNames(value: unknown): readonly string[] | undefined {
  if (typeof value !== 'string' || !value.startsWith('[')) return undefined
  const parsed: unknown = JSON.parse(value)
  return Array.isArray(parsed) && parsed.every((name) => typeof name === 'string') ? parsed : undefined
}

/** Finds the values of a request that its refusal says the vendor has withdrawn. */
function findWithdrawn(thrown: unknown, { matches }: Withdrawn, names: readonly string[]): readonly string[] {
  if (!(thrown instanceof FerruleError) || thrown.code !== 'upstream_invalid_request') return []
  const listed = new RegExp(matches).exec(thrown.upstream?.message ?? '')?.[1] ?? ''
  const refused = new Set([...listed.matchAll(/'([^']+)'|"([^"]+)"/g)].map(([, single, double]) => single ?? double))
  return names.filter((name) => refused.has(name))
}

/** Asks again without values that the vendor has withdrawn, and leaves them out from then on. Each answer names at least one more. */
function leaveOutWithdrawn(ask: Ask, { access, withdrew }: AskOptions): Ask {
  const { entities } = access.connection.kind.definition
  const known = new Map<string, ReadonlySet<string>>()
  const askWithout: Ask = async (call) => {
    const rule = entities[call.entity]?.sync?.withdrawn
    const names = rule === undefined ? undefined : parseNames(call.params[rule.param])
    if (rule === undefined || names === undefined) return ask(call)
    const out = known.get(call.entity) ?? new Set()
    const left = names.filter((name) => !out.has(name))
    try {
      return await ask({ ...call, params: { ...call.params, [rule.param]: JSON.stringify(left) } })
    } catch (thrown) {
      const gone = findWithdrawn(thrown, rule, left)
      if (gone.length === 0 || gone.length === left.length) throw thrown
      known.set(call.entity, new Set([...out, ...gone]))
      withdrew?.(call.entity, [...out, ...gone])
      return askWithout(call)
    }
  }
  return askWithout
}

const dayMs = 86_400_000

/** Services that an attempt needs. */
export interface AttemptServices extends Pick<SyncServices, 'store' | 'onCall'> {
  readonly parts: Parts
  readonly connectors: Pick<Connectors, 'readAccess' | 'markAuthError' | 'markHealthy'>
}

/** How an attempt ended: everything was walked, the rest resumes later, the run fails, or nothing is left to do. */
export type AttemptOutcome = { readonly is: 'walked' } | { readonly is: 'later' | 'failed' | 'cancelled'; readonly thrown: unknown }

/**
 * `end`: the run fails, because every other call would fail too. `cancel`: nothing is left to do. `wait`: the run resumes later, because
 * every other call would fail now. `later`: the other entities are walked first. `fail`: only these entities fail.
 */
type Consequence = 'end' | 'cancel' | 'wait' | 'later' | 'fail'

/** Returns what follows from an error of a walk. */
function decideConsequence({ code, retryable }: FerruleError): Consequence {
  const { syncRun } = errorConsequences[code]
  if (syncRun !== 'continue') return syncRun
  return retryable ? 'later' : 'fail'
}

/** Maximum number of consecutive walks with temporary failures; then the run pauses. */
const mostFailedWalks = 3

const outcomes: Readonly<Record<Consequence, 'later' | 'failed' | 'cancelled'>> = {
  end: 'failed',
  cancel: 'cancelled',
  wait: 'later',
  later: 'later',
  fail: 'failed',
}

interface WalkedTree {
  /** Start of the walk, in milliseconds since 1970. */
  readonly startedAt: number
  readonly results: readonly SyncEntityResult[]
}

/** Facts beside the result of an entity. Timestamps are milliseconds since 1970. */
interface WalkFacts {
  readonly now: number
  readonly startedAt: number
  /** Records of the copy; undefined when counting failed. */
  readonly records: number | undefined
  /** Records that the run has read. */
  readonly met: number
}

/** Builds the change of a copy's row. A failed read leaves the copy as old as before. */
function buildCopyChange({ state, error }: SyncEntityResult, { now, startedAt, records, met }: WalkFacts): CopyChange {
  const attempt = { last_attempt_at: now, outcome: state, ...toStoredError(error) }
  if (state === 'skipped' || state === 'failed') return attempt
  return {
    ...attempt,
    synced_at: startedAt,
    whole: state === 'partial' ? 0 : 1,
    ...(state === 'complete' ? { verified_at: startedAt } : {}),
    last_success_at: now,
    ...(records === undefined ? {} : { records }),
    ...(state === 'changes' ? { met_changes: met } : {}),
  }
}

/** Estimates the records that walks will read, from earlier walks: all records, or the number of the last changes. */
function computeExpectedRecords(trees: readonly Tree[], copies: readonly CopyRow[], mode: RunMode): ReadonlyMap<string, number> {
  const byEntity = new Map(copies.map((copy) => [copy.entity, copy]))
  const expected = new Map<string, number>()
  for (const tree of trees)
    for (const { entity, sync, marked } of listStored(tree)) {
      const meetsAll = mode === 'full' || (!tracksChanges(tree.sync) && sync.windows === undefined && marked.length === 0)
      const count = meetsAll ? byEntity.get(entity)?.records : byEntity.get(entity)?.met_changes
      if (typeof count === 'number') expected.set(entity, count)
    }
  return expected
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
    const row = await requireConnector(parts.database.db, view, this.run.connector_id, findConnector)
    const { kind } = access.connection
    const { definition } = kind
    this.kind = definition.kind
    const done = new Set(this.results.map(({ entity }) => entity))
    this.#covered = expandToGroups(definition, readWantedEntities(kind, row), readEntities(this.run))
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
    const task = this.#buildTask(access)
    await runInSlices(task, trees, {
      prepare: (tree) => this.#prepare(task, tree),
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
    if (later === undefined && this.run.mode === 'incremental') await recheck(task)
    return later ?? { is: 'walked' }
  }

  /** Begins a walk. @returns the maximum age of a complete pass. Where a lookup is denied, complete passes replace the recheck */
  async #prepare(task: RecheckTask, tree: Tree): Promise<number> {
    const entities = listStored(tree).map(({ entity }) => entity)
    const fullEvery = this.#services.parts.settings.syncFullDays * dayMs
    const seconds = task.kind.definition.hidden?.recheck?.seconds
    const isMeant = listRecheckedEntities(task).some((entity) => entities.includes(entity))
    const isShorter = seconds !== undefined && isMeant && (await isLookupDenied(task))
    this.progress.begin(entities)
    return isShorter ? Math.min(fullEvery, seconds * 1_000) : fullEvery
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

  #buildTask(access: ConnectorAccess): SyncTask & RecheckTask {
    const { parts, store, connectors, onCall } = this.#services
    const { engine, admission, onBackgroundError } = parts
    const { organization_id: organizationId, connector_id: connectorId } = this.run
    const { kind, configuration } = access.connection
    const signal = this.#signal
    const services = { connectors, engine, memory: admission.memory, onCall, onBackgroundError }
    return {
      kind,
      own: access.own,
      connector: connectorId,
      configuration,
      store: createFence(store, () => this.#checkLease()),
      ask: createAsk(services, {
        access,
        signal,
        called: (entity) => this.progress.called(entity),
        withdrew: (entity, names) => this.#notices.set(entity, buildWithdrawnNotice(kind.definition.title, names)),
      }),
      covered: this.#covered,
      mode: this.run.mode,
      run: this.run.id,
      clock: parts.source.clock,
      signal,
      progress: this.progress,
      onLost: async (lost) => {
        for (const [entity, by] of lost) await addCopyRecords(parts.database.db, { organizationId, connectorId, entity }, -by)
      },
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
    if (!(thrown instanceof FerruleError)) this.#services.parts.onBackgroundError(thrown)
    return decideConsequence(asFerruleError(thrown))
  }

  #failed(tree: Tree, thrown: unknown): WalkedTree {
    const error = buildSyncError(thrown, this.run.connector_id)
    return { startedAt: 0, results: listStored(tree).map(({ entity }) => ({ entity, state: 'failed', error })) }
  }

  #counting(expected: ReadonlyMap<string, number>): RunProgress {
    const done = new Set(this.results.map(({ entity }) => entity))
    return new RunProgress(readProgress(this.run.progress), { done, expected, clock: this.#services.parts.source.clock })
  }

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
      const change = { results: JSON.stringify(results), progress: this.progress.text() }
      if ((await updateRun(db, this.lease, change)) === undefined) return false
      const before = new Map((await listCopies(db, { organizationId, connectorId })).map((copy) => [copy.entity, copy]))
      for (const result of walked.results) {
        const met = this.progress.countRecords(result.entity)
        const records = counted.get(result.entity) ?? this.progress.countStored(result.entity)
        const change = buildCopyChange(result, { now, startedAt: walked.startedAt, records, met })
        await saveCopy(db, { organizationId, connectorId, entity: result.entity }, change)
        const isFirst = (before.get(result.entity)?.synced_at ?? null) === null && change.synced_at !== undefined
        if (isFirst) await storeReadyEvent(db, parts.source, { run: this.run, entity: result.entity, records: records ?? null })
      }
      return true
    })
    if (!isKept) this.#lose()
    this.results = results
    this.left = this.left.filter((entity) => !entities.includes(entity))
  }
}
