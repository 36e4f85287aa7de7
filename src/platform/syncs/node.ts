/**
 * Which node this is. Its name lies in its data folder, and a lock of the operating system says that no other process has it: what that
 * name has leased was leased by a process that is dead, so it is taken over at once. Leases of others are respected until they end, or
 * until the session that they were taken under has ended.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clocks } from '../../engine/clocks.ts'
import { freeRemovals } from '../db/queries-sync-copies.ts'
import type { Session } from '../db/session.ts'
import { holdLock } from '../db/sqlite.ts'
import { newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { takeOverFrom } from './takeover.ts'

/** Milliseconds until a way that showed a pooler or a proxy is tried again. */
const retryMs = 60_000

type NodeParts = Pick<Parts, 'database' | 'source' | 'settings'>

/** A node, as leases name it. */
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

  /** The name of the node; the first time, what it had leased before it died is taken over. Called again after a failure. */
  name(): Promise<string> {
    this.#begun ??= this.#begin().catch((error: unknown) => {
      this.#begun = undefined
      throw error
    })
    return this.#begun
  }

  /**
   * The session that leases end with; undefined where none would tell that this process is gone.
   * @throws FerruleError `unavailable` when the database does not answer
   */
  session(): Promise<Session | undefined> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Gives the name back, and ends the session. */
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
    // The embedded database has one process: whatever is leased there was leased by one that is dead.
    const kept = database.dialect === 'sqlite' ? undefined : this.#kept()
    this.#id ??= kept ?? newId(source)
    if (database.dialect === 'sqlite' || kept !== undefined) {
      await takeOverFrom(this.#parts, { node: kept })
      await freeRemovals(database.db, kept, source.clock())
    }
    return this.#id
  }

  /** The name in the data folder; undefined where another process has it, or nothing can be kept there. */
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
      return undefined // leases are over by themselves
    }
  }
}
