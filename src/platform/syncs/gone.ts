/** Leases whose process is gone: the session that they were taken under has ended, and its lock is free. */
import { freeSessions } from '../db/queries-sync-queue.ts'
import type { Parts } from '../parts.ts'
import { goneMs } from './leases.ts'

/** What this node has seen of the sessions of others. */
export class GoneSessions {
  /** When the lock of a session was first seen free, by the steady clock. It is never taken again: each session has a key of its own. */
  readonly #seen = new Map<number, number>()

  /** Looks at the sessions of all leases. @returns those whose processes have stopped to walk by now, whatever became of them */
  async look({ database, steady }: Pick<Parts, 'database' | 'steady'>): Promise<readonly number[]> {
    if (database.dialect === 'sqlite') return [] // one process
    const free = await freeSessions(database.db)
    const now = steady()
    for (const session of this.#seen.keys()) if (!free.includes(session)) this.#seen.delete(session)
    for (const session of free) if (!this.#seen.has(session)) this.#seen.set(session, now)
    return free.filter((session) => now - (this.#seen.get(session) ?? now) >= goneMs)
  }
}
