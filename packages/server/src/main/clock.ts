/** Keeps the clock of stored times. The steady clock advances it, so a step of the machine's time has no effect. */
import { clocks } from 'ferrule/internal'
import type { Database } from '../db/database.ts'
import { databaseNow, readState, writeState } from '../tenancy/sql/installation-state.ts'

/** The clock of one process. */
export interface StoredClock {
  /** Whole milliseconds since 1970. */
  readonly now: () => number
  /** Reads the database's clock again, or stores the embedded clock. */
  refresh(): Promise<void>
  /** Stops the timer and stores the embedded clock. */
  close(): Promise<void>
}

/** Options of `openStoredClock`; both clocks default to the machine's. */
export interface ClockOptions {
  /** Wall clock of the machine in milliseconds since 1970; may step. */
  readonly wall?: (() => number) | undefined
  /** Steady clock in milliseconds; never steps. */
  readonly steady?: (() => number) | undefined
  /** True to refresh on a timer. */
  readonly isKept: boolean
}

/** Interval of refreshes, in milliseconds. */
const refreshMs = 60_000
/** Largest believable lead of a stored time, in milliseconds. A larger one comes from a wrong clock. */
const longestAheadMs = 86_400_000
/** Longest round trip to the database, in milliseconds. A longer one makes its time too inaccurate. */
const longestRoundTripMs = 1_000

/** Opens the clock. Nodes share the clock of PostgreSQL; the embedded clock continues from its last stored time. */
export async function openStoredClock(database: Database, { isKept, ...options }: ClockOptions): Promise<StoredClock> {
  const { now, refresh } = await (database.dialect === 'postgres' ? openSharedClock : openOwnClock)(database, options)
  const refreshed = () => refresh().catch(() => undefined) // the next refresh retries
  const timer = isKept ? setInterval(refreshed, refreshMs).unref() : undefined
  const isOwn = isKept && database.dialect === 'sqlite'
  if (isOwn) await refreshed()
  const close = async (): Promise<void> => {
    clearInterval(timer)
    if (isOwn) await refreshed()
  }
  return { now, refresh, close }
}

type Clocks = Omit<ClockOptions, 'isKept'>
type Counted = Omit<StoredClock, 'close'>

/** Advances the database's clock by the steady clock between refreshes. */
async function openSharedClock({ db }: Database, { steady = clocks.steady }: Clocks): Promise<Counted> {
  let ahead: number | undefined
  const refresh = async (): Promise<void> => {
    const asked = steady()
    const told = await databaseNow(db)
    const answered = steady()
    if (ahead === undefined || answered - asked <= longestRoundTripMs) ahead = told - (asked + answered) / 2
  }
  await refresh()
  return { now: () => Math.floor(steady() + (ahead ?? 0)), refresh }
}

/** Never runs backwards: takes the machine's time when it is ahead, else the last time plus the elapsed time. */
async function openOwnClock({ db }: Database, { wall = Date.now, steady = clocks.steady }: Clocks): Promise<Counted> {
  const kept = Number((await readState(db, 'clock')) ?? 0)
  let ahead = Math.max(wall(), kept > wall() + longestAheadMs ? 0 : kept) - steady()
  const now = (): number => {
    ahead = Math.max(ahead, wall() - steady())
    return Math.floor(steady() + ahead)
  }
  return { now, refresh: () => writeState(db, 'clock', String(now())) }
}
