/**
 * Identifies this node. Its name lies in the data folder under a lock of the operating system. Leases of that name belong to a dead
 * process, so the node takes them over at once. Leases of other nodes hold until they expire or their session ends.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clocks, fail } from 'ferrule/internal'
import { holdLock } from '../../db/folder-lock.ts'
import type { Session } from '../../db/session.ts'
import type { Parts, Stored } from '../../main/parts.ts'
import { newId } from '../../values/ids.ts'
import { releaseRemovals } from '../sql/sync-copies.ts'
import { type Abandoned, type Leased, listAbandonedRuns, listEndedSessions, listLeasedRuns, takeAbandoned } from '../sql/sync-queue.ts'
import { noError, type RunRow } from '../sql/sync-runs.ts'
import { buildSyncError, storeRunEvent, toStoredError } from '../status/run-record.ts'
import { endedSessionMs, mostFailures } from './times.ts'

/** Runs per query. */
const batch = 100

/** Takes over runs with expired leases. A run that killed too many nodes in a row fails. */
export async function takeOver(parts: Stored): Promise<void> {
  const now = parts.source.clock()
  for (const run of await listAbandonedRuns(parts.database.db, now, batch)) await take(parts, run)
}

/** Takes a run from its node, and stores the event of one that fails by it. */
const take = ({ database, source }: Stored, run: RunRow) =>
  database.transaction(async (db) => {
    const next = decideNext(run, source.clock())
    if ((await takeAbandoned(db, run, next)) && run.state === 'running') await storeRunEvent(db, source, { ...run, ...next })
  })

/** Takes over the runs of a dead node or an ended session at once. */
export async function takeOverFrom(parts: Stored, leased: Leased) {
  for (let last = batch; last === batch; ) {
    const runs = await listLeasedRuns(parts.database.db, leased, batch)
    for (const run of runs) await take(parts, run)
    last = runs.length
  }
}

function decideNext(run: RunRow, now: number): Abandoned {
  if (run.state !== 'running') return {}
  const failures = run.failures + 1
  if (failures < mostFailures) return { state: 'queued', failures, not_before: null, finished_at: null, ...noError }
  const error = fail('unavailable', { reason: 'the nodes that walked died, or stood still, one after the other' })
  return { state: 'failed', failures, not_before: null, finished_at: now, ...toStoredError(buildSyncError(error, run.connector_id)) }
}

/** Finds leases whose process died: the database session of the lease has ended, and its lock is free. */
export class EndedSessions {
  /** Steady-clock time at which a session's lock was first seen free. Each session has its own key, so no later session takes the lock. */
  readonly #seen = new Map<number, number>()

  /** Checks the sessions of all leases. @returns sessions whose process has certainly stopped its walks */
  async find({ database, steady }: Pick<Parts, 'database' | 'steady'>): Promise<readonly number[]> {
    if (database.dialect === 'sqlite') return [] // SQLite has one process
    const free = await listEndedSessions(database.db)
    const now = steady()
    for (const session of this.#seen.keys()) if (!free.includes(session)) this.#seen.delete(session)
    for (const session of free) if (!this.#seen.has(session)) this.#seen.set(session, now)
    return free.filter((session) => now - (this.#seen.get(session) ?? now) >= endedSessionMs)
  }
}

/** Pause before another attempt to open a session through a pooler or proxy, in milliseconds. */
const retryMs = 60_000

type NodeParts = Pick<Parts, 'database' | 'source' | 'settings'>

/** Services that the worker of a node needs. */
export interface WorkerParts extends Parts {
  readonly node: SyncNode
}

/** A node and its database session. */
export class SyncNode {
  readonly #parts: NodeParts
  #id: string | undefined
  #release: (() => void) | undefined
  #begun: Promise<string> | undefined
  #session: Session | undefined
  #opening: Promise<Session | undefined> | undefined
  #retryAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(parts: NodeParts) {
    this.#parts = parts
  }

  /** Returns the name of the node. The first call takes over the leases of its dead process; a failed call can be repeated. */
  name(): Promise<string> {
    this.#begun ??= this.#begin().catch((error: unknown) => {
      this.#begun = undefined
      throw error
    })
    return this.#begun
  }

  /**
   * Returns the session that leases end with; undefined where no session would reveal the death of this process.
   * @throws FerruleError `unavailable` when the database does not answer
   */
  session(): Promise<Session | undefined> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Releases the name and ends the session. */
  close(): void {
    this.#isClosed = true
    this.#session?.close()
    this.#release?.()
  }

  async #open(): Promise<Session | undefined> {
    const { database, source } = this.#parts
    if (this.#session?.holds() === true) return this.#session
    if (clocks.steady() < this.#retryAt) return undefined
    this.#session = await database.session(source)
    if (this.#isClosed) this.#session?.close()
    if (this.#session === undefined) this.#retryAt = clocks.steady() + retryMs
    return this.#session
  }

  async #begin(): Promise<string> {
    const { database, source } = this.#parts
    // The embedded database has one process, so every lease in it belongs to a dead process.
    const kept = database.dialect === 'sqlite' ? undefined : this.#kept()
    this.#id ??= kept ?? newId(source)
    if (database.dialect === 'sqlite' || kept !== undefined) {
      await takeOverFrom(this.#parts, { node: kept })
      await releaseRemovals(database.db, kept, source.clock())
    }
    return this.#id
  }

  /** Reads the name in the data folder; undefined where another process holds it or the folder is read-only. */
  #kept(): string | undefined {
    const folder = resolve(this.#parts.settings.dataFolder)
    try {
      this.#release ??= holdLock(folder, 'node.lock')
      const file = join(folder, 'node.id')
      const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
      if (known !== '') return known
      const made = newId(this.#parts.source)
      writeFileSync(file, made, { mode: 0o600 })
      return made
    } catch {
      return undefined // leases then end by their time
    }
  }
}
