/** Builds the service that fills the context store: refreshes copies for searches, and shows many connectors with the state of their copies. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { errorTable, fail, isErrorCode, readSlug } from 'ferrule/internal'
import { type ConnectorOverview, connectorQuery, type SyncFreshness, type SyncRunRecord, unfinishedRunQuery } from 'ferrule/wire'
import { readConnectorFilter } from '../connectors/connectors.ts'
import { toCommon } from '../connectors/draft.ts'
import { type ConnectorRow, listConnectors } from '../connectors/sql/connectors.ts'
import type { Parts } from '../main/parts.ts'
import {
  type ConnectorAccess,
  type ConnectorRef,
  type Principal,
  type PrincipalView,
  type RequestedId,
  requireScope,
  toConnectorRef,
  viewOrganization,
} from '../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../values/cursor.ts'
import { firstId, isoOrNull } from '../values/ids.ts'
import { readQuery } from '../values/read.ts'
import { createRequests, isDone, isFor, isLeft, queueAndNotify, queueRun, requireRun, withConnector } from './queue/queue.ts'
import { addCopyRecords, type CopyRow, deleteCopies, listCopies, listCopiesOf, listHolders } from './sql/sync-copies.ts'
import * as sql from './sql/sync-runs.ts'
import { buildStatusRecord, readConnectorStatus } from './status/connector-status.ts'
import { computeEntityState, describeChanging, findNextRunAt, findObstacle, isComplete, isSearchable } from './status/entity-status.ts'
import { findSyncedConnector, readWantedEntities, type SyncedConnector, toSyncedConnector } from './status/groups.ts'
import { readAsked, toRunRecord } from './status/run-record.ts'
import { readStatusFacts, type StatusFacts, type StatusParts } from './status/status-facts.ts'
import type { Watching } from './status/watching.ts'
import { listCopiedEntities } from './sync/walk/plan.ts'
import type { Copies, CopyStatus, RefreshOptions, RunIds, SearchedConnector, SearchedEntity, Syncs } from './sync-types.ts'

/** Retention of finished runs, in milliseconds: 7 days. */
const retentionMs = 7 * 24 * 60 * 60 * 1_000
/** Connectors per query. */
const batch = 100

/** Builds the service. */
export function createSyncs(parts: StatusParts, watching: Watching): Syncs {
  const refilling: Refilling = []
  const watchRun: Syncs['watchRun'] = (principal, run, signal) => watchRunRecords({ parts, watching }, { principal, ...run }, signal)
  return {
    ...createRequests(parts),
    ...createOverviews(parts),
    ...createRefreshing({ parts, watching, refilling }),
    status: async (principal, id) => {
      requireScope(principal, 'connectors:read')
      return readConnectorStatus(parts, principal, id)
    },
    watchRun,
    watchStatus: (principal, id, signal) => watchStatusRecords({ parts, watching }, { principal, id }, signal),
    waitFor: async (principal, run, signal) => {
      let last: SyncRunRecord | undefined
      for await (const record of watchRun(principal, run, signal)) last = record
      if (last === undefined) throw fail('sync_not_found', {})
      return last
    },
    addRecords: (ref, change) => addRecords(parts, ref, change),
    refill: async (kind) => {
      refilling.push(kind)
      parts.events.emit('queued') // known statuses are of tables that are empty now
      try {
        return await refill(parts, kind)
      } finally {
        refilling.splice(refilling.indexOf(kind), 1)
      }
    },
    purgeExpired: (now) => sql.deleteRunsBefore(parts.database.db, now - retentionMs),
  }
}

/** Kinds whose tables changed, until the copies of all connectors are known to be empty; undefined: all kinds. */
type Refilling = (string | undefined)[]

interface WatchParts {
  readonly parts: StatusParts
  readonly watching: Watching
}

