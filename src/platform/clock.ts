/** The clock of stored times. It is counted on by the machine's steady clock, so that a step of the machine's time moves nothing. */
import { clocks } from '../engine/clocks.ts'
import type { Database } from './db/database.ts'
import { databaseNow, readState, writeState } from './db/queries-state.ts'

/** The clock of one process. */
export interface StoredClock {
  /** Whole milliseconds since 1970. */
  readonly now: () => number
  /** Reads the database's clock again, or keeps where this one stands. */
  refresh(): Promise<void>
  /** Ends; what is embedded keeps where it stands. */
  close(): Promise<void>
}

/** What it is made of; both clocks are the machine's where they are left out. */
export interface ClockOptions {
  /** Milliseconds since 1970, as the machine has them; they can step. */
  readonly wall?: () => number
  /** Milliseconds that never step. */
  readonly steady?: () => number
  /** Whether it refreshes by itself. */
  readonly isKept: boolean
}

/** How often that is done, in milliseconds. */
const refreshMs = 60_000
/** A kept moment that lies further ahead was written by a clock that was wrong, in milliseconds. */
const longestAhead = 86_400_000
/** An answer of the database that took longer tells too little of its clock, in milliseconds. */
const longestQuestion = 1_000

/** Nodes share the clock of their database; what is embedded goes on from the last moment that it knows. */
export async function openStoredClock(database: Database, { isKept, ...options }: ClockOptions): Promise<StoredClock> {
  const { now, refresh } = await (database.dialect === 'postgres' ? sharedClock : ownClock)(database, options)
  const refreshed = () => refresh().catch(() => undefined) // the next one may do it
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

/** The database's clock, counted on between two looks at it. */
async function sharedClock({ db }: Database, { steady = clocks.steady }: Clocks): Promise<Counted> {
  let ahead: number | undefined
  const refresh = async (): Promise<void> => {
    const asked = steady()
    const told = await databaseNow(db)
    const answered = steady()
    if (ahead === undefined || answered - asked <= longestQuestion) ahead = told - (asked + answered) / 2
  }
  await refresh()
  return { now: () => Math.floor(steady() + (ahead ?? 0)), refresh }
}

/** Never runs backwards: the machine's time where that is ahead, else the last moment and what has passed since. */
async function ownClock({ db }: Database, { wall = Date.now, steady = clocks.steady }: Clocks): Promise<Counted> {
  const kept = Number((await readState(db, 'clock')) ?? 0)
  let ahead = Math.max(wall(), kept > wall() + longestAhead ? 0 : kept) - steady()
  const now = (): number => {
    ahead = Math.max(ahead, wall() - steady())
    return Math.floor(steady() + ahead)
  }
  return { now, refresh: () => writeState(db, 'clock', String(now())) }
}
