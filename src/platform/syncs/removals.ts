/** Copies that are to be removed: one after the other on a node, and again after a kill until nothing is left. */
import type { ContextStore } from '../../context/store/types.ts'
import { claimRemoval, deleteRemoval, hasDueRemoval, keepRemoval, type RemovalRow } from '../db/queries-sync-copies.ts'
import { newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { leaseMs, renewalMs } from './leases.ts'
import { nextAttemptAt } from './times.ts'

type RemovalStore = Pick<ContextStore, 'counts' | 'empty' | 'remove'>

interface Removing {
  readonly id: string
  readonly owner: string
  keptAt: number
}

/** The removals of a node. */
export class Removals {
  readonly #parts: Parts
  readonly #store: RemovalStore
  #removing: Removing | undefined
  #done: Promise<void> = Promise.resolve()

  constructor(parts: Parts, store: RemovalStore) {
    this.#parts = parts
    this.#store = store
  }

  get isBusy(): boolean {
    return this.#removing !== undefined
  }

  idle(): Promise<void> {
    return this.#done
  }

  /** Keeps others away from the removal that runs, or begins one that is due. */
  async turn(): Promise<void> {
    const { database, source } = this.#parts
    const now = source.clock()
    if (this.#removing !== undefined) return this.#renew(this.#removing, now)
    if (!(await hasDueRemoval(database.db, now))) return
    const owner = newId(source)
    const node = await this.#parts.node.name()
    const row = await database.transaction((db) => claimRemoval(db, { owner, node, now, until: now + leaseMs }))
    if (row === undefined) return
    this.#removing = { id: row.id, owner, keptAt: now }
    this.#done = this.#remove(row, owner)
      .catch(this.#parts.onBackgroundError)
      .finally(() => {
        this.#removing = undefined
        this.#parts.events.emit('queued') // the next one, or a run that waited for this
      })
  }

  async #renew(removing: Removing, now: number): Promise<void> {
    if (now - removing.keptAt < renewalMs) return
    removing.keptAt = now
    await keepRemoval(this.#parts.database.db, removing, { not_before: now + leaseMs })
  }

  async #remove(row: RemovalRow, owner: string): Promise<void> {
    const { db } = this.#parts.database
    const removal = { id: row.id, owner }
    try {
      await this.#removeCopies(row)
      await deleteRemoval(db, removal)
    } catch (thrown) {
      const failures = row.failures + 1
      const not_before = nextAttemptAt(this.#parts, { failures, askedMs: undefined, isExact: false })
      await keepRemoval(db, removal, { failures, not_before })
      throw thrown
    }
  }

  async #removeCopies({ connector_id: connector, kind, entities }: RemovalRow): Promise<void> {
    if (entities === null) return this.#store.remove(connector)
    const kept = await this.#store.counts(connector)
    const asked: readonly string[] = JSON.parse(entities)
    // Emptying makes what is not there, so only what was written once is emptied.
    for (const entity of asked) if (kept.has(entity)) await this.#store.empty({ connector, kind, entity })
  }
}