/** Keeps reporting a run after its connector is deleted, until the run ends. */
async function* watchRunRecords(
  { parts, watching }: WatchParts,
  { principal, connectorId, runId }: { readonly principal: Principal } & RunIds,
  signal: AbortSignal,
): AsyncGenerator<SyncRunRecord, void, undefined> {
  requireScope(principal, 'connectors:read')
  const { ref, row } = await findSyncedConnector(parts, principal, connectorId)
  const { id: known } = await requireRun(parts, { ref }, runId)
  using watcher = watching.watch(row.id)
  for (let version = -1; ; ) {
    await watcher.next({ signal })
    const run = await sql.findRun(parts.database.db, ref, known)
    if (run === undefined) return
    if (run.version !== version) yield toRunRecord(run)
    if (sql.isFinished(run.state)) return
    version = run.version
  }
}

async function* watchStatusRecords({ parts, watching }: WatchParts, { principal, id }: RequestedId, signal: AbortSignal) {
  requireScope(principal, 'connectors:read')
  const { row } = await findSyncedConnector(parts, principal, id)
  using watcher = watching.watch(row.id)
  for (;;) {
    await watcher.next({ signal })
    yield await readConnectorStatus(parts, principal, row.id)
  }
}

async function addRecords({ database: { db }, onBackgroundError }: Parts, ref: ConnectorRef, change: ReadonlyMap<string, number>) {
  for (const [entity, by] of change) await addCopyRecords(db, { ...ref, entity }, by).catch(onBackgroundError)
}

/** Deletes the rows of the copies and queues full runs. The store is empty, so no removals are needed. */
async function refill(parts: Parts, only: string | undefined): Promise<number> {
  const kinds = parts.kinds.served.listCopied().filter((slug) => only === undefined || slug === only)
  let filled = 0
  for (let after: string | undefined = firstId; after !== undefined; ) {
    // Tables of kinds of organizations change for nobody, so only a lost database concerns them.
    const rows = await listHolders(parts.database.db, { kinds, hasOwn: only === undefined }, { after, limit: batch })
    const kindOf = await parts.kinds.findAll(rows)
    for (const row of rows.filter((each) => readWantedEntities(kindOf(each), each).length > 0)) {
      await withConnector(parts, { view: viewOrganization(row.organization_id), id: row.id }, async (db) => {
        await deleteCopies(db, toConnectorRef(row), null)
        await queueRun(parts, db, { ref: toConnectorRef(row), wish: { mode: 'full', cause: 'changed', entities: null } })
      }).catch(parts.onBackgroundError) // deleted in the meantime
      filled += 1
      await yieldToEventLoop()
    }
    after = rows.length === batch ? rows.at(-1)?.id : undefined
  }
  parts.events.emit('queued')
  return filled
}

const createOverviews = (parts: StatusParts): Pick<Syncs, 'listOverviews' | 'listUnfinished'> => ({
  listOverviews: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(connectorQuery, given)
    const filter = readConnectorFilter(await parts.kinds.of(principal.organizationId, [query.connector_type, query.definition_id]), query)
    const scope = { list: 'overview', view: principal, query }
    const after = readPosition(parts, scope)
    if (filter === undefined) return { data: [], next: null }
    const limit = query.limit ?? defaultLimit
    const rows = await listConnectors(parts.database.db, principal, { ...filter, after, limit: limit + 1 })
    const stored = await readStored(parts, principal, rows.slice(0, limit))
    const kindOf = await parts.kinds.findAll(rows)
    return buildPage(parts, { ...scope, rows }, (row) => toOverview(parts, stored, toSyncedConnector(row, kindOf(row))))
  },
  listUnfinished: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(unfinishedRunQuery, given)
    const scope = { list: 'unfinished syncs', view: principal, query }
    const rows = await sql.listViewRuns(parts.database.db, principal, {
      state: query.state,
      workspaceId: query.workspace_id?.toLowerCase(),
      after: readPosition(parts, scope),
      limit: (query.limit ?? defaultLimit) + 1,
    })
    return buildPage(parts, { ...scope, rows }, ({ connector_name, kind, ...run }) => ({
      ...toRunRecord(run),
      connector_name,
      connector_type: readSlug(kind),
    }))
  },
})

