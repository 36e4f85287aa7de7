/** Finds leases whose process died: the database session of the lease has ended, and its lock is free. */

import type { Parts } from '../../main/parts.ts'
import { listEndedSessions } from '../sql/sync-queue.ts'
import { endedSessionMs } from './leases.ts'

/** Ended sessions that this node has seen. */
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
