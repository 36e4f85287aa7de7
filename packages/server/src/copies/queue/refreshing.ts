/** Refreshes copies for searches, and reports their status. */
import { errorTable, isErrorCode } from 'ferrule/internal'
import type { SyncFreshness } from 'ferrule/wire'
import { type ConnectorPlace, type PrincipalView, viewOrganization } from '../../values/access.ts'
import { isoOrNull } from '../../values/ids.ts'
import { listCopies } from '../sql/sync-copies.ts'
import { findRun, isFinished, listUnfinishedRuns, markAsked, type RunRow } from '../sql/sync-runs.ts'
import { computeEntityState, describeChanging, findNextRunAt, findObstacle, isComplete } from '../status/entity-status.ts'
import { readAsked } from '../status/run-record.ts'
import { findSyncedConnector, readStatusFacts, type StatusFacts, type StatusParts } from '../status/status-facts.ts'
import type { Watching } from '../status/watching.ts'
import type { Copies, CopyStatus, RefreshOptions, Syncs } from '../sync-types.ts'
import { isDone, isFor, isLeft } from './queue.ts'
import { queueAndNotify } from './requests.ts'

/** Bounds of Retry-After, in milliseconds. */
const [shortestWaitMs, longestWaitMs] = [5_000, 3_600_000]
/** Maximum number of consecutive runs of one refresh. */
const mostRuns = 3

export interface RefreshParts {
  readonly parts: StatusParts
  readonly watching: Watching
}

/** Builds the methods that searches use. */
export const createRefreshing = (given: RefreshParts): Pick<Syncs, 'freshness' | 'refresh' | 'copies'> => ({
  freshness: (view, id, entity) => readFreshness(given.parts, view, { id, entity }),
  refresh: (view, id, options) => refresh(given, { view, id }, options),
  copies: createCopies(given),
})

const toView = ({ organizationId }: ConnectorPlace): PrincipalView => viewOrganization(organizationId)

const createCopies = (given: RefreshParts): Copies => ({
  onChange: (listener) => {
    for (const event of ['queued', 'ended'] as const) given.parts.events.on(event, listener)
  },
  readStatus: async ({ place }, entity) =>
    buildCopyStatus(await readEntityFacts(given.parts, toView(place), { id: place.connectorId, entity }), entity),
  readTimes: async ({ place }, entity) => {
    const [copy] = await listCopies(given.parts.database.db, place, entity)
    return { syncedAt: copy?.synced_at ?? null, verifiedAt: copy?.verified_at ?? null }
  },
  refresh: async ({ place }, entity, wait) => {
    await refresh(given, { view: toView(place), id: place.connectorId }, { ...wait, entity })
  },
  moveToFront: ({ place }, entity) => moveToFront(given.parts, place, entity),
})

/** Marks the unfinished runs of a connector. A run that has the mark costs no write. */
async function moveToFront({ database: { db } }: StatusParts, place: ConnectorPlace, entity: string): Promise<void> {
  for (const run of await listUnfinishedRuns(db, place)) {
    const asked = readAsked(run)
    if (!asked.has(entity) && !isDone(run, entity)) await markAsked(db, run, JSON.stringify([...asked, entity]))
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
  { parts, watching }: RefreshParts,
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
const findRunInProgress = ({ runs }: StatusFacts, entity: string, since: number): RunRow | undefined =>
  runs.find((run) => run.state === 'running' && (run.started_at ?? 0) >= since && isLeft(run, entity))

/** Waits for the end of a run, or until the copy is young enough. @returns the state of the run; undefined after the timeout */
async function waitForEnd(
  { parts, watching }: RefreshParts,
  run: RunRow,
  {
    until,
    signal,
    isEnough,
  }: { readonly until: number; readonly signal: AbortSignal | undefined; readonly isEnough: () => Promise<boolean> },
): Promise<RunRow['state'] | undefined> {
  using watcher = watching.watch(run.connector_id)
  while (parts.steady() < until) {
    await watcher.next({ until, signal })
    const now = await findRun(parts.database.db, { organizationId: run.organization_id, connectorId: run.connector_id }, run.id)
    if (now === undefined || isFinished(now.state)) return now?.state
    if (await isEnough()) return undefined
    if (now.state === 'queued' && (now.not_before ?? 0) - parts.source.clock() > until - parts.steady()) return undefined
  }
  return undefined
}