/** What is stored of the syncs of a page's connectors, by connector. */
interface Stored {
  readonly copies: ReadonlyMap<string, readonly CopyRow[]>
  readonly schedules: ReadonlyMap<string, readonly sql.ScheduleRow[]>
  readonly runs: ReadonlyMap<string, readonly sql.RunRow[]>
  readonly errors: ReadonlyMap<string, readonly sql.LastRunError[]>
}

const groupByConnector = <R extends { readonly connector_id: string }>(rows: readonly R[]): ReadonlyMap<string, readonly R[]> =>
  Map.groupBy(rows, ({ connector_id }) => connector_id)

async function readStored({ database: { db } }: StatusParts, view: PrincipalView, page: readonly ConnectorRow[]): Promise<Stored> {
  const own = { organizationId: view.organizationId, connectorIds: page.map(({ id }) => id) }
  if (page.length === 0) return { copies: new Map(), schedules: new Map(), runs: new Map(), errors: new Map() }
  const [copies, schedules, runs, errors] = await Promise.all([
    listCopiesOf(db, own),
    sql.listSchedulesOf(db, own),
    sql.listUnfinishedRunsOf(db, own),
    sql.listLastRunErrorsOf(db, own),
  ])
  return {
    copies: groupByConnector(copies),
    schedules: groupByConnector(schedules),
    runs: groupByConnector(runs),
    errors: groupByConnector(errors),
  }
}

/** Returns the facts without the indexes, which the store would have to be asked for. */
const toFacts = (parts: StatusParts, stored: Stored, connector: SyncedConnector): StatusFacts => ({
  connector,
  copies: new Map((stored.copies.get(connector.row.id) ?? []).map((copy) => [copy.entity, copy])),
  indexes: new Map(),
  runs: stored.runs.get(connector.row.id) ?? [],
  schedules: stored.schedules.get(connector.row.id) ?? [],
  now: parts.source.clock(),
})

function toOverview(parts: StatusParts, stored: Stored, connector: SyncedConnector): ConnectorOverview {
  const facts = toFacts(parts, stored, connector)
  const { kind, row } = connector
  const { id, name, connector_type, workspace_id, workspace_name, status, status_reason, notices, environment, created_at } = toCommon(
    row,
    kind,
  )
  const [lastError] = stored.errors.get(id) ?? []
  const { entities, running, queued, schedules, changes_days, connector_id, ...copy } = buildStatusRecord(facts, lastError, parts.settings)
  return {
    id,
    name,
    connector_type,
    kind_title: kind?.definition.title ?? connector_type,
    workspace_id,
    workspace_name,
    status,
    status_reason,
    sandbox: environment.sandbox,
    notices,
    created_at,
    context_store: entities.length === 0 ? null : copy,
    failing_entities: entities.flatMap(({ entity, last_error: error }) => (error === null ? [] : [{ entity, error }])),
    running,
    queued,
  }
}

/** Bounds of Retry-After, in milliseconds. */
const [shortestWaitMs, longestWaitMs] = [5_000, 3_600_000]
/** Maximum number of consecutive runs of one refresh. */
const mostRuns = 3

interface RefreshParts extends WatchParts {
  readonly refilling: Refilling
}

const createRefreshing = (given: RefreshParts): Pick<Syncs, 'freshness' | 'refresh' | 'copies'> => ({
  freshness: (view, id, entity) => readFreshness(given.parts, view, { id, entity }),
  refresh: (view, id, options) => refresh(given, { view, id }, options),
  copies: createCopies(given),
})

const toView = ({ organizationId }: ConnectorRef): PrincipalView => viewOrganization(organizationId)

/** Returns whether the copies of a kind are empty, and their statuses do not say so yet. */
const isEmptied = ({ refilling }: RefreshParts, { kind: { definition } }: Pick<ConnectorAccess['connection'], 'kind'>): boolean =>
  refilling.some((kind) => kind === undefined || kind === definition.kind)

function createCopies(given: RefreshParts): Copies {
  let changes = 0
  const count = () => {
    changes += 1
  }
  for (const event of ['queued', 'ended'] as const) given.parts.events.on(event, count)
  return { ...readCopies(given), countChanges: () => changes }
}

