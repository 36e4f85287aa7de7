/** Gathers records until they are worth a transaction. */

import type { StoredRecord } from '../store/writer.ts'
import type { Planned } from './plan.ts'
import { type Met, storedForm } from './project.ts'
import { isComplete, placeOf, type Walking } from './walking.ts'

/** Records in one transaction, about. */
const batchRecords = 500

interface Gathered {
  readonly planned: Planned
  readonly records: StoredRecord[]
  asked: number
}

/** What a walk met and has not written yet. */
export class Collector {
  readonly #walking: Walking
  readonly #gathered = new Map<string, Gathered>()

  constructor(walking: Walking) {
    this.#walking = walking
  }

  /** Takes records of an entity; those of one that is not stored, and those without an identity, are passed over. */
  async take(planned: Planned, met: readonly Met[], asked = this.#walking.task.clock()): Promise<void> {
    const { task } = this.#walking
    if (!planned.stored) return
    const table = task.store.tableOf(task.kind.definition.kind, planned.entity)
    const gathered = this.#gathered.get(planned.entity) ?? { planned, records: [], asked }
    this.#gathered.set(planned.entity, gathered)
    gathered.asked = Math.min(gathered.asked, asked)
    for (const each of met) {
      const record = storedForm(planned, table, each)
      if (record !== undefined) gathered.records.push(record)
    }
    task.onProgress?.({ entity: planned.entity, records: met.length, pages: 1, written: 0, removed: 0 })
    if (gathered.records.length >= batchRecords) await this.#write(gathered)
  }

  /** Writes all that was gathered. */
  async flush(): Promise<void> {
    for (const gathered of this.#gathered.values()) if (gathered.records.length > 0) await this.#write(gathered)
  }

  async #write({ planned, records, asked }: Gathered): Promise<void> {
    const { task, progress } = this.#walking
    this.#gathered.delete(planned.entity)
    const pass = isComplete(this.#walking, planned) ? { pass: progress.pass } : {}
    const written = await task.store.write(placeOf(task, planned), { records, asked, ...pass })
    task.onProgress?.({
      entity: planned.entity,
      records: 0,
      pages: 0,
      written: written.created + written.updated,
      removed: written.removed,
    })
  }
}
