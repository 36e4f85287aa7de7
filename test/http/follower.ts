/** What a client of a change feed has that keeps a table. */
import type { Json } from './support.ts'

/** A table that is kept equal to a copy, by the rules of docs/changes.md. */
export class Follower {
  readonly table = new Map<string, Json>()
  #met: Set<string> | undefined

  take(entries: readonly Json[]): void {
    for (const { type, key, record } of entries) {
      if (type === 'snapshot_begin') this.#met = new Set()
      else if (type === 'snapshot_end') for (const each of this.table.keys()) if (!this.#met?.has(each)) this.table.delete(each)
      if (type === 'snapshot_end') this.#met = undefined
      if (key === undefined) continue
      this.#met?.add(key)
      if (type === 'removed') this.table.delete(key)
      else this.table.set(key, record)
    }
  }
}