const readCopies = (given: RefreshParts): Omit<Copies, 'countChanges'> => ({
  readStatus: async ({ ref, connection }, entity) => {
    const status = buildCopyStatus(await readEntityFacts(given.parts, toView(ref), { id: ref.connectorId, entity }), entity)
    return isEmptied(given, connection) ? { ...status, status: 'loading', syncedAt: null, verifiedAt: null, complete: false } : status
  },
  listFilled: async ({ ref, connection }) => {
    const connector = await findSyncedConnector(given.parts, toView(ref), ref.connectorId)
    const copies = new Map((await listCopies(given.parts.database.db, ref)).map((copy) => [copy.entity, copy]))
    if (isEmptied(given, connection)) return []
    return listCopiedEntities(connection.kind.definition).filter((entity) => isSearchable({ connector, copies }, entity))
  },
  listSearched: async (view, wanted) => listSearched(given, view, wanted),
  readTimes: async ({ ref }, entity) => {
    const [copy] = await listCopies(given.parts.database.db, ref, entity)
    return { syncedAt: copy?.synced_at ?? null, verifiedAt: copy?.verified_at ?? null }
  },
  refresh: async ({ ref }, entity, wait) => {
    await refresh(given, { view: toView(ref), id: ref.connectorId }, { ...wait, entity })
  },
  moveToFront: ({ ref }, entity) => moveToFront(given.parts, ref, entity),
})

async function listSearched(
  given: RefreshParts,
  view: PrincipalView,
  { workspaceId, most }: Parameters<Copies['listSearched']>[1],
): Promise<readonly SearchedConnector[]> {
  const { parts } = given
  const rows = await listConnectors(parts.database.db, view, { workspaceId, limit: most })
  const active = rows.filter((row) => row.workspace_status !== 'inactive')
  const stored = await readStored(parts, view, active)
  const kindOf = await parts.kinds.findAll(active)
  return active.flatMap((row) => {
    const kind = kindOf(row)
    if (kind === undefined) return []
    const isEmpty = isEmptied(given, { kind })
    const connector = toSyncedConnector(row, kind)
    const facts = toFacts(parts, stored, connector)
    const entities = listCopiedEntities(kind.definition).filter((entity) => connector.wanted.includes(entity))
    const describe = (entity: string): SearchedEntity => {
      if (!isEmpty && isSearchable(facts, entity)) return { entity, syncedAt: getSyncedAt(facts, entity), reason: null }
      const { status, obstacle, error } = buildCopyStatus(facts, entity)
      return {
        entity,
        syncedAt: null,
        reason: obstacle ?? `its status is ${isEmpty ? 'loading' : status}${error === null ? '' : ` (${error})`}`,
      }
    }
    return [
      {
        ref: connector.ref,
        name: row.name,
        kind,
        own: kind.own,
        configuration: JSON.parse(row.configuration),
        entities: entities.map(describe),
      },
    ]
  })
}

/** Marks the unfinished runs of a connector. A run that has the mark costs no write. */
async function moveToFront({ database: { db } }: StatusParts, ref: ConnectorRef, entity: string): Promise<void> {
  for (const run of await sql.listUnfinishedRuns(db, ref)) {
    const asked = readAsked(run)
    if (!asked.has(entity) && !isDone(run, entity)) await sql.markAsked(db, run, JSON.stringify([...asked, entity]))
  }
}

interface EntityTarget {
  readonly id: string
  readonly entity: string
}

const readEntityFacts = async (parts: StatusParts, view: PrincipalView, { id, entity }: EntityTarget): Promise<StatusFacts> =>
  readStatusFacts(parts, await findSyncedConnector(parts, view, id), entity)

const getSyncedAt = ({ copies }: StatusFacts, entity: string): number | null => copies.get(entity)?.synced_at ?? null

async function readFreshness(parts: StatusParts, view: PrincipalView, { id, entity }: EntityTarget): Promise<SyncFreshness> {
  const known = await readEntityFacts(parts, view, { id, entity })
  const syncedAt = getSyncedAt(known, entity)
  const verifiedAt = known.copies.get(entity)?.verified_at ?? null
  return {
    state: computeEntityState(known, entity),
    synced_at: isoOrNull(syncedAt),
    verified_at: isoOrNull(verifiedAt),
    complete: isComplete(known, entity),
    ...describeChanging(known, entity),
    records: known.copies.get(entity)?.records ?? null,
  }
}

