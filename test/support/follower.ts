/** A table that a reader of a change feed keeps, as docs/changes.md says. */

/** An entry of a feed. */
export interface FollowedEntry<Row> {
  readonly type: string
  readonly key?: string
  readonly record?: Row
}

/** Keeps a table equal to a copy. */
export class Follower<Row> {
  readonly table = new Map<string, Row>()
  #met: Set<string> | undefined

  take(entries: readonly FollowedEntry<Row>[]): void {
    for (const { type, key, record } of entries) {
      if (type === 'snapshot_begin') this.#met = new Set()
      else if (type === 'snapshot_end') this.#deleteUnmet()
      if (key === undefined) continue
      this.#met?.add(key)
      if (record === undefined) this.table.delete(key)
      else this.table.set(key, record)
    }
  }

  #deleteUnmet(): void {
    for (const each of this.table.keys()) if (this.#met?.has(each) !== true) this.table.delete(each)
    this.#met = undefined
  }
}
