/** Gathers records until they are worth a transaction, and writes them with the place of the walk while the next ones are asked for. */
import { writeJson } from '../../engine/json.ts'
import { getAt, parsePath } from '../../engine/paths.ts'
import type { StoredRecord } from '../store/writer.ts'
import type { Batch } from '../store/writes.ts'
import type { Planned } from './plan.ts'
import { type Met, storedForm } from './project.ts'
import { type EntityProgress, noProgress } from './types.ts'
import { checkpointOf, holderOf, isTaken, keepWalk, placeOf, reachOf, type Walking } from './walking.ts'

/** Worth a transaction: so many records, calls, or characters of JSON, as far as a few records tell. */
const worth = { records: 1_000, calls: 25, characters: 8_000_000 } as const
/** Records of a page that are measured. */
const measured = 3

interface Gathered {
  readonly planned: Planned
  readonly records: StoredRecord[]
  /** Values of `Sync.under` of parents that were met whole. */
  readonly whole: Set<string>
  /** When the first of them was asked for. */
  readonly asked: number
}

/** Characters of records, by some of them. */
function sizeOf(records: readonly StoredRecord[]): number {
  const step = Math.max(1, Math.ceil(records.length / measured))
  const some = records.filter((_, index) => index % step === 0)
  const sum = some.reduce((total, { fields }) => total + writeJson(fields).length, 0)
  return some.length === 0 ? 0 : (sum / some.length) * records.length
}

/** How what is gone is found: by the pass at its end, or at once below parents that were met whole. */
function removalOf(walking: Walking, { planned, whole }: Gathered): Pick<Batch, 'pass' | 'whole'> {
  if (reachOf(walking, planned) !== undefined) return { pass: walking.progress.pass }
  const { under } = planned.sync
  return under === undefined || whole.size === 0 ? {} : { whole: { field: under.field, values: [...whole] } }
}

/**
 * What a walk met and has not written yet. One commit runs at a time, beside the walk: so at most three pages are in memory, one that is
 * written, one that is gathered, and one that is asked for.
 */
export class Collector {
  readonly #walking: Walking
  #gathered = new Map<string, Gathered>()
  #count = { records: 0, calls: 0, characters: 0 }
  #running: Promise<void> = Promise.resolve()
  #commits = 0

  constructor(walking: Walking) {
    this.#walking = walking
  }

  /**
   * Takes records of an entity; those of one that is not stored are passed over, and those without an identity too, which are counted.
   * @param asked when they were asked for: a row that was read later is not replaced by them
   */
  take(planned: Planned, met: readonly Met[], asked: number): void {
    const { task, progress } = this.#walking
    if (!isTaken(this.#walking, planned)) return
    const table = task.store.tableOf(task.kind.definition.kind, planned.entity)
    const records = met.flatMap((each) => {
      const record = storedForm(planned, table, each)
      return record === undefined ? [] : [{ ...record, version: asked }]
    })
    const gathered = this.#of(planned, asked)
    for (const record of records) gathered.records.push(record)
    this.#count.records += records.length
    this.#count.characters += sizeOf(records)
    // A second walk meets what was counted before.
    if (progress.confirming === undefined) this.#tell(planned, { records: met.length, pages: 1, withoutKey: met.length - records.length })
  }

  /**
   * All records of some parents were taken since so many commits: what else is stored of them is gone. What was taken over several
   * transactions is left to a complete pass.
   * @param asked as in `take`
   */
  whole(planned: Planned, parents: readonly unknown[], { since, asked }: { since: number; asked: number }): void {
    const { under } = planned.sync
    if (under === undefined || since !== this.#commits || !isTaken(this.#walking, planned)) return
    const { whole } = this.#of(planned, asked)
    for (const parent of parents) {
      const value = getAt(parent, parsePath(under.parent))
      if (value !== undefined && value !== null) whole.add(String(value))
    }
  }

  /** Commits so far. */
  get commits(): number {
    return this.#commits
  }

  /** A call was made. */
  called(): void {
    this.#count.calls += 1
  }

  /** Whether what was gathered is worth a transaction. */
  get isDue(): boolean {
    const { records, calls, characters } = this.#count
    return records >= worth.records || calls >= worth.calls || characters >= worth.characters
  }

  /**
   * Writes what was gathered and then keeps the place where the walk stands now, after the commit before. It returns when it has begun.
   * @throws what the commit before threw
   */
  async commit(): Promise<void> {
    const gathered = [...this.#gathered.values()].filter(({ records, whole }) => records.length + whole.size > 0)
    const { progress } = this.#walking
    this.#gathered = new Map()
    this.#count = { records: 0, calls: 0, characters: 0 }
    this.#commits += 1
    await this.#running
    this.#running = this.#write(gathered, progress)
    this.#running.catch(() => undefined) // the next commit, or `settled`, throws it
  }

  /** Waits for the last commit. @throws what it threw */
  async settled(): Promise<void> {
    await this.#running
  }

  async #write(gathered: readonly Gathered[], progress: Walking['progress']): Promise<void> {
    const { task } = this.#walking
    const walking = { ...this.#walking, progress }
    const holder = holderOf(walking)
    // The holder comes last: the place goes into the transaction of its records.
    const own = gathered.find(({ planned }) => planned.entity === holder.entity)
    const batches = own === undefined ? gathered : [...gathered.filter((each) => each !== own), own]
    for (const batch of batches) {
      const { planned, records, asked } = batch
      const checkpoints = batch === own ? { checkpoints: [checkpointOf(walking, progress)] } : {}
      const written = await task.store.write(placeOf(task, planned), { records, asked, ...checkpoints, ...removalOf(walking, batch) })
      this.#tell(planned, { written: written.created + written.updated, created: written.created, removed: written.removed })
    }
    if (own === undefined) await keepWalk(walking, progress)
  }

  #of(planned: Planned, asked: number): Gathered {
    const known = this.#gathered.get(planned.entity)
    if (known !== undefined) return known
    const made = { planned, records: [], whole: new Set<string>(), asked }
    this.#gathered.set(planned.entity, made)
    return made
  }

  #tell({ entity }: Planned, counts: Partial<Omit<EntityProgress, 'entity'>>): void {
    this.#walking.task.onProgress?.({ entity, ...noProgress, ...counts })
  }
}