const isCredentials = (code: string | null | undefined): boolean =>
  typeof code === 'string' && isErrorCode(code) && errorTable[code].fault === 'credentials'

function buildCopyStatus(known: StatusFacts, entity: string): CopyStatus {
  const copy = known.copies.get(entity)
  const next = findNextRunAt(known, entity)
  const isHopeless = copy !== undefined && copy.synced_at === null && copy.outcome === 'failed' && isCredentials(copy.error_code)
  return {
    status: computeEntityState(known, entity),
    syncedAt: getSyncedAt(known, entity),
    verifiedAt: copy?.verified_at ?? null,
    complete: isComplete(known, entity),
    mayChangeFrom: describeChanging(known, entity).may_change_from,
    obstacle: findObstacle(known, entity) ?? (isHopeless ? `the last sync failed: ${copy.error_message}` : null),
    error: copy?.error_message ?? null,
    retryAfterMs: isRunning(known, entity) ? shortestWaitMs : Math.min(longestWaitMs, Math.max(shortestWaitMs, (next ?? 0) - known.now)),
  }
}

/** Returns whether an active run covers an entity, now or later. */
const isRunning = ({ runs }: StatusFacts, entity: string): boolean => runs.some((run) => run.state === 'running' && isFor(run, entity))

/** Requests runs until the copy is young enough, the timeout passes, or a run leaves the copy too old. */
async function refresh(
  { parts, watching }: WatchParts,
  target: { readonly view: PrincipalView; readonly id: string },
  { entity, maxAgeSeconds, deadlineMs, signal }: RefreshOptions,
): Promise<boolean> {
  const until = parts.steady() + deadlineMs
  const since = parts.source.clock() - maxAgeSeconds * 1_000
  const known = () => readEntityFacts(parts, target.view, { id: target.id, entity })
  const isYoung = async (): Promise<boolean> => (getSyncedAt(await known(), entity) ?? Number.NEGATIVE_INFINITY) >= since
  if (await isYoung()) return true
  for (let runs = 0; runs < mostRuns && parts.steady() < until; runs += 1) {
    const wish = { mode: 'incremental', cause: 'search', entities: [entity] } as const
    const run = findRunInProgress(await known(), entity, since) ?? (await queueAndNotify(parts, target, wish))
    const state = await waitForEnd({ parts, watching }, run, { until, signal, isEnough: isYoung })
    if (await isYoung()) return true
    // A run that resumes an older walk is as old as that walk; the next run is not.
    if (state !== 'succeeded' && state !== 'partial') return false
  }
  return false
}

/** Returns the active run if it started in time and still has to sync the entity. */
const findRunInProgress = ({ runs }: StatusFacts, entity: string, since: number): sql.RunRow | undefined =>
  runs.find((run) => run.state === 'running' && (run.started_at ?? 0) >= since && isLeft(run, entity))

/** Waits for the end of a run, or until the copy is young enough. @returns the state of the run; undefined after the timeout */
async function waitForEnd(
  { parts, watching }: WatchParts,
  run: sql.RunRow,
  {
    until,
    signal,
    isEnough,
  }: { readonly until: number; readonly signal: AbortSignal | undefined; readonly isEnough: () => Promise<boolean> },
): Promise<sql.RunRow['state'] | undefined> {
  using watcher = watching.watch(run.connector_id)
  while (parts.steady() < until) {
    await watcher.next({ until, signal })
    const now = await sql.findRun(parts.database.db, { organizationId: run.organization_id, connectorId: run.connector_id }, run.id)
    if (now === undefined || sql.isFinished(now.state)) return now?.state
    if (await isEnough()) return undefined
    if (now.state === 'queued' && (now.not_before ?? 0) - parts.source.clock() > until - parts.steady()) return undefined
  }
  return undefined
}
