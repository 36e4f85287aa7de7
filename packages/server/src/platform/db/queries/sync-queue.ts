/** Queries runs for the nodes that work on them: leases, progress, ends. Covers all organizations. */

import { type ExpressionBuilder, sql } from 'kysely'
import type { runMoves } from '../../model/run-states.ts'
import { type Db, skipLocked } from '../database.ts'
import type { Tables } from '../schema.ts'
import { sessionLocks } from '../session.ts'
import type { RunRow, StoredError } from './sync-runs.ts'

const nextVersion = sql<number>`version + 1`

/** Owner and end of a lease. Timestamps are milliseconds since 1970. */
export interface RunLease {
  readonly owner: string
  readonly node: string
  /** Database session that ends the lease; null when only time ends it. */
  readonly session: number | null
  readonly now: number
  readonly until: number
}

/**
 * Selects runs that can start. No walk of the connector is active, no removal of its copies waits, and no started run waits, which goes
 * first. Unchecked credentials wait for a successful call.
 */
const isFree = ({ and, not, exists, selectFrom, or, eb }: ExpressionBuilder<Tables, 'sync_runs'>) => {
  const others = selectFrom('sync_runs as other').select('other.id').whereRef('other.connector_id', '=', 'sync_runs.connector_id')
  const begun = others.where('other.finished_at', 'is', null).where('other.state', '=', sql.lit('queued')).where('other.attempts', '>', 0)
  const removals = selectFrom('sync_removals')
    .select('sync_removals.id')
    .whereRef('sync_removals.connector_id', '=', 'sync_runs.connector_id')
  const unchecked = selectFrom('connectors')
    .select('connectors.id')
    .whereRef('connectors.id', '=', 'sync_runs.connector_id')
    .where(sql<boolean>`connectors.unchecked`)
  return and([
    not(exists(unchecked)),
    not(exists(others.where('other.lease_owner', 'is not', null))),
    or([eb('sync_runs.attempts', '>', 0), not(exists(begun))]),
    not(exists(removals)),
  ])
}

/** Repeats the literals of the indexes: SQLite does not match an index by parameters. */
const due = (db: Db, limit: number) =>
  db
    .selectFrom('sync_runs')
    .selectAll('sync_runs')
    .where('sync_runs.state', '=', sql.lit('queued'))
    .where('sync_runs.not_before', 'is', null)
    .where(isFree)
    .orderBy('sync_runs.place')
    .orderBy('sync_runs.id')
    .limit(limit)

const delayed = sql<boolean>`state = 'queued' and not_before is not null`

/** Makes delayed runs available whose time has come. */
export async function wakeRuns(db: Db, now: number): Promise<void> {
  const rows = db.selectFrom('sync_runs').select('id').where(delayed).where('not_before', '<=', now).limit(1)
  if ((await rows.executeTakeFirst()) === undefined) return
  await db.updateTable('sync_runs').set({ not_before: null }).where(delayed).where('not_before', '<=', now).execute()
}

/** Returns whether a run can start now. */
export const hasDueRun = async (db: Db): Promise<boolean> =>
  (await due(db, 1).clearSelect().select('sync_runs.id').executeTakeFirst()) !== undefined

/** Leases due runs in queue order. Call it in a transaction. @returns the updated runs */
export async function leaseRuns(db: Db, { owner, node, session, now, until }: RunLease, limit: number): Promise<RunRow[]> {
  const taken: RunRow[] = []
  const connectors = new Set<string>()
  for (const row of await skipLocked(db, due(db, limit), 'sync_runs').execute()) {
    if (connectors.has(row.connector_id)) continue // two runs of one connector can be due; the first goes first
    connectors.add(row.connector_id)
    const claimed = {
      state: 'running',
      attempts: row.attempts + 1,
      lease_owner: owner,
      lease_until: until,
      lease_node: node,
      lease_session: session,
      started_at: row.started_at ?? now,
      version: row.version + 1,
    } as const
    await db.updateTable('sync_runs').set(claimed).where('id', '=', row.id).execute()
    taken.push({ ...row, ...claimed })
  }
  return taken
}

/** One attempt of a run. */
export interface RunAttempt {
  readonly id: string
  readonly owner: string
}

