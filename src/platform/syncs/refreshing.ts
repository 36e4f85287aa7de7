/** Copies that searches want younger, and what they tell of them. */
import { type ErrorCode, errorTable } from '../../errors.ts'
import { findRun, type RunRow } from '../db/queries-sync-runs.ts'
import { iso } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { Copies, CopyState } from '../searches.ts'
import type { ConnectorPlace, PrincipalView } from '../types.ts'
import { entityState, isWhole, nextRunOf, obstacleOf } from './entity-status.ts'
import { findFor, type KnownSyncs, knownOf } from './found.ts'
import type { SyncFreshness } from './records.ts'
import { queued } from './requests.ts'
import { readResults } from './run-record.ts'
import { isFinished } from './states.ts'
import type { RefreshOptions, Syncs } from './types.ts'
import type { Watching } from './watching.ts'

/** Shortest and longest time after which a client is told to ask again, in milliseconds. */
const [shortestWaitMs, longestWaitMs] = [5_000, 3_600_000]
/** Runs that one refresh waits for, one after the other. */
const mostRuns = 3

/** What refreshing works with. */
export interface RefreshParts {
  readonly parts: Parts
  readonly watching: Watching
}

/** Builds the part of the service that searches ask. */
export const createRefreshing = (given: RefreshParts): Pick<Syncs, 'freshness' | 'refresh' | 'copies'> => ({
  freshness: (view, id, entity) => freshness(given.parts, view, { id, entity }),
  refresh: (view, id, options) => refresh(given, { view, id }, options),
  copies: copiesOf(given),
})

const viewOf = ({ organizationId }: ConnectorPlace): PrincipalView => ({ organizationId, workspaceId: null })

const copiesOf = (given: RefreshParts): Copies => ({
  onChange: (listener) => {
    for (const event of ['queued', 'ended'] as const) given.parts.events.on(event, listener)
  },
  stateOf: async ({ place }, entity) =>
    copyState(await knownOfEntity(given.parts, viewOf(place), { id: place.connectorId, entity }), entity),
  refresh: async ({ place }, entity, wait) => {
    await refresh(given, { view: viewOf(place), id: place.connectorId }, { ...wait, entity })
  },
})

interface EntityTarget {
  readonly id: string
  readonly entity: string
}

const knownOfEntity = async (parts: Parts, view: PrincipalView, { id, entity }: EntityTarget): Promise<KnownSyncs> =>
  knownOf(parts, await findFor(parts, view, id), entity)

const syncedAtOf = ({ copies }: KnownSyncs, entity: string): number | null => copies.get(entity)?.synced_at ?? null

async function freshness(parts: Parts, view: PrincipalView, { id, entity }: EntityTarget): Promise<SyncFreshness> {
  const known = await knownOfEntity(parts, view, { id, entity })
  const syncedAt = syncedAtOf(known, entity)
  const verifiedAt = known.copies.get(entity)?.verified_at ?? null
  return {
    state: entityState(known, entity),
    synced_at: syncedAt === null ? null : iso(syncedAt),
    verified_at: verifiedAt === null ? null : iso(verifiedAt),
    complete: isWhole(known, entity),
    records: known.copies.get(entity)?.records ?? null,
  }
}

const isCredentials = (code: string | null | undefined): boolean =>
  typeof code === 'string' && Object.hasOwn(errorTable, code) && errorTable[code as ErrorCode].fault === 'credentials' // just looked

function copyState(known: KnownSyncs, entity: string): CopyState {
  const copy = known.copies.get(entity)
  const next = nextRunOf(known, entity)
  const isHopeless = copy !== undefined && copy.synced_at === null && copy.outcome === 'failed' && isCredentials(copy.error_code)
  return {
    status: entityState(known, entity),
    syncedAt: syncedAtOf(known, entity),
    verifiedAt: copy?.verified_at ?? null,
    complete: isWhole(known, entity),
    obstacle: obstacleOf(known, entity) ?? (isHopeless ? `the last sync failed: ${copy.error_message}` : null),
    error: copy?.error_message ?? null,
    retryAfterMs: isRunning(known, entity) ? shortestWaitMs : Math.min(longestWaitMs, Math.max(shortestWaitMs, (next ?? 0) - known.now)),
  }
}

/** Whether a run that runs brings an entity, at once or later. */
const isRunning = ({ runs }: KnownSyncs, entity: string): boolean => runs.some((run) => run.state === 'running' && isFor(run, entity))

/** Asks for runs until the copy is young enough, the time is over, or a run does not bring it. */
async function refresh(
  { parts, watching }: RefreshParts,
  target: { readonly view: PrincipalView; readonly id: string },
  { entity, maxAgeSeconds, deadlineMs, signal }: RefreshOptions,
): Promise<boolean> {
  const until = parts.steady() + deadlineMs
  const since = parts.source.clock() - maxAgeSeconds * 1_000
  const known = () => knownOfEntity(parts, target.view, { id: target.id, entity })
  const isYoung = async (): Promise<boolean> => (syncedAtOf(await known(), entity) ?? Number.NEGATIVE_INFINITY) >= since
  if (await isYoung()) return true
  for (let runs = 0; runs < mostRuns && parts.steady() < until; runs += 1) {
    const wish = { mode: 'incremental', cause: 'search', entities: [entity] } as const
    const run = underWay(await known(), entity, since) ?? (await queued(parts, target, wish))
    const state = await ended({ parts, watching }, run, { until, signal, isEnough: isYoung })
    if (await isYoung()) return true
    // A run that went on with an older walk is as old as that; the next one is not.
    if (state !== 'succeeded' && state !== 'partial') return false
  }
  return false
}

/** The run that runs, when it began in time and brings the entity. */
const underWay = ({ runs }: KnownSyncs, entity: string, since: number): RunRow | undefined =>
  runs.find((run) => run.state === 'running' && (run.started_at ?? 0) >= since && isFor(run, entity) && !isDone(run, entity))

const isFor = ({ entities }: RunRow, entity: string): boolean => entities === null || JSON.parse(entities).includes(entity)
const isDone = ({ results }: RunRow, entity: string): boolean => readResults(results).some((each) => each.entity === entity)

/** Waits for the end of a run, or until the copy is young enough before it. @returns its state; undefined when the time was over */
async function ended(
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
