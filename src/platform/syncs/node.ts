/**
 * Which node this is. Its name lies in its data folder, and a lock of the operating system says that no other process has it: what that
 * name has leased was leased by a process that is dead, so it is taken over at once. All other leases are respected until they end.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freeRemovals } from '../db/queries-sync-copies.ts'
import { holdLock } from '../db/sqlite.ts'
import { newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { takeOverFrom } from './takeover.ts'

type NodeParts = Pick<Parts, 'database' | 'source' | 'settings'>

/** A node, as leases name it. */
export class SyncNode {
  readonly #parts: NodeParts
  #id: string | undefined
  #release: (() => void) | undefined
  #begun: Promise<string> | undefined

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

  /** Gives the name back. */
  close(): void {
    this.#release?.()
  }

  async #begin(): Promise<string> {
    const { database, source } = this.#parts
    // The embedded database has one process: whatever is leased there was leased by one that is dead.
    const kept = database.dialect === 'sqlite' ? undefined : this.#kept()
    this.#id ??= kept ?? newId(source)
    if (database.dialect === 'sqlite' || kept !== undefined) {
      await takeOverFrom(this.#parts, kept)
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
