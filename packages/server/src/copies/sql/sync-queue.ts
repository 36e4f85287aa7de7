/** Queries runs for the nodes that work on them: leases, progress, ends. Covers all organizations. */
import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Db, type Lease, skipLocked } from '../../db/database.ts'
import type { Tables } from '../../db/schema/schema.ts'
import { sessionLocks } from '../../db/session.ts'
import type { RunRow, runMoves, StoredError } from './sync-runs.ts'

const nextVersion = sql<number>`version + 1`

/** Time until a parked run is looked at again, in milliseconds: what ends its wait unparks it before. */
const parkedMs = 300_000
/** Runs that are parked by one statement, and looks for one that can start. */
const [parkedAtOnce, looks] = [100, 10]

/** A lease of runs. */
export interface RunLease extends Lease {
  readonly node: string
  /** Database session that ends the lease; null when only time ends it. */
  readonly session: number | null
}

type Runs = ExpressionBuilder<Tables, 'sync_runs'>

/**
 * Returns whether a query finds no row, as one value for each run. PostgreSQL may hash what `exists` looks into: one claim then reads all
 * unfinished runs, or all connectors.
 */
const isNone = <DB, TB extends keyof DB>(query: SelectQueryBuilder<DB, TB, object>) =>
  sql<boolean>`${query.select(({ fn, eb }) => eb(fn.countAll(), '=', sql.lit(0)).as('none'))}`

/** Selects runs that can start: no walk of the connector is active. A run that waits after a failure holds back no other. */
const isNext = ({ selectFrom }: Runs) => {
  const others = selectFrom('sync_runs as other').whereRef('other.connector_id', '=', 'sync_runs.connector_id')
  return isNone(others.where('other.lease_owner', 'is not', null))
}

/** Selects runs that cannot start: a removal of the connector's copies waits, or its credentials wait for a successful call. */
const isBlocked = ({ and, not, selectFrom }: Runs) => {
  const removals = selectFrom('sync_removals').whereRef('sync_removals.connector_id', '=', 'sync_runs.connector_id')
  const connectors = selectFrom('connectors').whereRef('connectors.id', '=', 'sync_runs.connector_id')
  return not(and([isNone(connectors.where(sql<boolean>`connectors.unchecked`)), isNone(removals)]))
}

/** Repeats the literals of the indexes: SQLite does not match an index by parameters. */
const head = (db: Db, limit: number) =>
  db
    .selectFrom('sync_runs')
    .where('sync_runs.state', '=', sql.lit('queued'))
    .where('sync_runs.not_before', 'is', null)
    .where('sync_runs.parked_until', 'is', null)
    .where(isNext)
    .orderBy('sync_runs.queue_order')
    .orderBy('sync_runs.id')
    .limit(limit)

const delayed = sql<boolean>`state = 'queued' and not_before is not null`

/** Returns delayed and parked runs to the queue whose time has come. */
export async function wakeRuns(db: Db, now: number): Promise<void> {
  await wakeParked(db, now)
  const rows = db.selectFrom('sync_runs').select('id').where(delayed).where('not_before', '<=', now).limit(1)
  if ((await rows.executeTakeFirst()) === undefined) return
  await db.updateTable('sync_runs').set({ not_before: null }).where(delayed).where('not_before', '<=', now).execute()
}

async function wakeParked(db: Db, now: number): Promise<void> {
  const rows = db.selectFrom('sync_runs').select('id').where('parked_until', '<=', now).limit(1)
  if ((await rows.executeTakeFirst()) === undefined) return
  await db.updateTable('sync_runs').set({ parked_until: null }).where('parked_until', '<=', now).execute()
}

/** Returns whether a run can start now. Parks the runs before it that cannot start. */
export async function hasDueRun(db: Db, now: number): Promise<boolean> {
  for (let look = 0; look < looks; look += 1) {
    const first = await head(db, 1)
      .select((eb) => isBlocked(eb).as('blocked'))
      .executeTakeFirst()
    if (first === undefined) return false
    if (!first.blocked) return true
    await parkRuns(db, now, skipLocked(db, head(db, parkedAtOnce).select('sync_runs.id'), 'sync_runs'))
  }
  return false
}

/** Parks those of some runs that cannot start. Claims do not read them again before the time, or before `unparkRuns`. */
async function parkRuns(
  db: Db,
  now: number,
  ids: readonly string[] | SelectQueryBuilder<Tables, 'sync_runs', { id: string }>,
): Promise<void> {
  const rows = db
    .updateTable('sync_runs')
    .set({ parked_until: now + parkedMs })
    .where(isBlocked)
  await ('execute' in ids ? rows.where('sync_runs.id', 'in', ids) : rows.where('sync_runs.id', 'in', [...ids])).execute()
}

/** Leases due runs in queue order, and parks those that cannot start. Call it in a transaction. @returns the updated runs */
export async function leaseRuns(db: Db, { owner, node, session, now, until }: RunLease, limit: number): Promise<RunRow[]> {
  const taken: RunRow[] = []
  const connectors = new Set<string>()
  const first = head(db, limit)
    .selectAll('sync_runs')
    .select((eb) => isBlocked(eb).as('blocked'))
  const rows = await skipLocked(db, first, 'sync_runs').execute()
  const blocked = rows.filter((row) => row.blocked).map(({ id }) => id)
  if (blocked.length > 0) await parkRuns(db, now, blocked)
  for (const { blocked: isParked, ...row } of rows) {
    if (isParked) continue
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

/** How an attempt ends. */
export type RunEnd = StoredError &
  Pick<RunRow, 'progress' | 'results' | 'failures'> &
  (
    | { readonly state: Exclude<(typeof runMoves.running)[number], 'queued'>; readonly finished_at: number }
    | { readonly state: 'queued'; readonly not_before: number | null; readonly queue_order: number }
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
