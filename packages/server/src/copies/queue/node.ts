/**
 * Identifies this node. Its name lies in the data folder under a lock of the operating system. Leases of that name belong to a dead
 * process, so the node takes them over at once. Leases of other nodes hold until they expire or their session ends.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clocks } from 'ferrule/internal'
import { holdLock } from '../../db/folder-lock.ts'
import type { Session } from '../../db/session.ts'
import type { Parts } from '../../main/parts.ts'
import { newId } from '../../values/ids.ts'
import { releaseRemovals } from '../sql/sync-copies.ts'
import { takeOverFrom } from './takeover.ts'

/** Pause before another attempt to open a session through a pooler or proxy, in milliseconds. */
const retryMs = 60_000

type NodeParts = Pick<Parts, 'database' | 'source' | 'settings'>

/** Services that the worker of a node needs. */
export interface WorkerParts extends Parts {
  /** This node. */
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
