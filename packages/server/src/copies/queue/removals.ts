/** Removes copies, one at a time on each node. A removal restarts after a kill until nothing is left. */
import { newId } from '../../values/ids.ts'
import { deleteRemoval, hasDueRemoval, leaseRemoval, type RemovalRow, updateRemoval } from '../sql/sync-copies.ts'
import { unparkRuns } from '../sql/sync-runs.ts'
import { readEntities } from '../status/run-record.ts'
import type { ContextStore } from '../store/types.ts'
import type { WorkerParts } from './node.ts'
import { computeNextAttemptAt, leaseMs, renewalMs } from './times.ts'

type RemovalStore = Pick<ContextStore, 'countRecords' | 'deleteAll' | 'moveRows' | 'removeConnector'>

interface Removing {
  readonly id: string
  readonly owner: string
  keptAt: number
}

/** The removals of a node. */
export class Removals {
  readonly #parts: WorkerParts
  readonly #store: RemovalStore
  #removing: Removing | undefined
  #done: Promise<void> = Promise.resolve()

  constructor(parts: WorkerParts, store: RemovalStore) {
    this.#parts = parts
    this.#store = store
  }

  get isBusy(): boolean {
    return this.#removing !== undefined
  }

  idle(): Promise<void> {
    return this.#done
  }

  /** Renews the lease of the removal in progress, or starts a due removal. */
  async tick(): Promise<void> {
    const { database, source } = this.#parts
    const now = source.clock()
    if (this.#removing !== undefined) return this.#renew(this.#removing, now)
    if (!(await hasDueRemoval(database.db, now))) return
    const owner = newId(source)
    const node = await this.#parts.node.name()
    const row = await database.transaction((db) => leaseRemoval(db, { owner, node, now, until: now + leaseMs }))
    if (row === undefined) return
    this.#removing = { id: row.id, owner, keptAt: now }
    this.#done = this.#remove(row, owner)
      .catch(this.#parts.onBackgroundError)
      .finally(() => {
        this.#removing = undefined
        this.#parts.events.emit('queued') // wakes the next removal, or a run that waited for this one
      })
  }

  async #renew(removing: Removing, now: number): Promise<void> {
    if (now - removing.keptAt < renewalMs) return
    removing.keptAt = now
    await updateRemoval(this.#parts.database.db, removing, { not_before: now + leaseMs })
  }

  async #remove(row: RemovalRow, owner: string): Promise<void> {
    const { db } = this.#parts.database
    const removal = { id: row.id, owner }
    try {
      await this.#removeCopies(row)
      await deleteRemoval(db, removal)
      await unparkRuns(db, { organizationId: row.organization_id, connectorId: row.connector_id })
    } catch (thrown) {
      const failures = row.failures + 1
      const not_before = computeNextAttemptAt(this.#parts, { failures, askedMs: undefined, isExact: false })
      await updateRemoval(db, removal, { failures, not_before })
      throw thrown
    }
  }

  /** Moves the rows of a connector to another version of its kind. Of a version that was deleted meanwhile no row can be read. */
  async #moveRows({ organization_id, connector_id, kind }: RemovalRow, nextKind: string): Promise<void> {
    const { kinds } = this.#parts
    const [from, to] = [await kinds.find({ organization_id, kind }), await kinds.find({ organization_id, kind: nextKind })]
    if (to?.own !== undefined) await this.#store.moveRows(connector_id, from?.own ?? to.own, to.own)
  }

  async #removeCopies(removal: RemovalRow): Promise<void> {
    const { connector_id: connector, kind } = removal
    const asked = readEntities(removal)
    if (asked === null) return this.#store.removeConnector(connector)
    const kept = await this.#store.countRecords(connector)
    // Emptying would create a missing table, so only existing copies are emptied.
    for (const entity of asked) if (kept.has(entity)) await this.#store.deleteAll({ connector, kind, entity })
    if (removal.next_kind !== null) await this.#moveRows(removal, removal.next_kind)
  }
}