const ofAttempt = (db: Db, { id, owner }: RunAttempt) =>
  db.updateTable('sync_runs').where('id', '=', id).where('lease_owner', '=', owner).where('state', '=', 'running')

/** Columns that change during a run. */
export type RunProgressChange = Partial<Pick<RunRow, 'progress' | 'results' | 'lease_until' | 'failures'>>

/**
 * Stores progress, or extends the lease only.
 * @returns the entities that searches wait for; undefined when the attempt no longer owns the run
 */
export function updateRun(db: Db, attempt: RunAttempt, change: RunProgressChange): Promise<Pick<RunRow, 'asked'> | undefined> {
  const isSeen = change.progress !== undefined || change.results !== undefined
  return ofAttempt(db, attempt)
    .set({ ...change, ...(isSeen ? { version: nextVersion } : {}) })
    .returning('asked')
    .executeTakeFirst()
}

/** States that end a running attempt; `queued` ends the attempt only. */
type EndState = (typeof runMoves.running)[number]
/** How an attempt ends. */
export type RunEnd = StoredError &
  Pick<RunRow, 'progress' | 'results' | 'failures'> &
  (
    | { readonly state: Exclude<EndState, 'queued'>; readonly finished_at: number }
    | { readonly state: 'queued'; readonly not_before: number | null; readonly place: number }
  )

/** Ends an attempt and releases its lease. @returns false when the attempt no longer owns the run */
export async function endRun(db: Db, attempt: RunAttempt, end: RunEnd): Promise<boolean> {
  const done = await ofAttempt(db, attempt)
    .set({ ...end, lease_owner: null, lease_until: null, lease_session: null, version: nextVersion })
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Releases the lease of a run that ended elsewhere during this attempt. */
export const releaseRun = async (db: Db, { id, owner }: RunAttempt): Promise<void> => {
  const rows = db.updateTable('sync_runs').set({ lease_owner: null, lease_until: null, lease_session: null })
  await rows.where('id', '=', id).where('lease_owner', '=', owner).where('state', '<>', 'running').execute()
}

/** Lists runs with expired leases: their node died or stalled. */
export const listAbandonedRuns = (db: Db, now: number, limit: number): Promise<RunRow[]> =>
  db
    .selectFrom('sync_runs')
    .selectAll()
    .where('lease_owner', 'is not', null)
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .limit(limit)
    .execute()

/**
 * Lists ended sessions that runs are leased under. The query takes their locks briefly and shared, so that concurrent queries do not block
 * each other.
 */
export async function listEndedSessions(db: Db): Promise<number[]> {
  const { rows } = await sql<{ readonly session: number }>`with leased as materialized
    (select distinct lease_session as session from sync_runs where lease_owner is not null and lease_session is not null)
    select session from leased where pg_try_advisory_xact_lock_shared(${sql.lit(sessionLocks)}, session::int4)`.execute(db)
  return rows.map(({ session }) => session)
}

/** Selects leases of a node or a session; all when both are absent. */
export interface Leased {
  readonly node?: string | undefined
  readonly session?: number
}

/** Lists leased runs. */
export const listLeasedRuns = (db: Db, { node, session }: Leased, limit: number): Promise<RunRow[]> =>
  db
    .selectFrom('sync_runs')
    .selectAll()
    .where('lease_owner', 'is not', null)
    .$if(node !== undefined, (rows) => rows.where('lease_node', '=', node ?? ''))
    .$if(session !== undefined, (rows) => rows.where('lease_session', '=', session ?? null))
    .orderBy('lease_until')
    .limit(limit)
    .execute()

/** Changes of an abandoned run. */
export type Abandoned = (Pick<RunRow, 'state' | 'failures' | 'not_before' | 'finished_at'> & StoredError) | Record<string, never>

/** Takes an abandoned run from its node, unless its lease changed. @returns whether it was taken */
export async function takeAbandoned(db: Db, { id, lease_owner, lease_until }: RunRow, next: Abandoned): Promise<boolean> {
  const done = await db
    .updateTable('sync_runs')
    .set({ ...next, lease_owner: null, lease_until: null, lease_session: null, version: nextVersion })
    .where('id', '=', id)
    .where('lease_owner', '=', lease_owner)
    .where('lease_until', '=', lease_until)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}
