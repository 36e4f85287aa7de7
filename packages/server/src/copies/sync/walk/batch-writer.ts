/** Collects records until a transaction is worthwhile, and writes them with the walk's progress while the next pages are requested. */
import { writeJson } from 'ferrule/engine'
import { getAt, inSpan, parsePath, type SpanStart } from 'ferrule/internal'
import { labelKind } from '../../../values/ids.ts'
import type { EntityRef } from '../../entity-ref.ts'
import type { Batch } from '../../store/batch.ts'
import type { StoredRecord } from '../../store/row-encoder.ts'
import type { Planned } from './plan.ts'
import { buildGone, buildRecordKey, type Met, toStoredRecord } from './records.ts'
import { buildWalkCheckpoint, findHolder, findReach, isTaken, type Sliced, saveWalk, toEntityRef, type Walking } from './state.ts'
import { type EntityProgress, noProgress } from './types.ts'

/** A transaction is due after this many records, calls, or estimated characters of JSON. */
const worth = { records: 1_000, calls: 25, characters: 8_000_000 } as const
/**
 * The same in the first slices of a walk, so that every entity can soon be searched in part. Five calls fill many lists, which then are
 * complete at once; lists per record never end that soon.
 */
const worthAtFirst = { list: { ...worth, calls: 5 }, perRecord: { records: 1, calls: 10, characters: 1 } } as const
/** Records of a page whose size is measured. */
const measured = 3

interface Gathered {
  readonly planned: Planned
  readonly records: StoredRecord[]
  /** Values of `Sync.under` of parents whose records were all read. */
  readonly whole: Set<string>
  /** When the first of the records were requested. */
  readonly asked: number
}

/** Records that the vendor lists as deleted, and when they were requested. */
interface Forgotten {
  readonly planned: Planned
  readonly gone: readonly Met[]
  readonly asked: number
}

/** What a commit writes. */
interface Collected {
  readonly gathered: readonly Gathered[]
  readonly gone: readonly Forgotten[]
  readonly progress: Walking['progress']
}

/** Estimates the characters of records from a sample. */
function estimateSize(records: readonly StoredRecord[]): number {
  const step = Math.max(1, Math.ceil(records.length / measured))
  const some = records.filter((_, index) => index % step === 0)
  const sum = some.reduce((total, { fields }) => total + writeJson(fields).length, 0)
  return some.length === 0 ? 0 : (sum / some.length) * records.length
}

/** Chooses how missing records are deleted: at the end of the pass, or at once below parents that were read completely. */
function buildRemoval(walking: Walking, { planned, whole }: Gathered): Pick<Batch, 'pass' | 'whole'> {
  if (findReach(walking, planned) !== undefined) return { pass: walking.progress.pass }
  const { under } = planned.sync
  return under === undefined || whole.size === 0 ? {} : { whole: { field: under.field, values: [...whole] } }
}

const describeBatch = (ref: EntityRef, records: number): SpanStart => {
  const { connector, kind, entity } = labelKind(ref)
  return {
    name: `sync batch ${kind}.${entity}`,
    kind: 'internal',
    attributes: { 'ferrule.kind': kind, 'ferrule.entity': entity, 'ferrule.connector_id': connector, 'ferrule.sync.records': records },
  }
}

/**
 * Records that a walk has read and not written yet. One commit runs at a time, beside the walks of the run. A walk commits before it hands
 * over its slice. So at most three pages are in memory: one being written, one collected, one requested.
 */
export class BatchWriter {
  readonly #walking: Walking
  #gathered = new Map<string, Gathered>()
  #gone: Forgotten[] = []
  #count = { records: 0, calls: 0, characters: 0 }
  #running: Promise<void> = Promise.resolve()
  #commits = 0
  #written = 0

  constructor(walking: Walking) {
    this.#walking = walking
  }

  /**
   * Deletes records that the vendor calls deleted, and what belongs to them, with the next commit.
   * @param asked as in `add`
   */
  forget(planned: Planned, gone: readonly Met[], asked: number): void {
    this.#gone.push({ planned, gone, asked })
    this.#count.records += gone.length
  }

  /**
   * Adds records of an entity. Skips entities that are not stored. Counts and skips records without a key.
   * @param asked time of the request; rows that were read later are not replaced
   */
  add(planned: Planned, met: readonly Met[], asked: number): void {
    const { task, progress } = this.#walking
    if (!isTaken(this.#walking, planned)) return
    const table = task.store.getTable(task.kind.definition.kind, planned.entity, task.own)
    const records = met.flatMap((each) => {
      const record = toStoredRecord(planned, table, each)
      return record === undefined ? [] : [{ ...record, version: asked }]
    })
    const gathered = this.#findGathered(planned, asked)
    for (const record of records) gathered.records.push(record)
    this.#count.records += records.length
    this.#count.characters += estimateSize(records)
    // A second walk reads what was counted before.
    if (progress.confirming === undefined) this.#report(planned, { records: met.length, pages: 1, withoutKey: met.length - records.length })
  }

  /**
   * Notes that all records of some parents were added since a commit: other stored records of these parents are deleted. Parents that span
   * several transactions are left to a complete pass.
   * @param asked as in `add`
   */
  addComplete(planned: Planned, parents: readonly unknown[], { since, asked }: { since: number; asked: number }): void {
    const { under } = planned.sync
    if (under === undefined || since !== this.#commits || !isTaken(this.#walking, planned)) return
    const { whole } = this.#findGathered(planned, asked)
    for (const parent of parents) {
      const value = getAt(parent, parsePath(under.parent))
      if (value !== undefined && value !== null) whole.add(String(value))
    }
  }

  /** Number of records that were new or different so far. */
  get written(): number {
    return this.#written
  }

  get commits(): number {
    return this.#commits
  }

  countCall(): void {
    this.#count.calls += 1
    const { progress } = this.#walking
    if (progress.confirming === undefined) this.#walking.progress = { ...progress, calls: progress.calls + 1 }
  }

  /** True when a transaction is due, and with it the end of the slice. */
  get isDue(): boolean {
    const { records, calls, characters } = this.#count
    const { run, tree } = this.#walking
    const least = run.isFirst() ? worthAtFirst[tree.isQuick ? 'list' : 'perRecord'] : worth
    return records >= least.records || calls >= least.calls || characters >= least.characters
  }

  /** Commits and ends the slice when a transaction is due. */
  async *endSliceIfDue(): Sliced {
    if (!this.isDue) return
    await this.commit()
    yield
  }

  /**
   * Starts to write the collected records, then the walk's current progress, after the previous commit. Returns when the write has
   * started.
   * @throws the error of the previous commit
   */
  async commit(): Promise<void> {
    const gathered = [...this.#gathered.values()].filter(({ records, whole }) => records.length + whole.size > 0)
    const { progress } = this.#walking
    const gone = this.#gone
    this.#gathered = new Map()
    this.#gone = []
    this.#count = { records: 0, calls: 0, characters: 0 }
    this.#commits += 1
    await this.#running
    const { writes } = this.#walking.run
    await writes.settle()
    this.#running = this.#write({ gathered, gone, progress })
    writes.note(this.#running) // the next commit, or `settle`, throws its error
  }

  /**
   * Waits for the last commit.
   * @throws its error
   */
  async settle(): Promise<void> {
    await this.#running
  }

  async #write({ gathered, gone, progress }: Collected): Promise<void> {
    const { task } = this.#walking
    // Before the progress is saved: after a kill between the two, the page is read again.
    for (const each of gone) await this.#forget(each)
    const walking = { ...this.#walking, progress }
    const holder = findHolder(walking)
    // The holder comes last: the progress is saved in the transaction of its records.
    const own = gathered.find(({ planned }) => planned.entity === holder.entity)
    const batches = own === undefined ? gathered : [...gathered.filter((each) => each !== own), own]
    for (const batch of batches) {
      const { planned, records, asked } = batch
      const checkpoints = batch === own ? { checkpoints: [buildWalkCheckpoint(walking, progress)] } : {}
      const ref = toEntityRef(task, planned)
      const written = await inSpan(
        () => describeBatch(ref, records.length),
        () => task.store.writeBatch(ref, { records, asked, ...checkpoints, ...buildRemoval(walking, batch) }),
      )
      this.#written += written.created + written.updated
      this.#report(planned, { written: written.created + written.updated, created: written.created, removed: written.removed })
    }
    if (own === undefined) await saveWalk(walking, progress)
  }

  /**
   * Deletes records with what belongs to them. A complete pass may meet every record that was ever deleted, so it deletes what is stored;
   * others are noted too, because an answer that is older can still bring them.
   */
  async #forget({ planned, gone, asked }: Forgotten): Promise<void> {
    const { task, stored, progress } = this.#walking
    const { definition } = task.kind
    const due = progress.full && planned.stored ? await this.#filterStored(planned, gone) : gone
    if (due.length === 0) return
    const removal = buildGone(definition, planned.entity, due)
    const lost = await task.store.forgetRecords({ ...toEntityRef(task, planned), ...removal, at: asked, cause: 'sync' })
    if (lost.size === 0) return
    for (const each of stored) this.#report(each, { removed: lost.get(each.entity) ?? 0 })
    await task.onLost?.(lost)
  }

  async #filterStored(planned: Planned, met: readonly Met[]): Promise<readonly Met[]> {
    const { task } = this.#walking
    const keyed = met.map((each) => [buildRecordKey(planned.definition, each), each] as const)
    const known = await task.store.findKnownKeys(
      toEntityRef(task, planned),
      keyed.flatMap(([key]) => key ?? []),
    )
    return keyed.flatMap(([key, each]) => (key !== undefined && known.has(key) ? [each] : []))
  }

  #findGathered(planned: Planned, asked: number): Gathered {
    const known = this.#gathered.get(planned.entity)
    if (known !== undefined) return known
    const made = { planned, records: [], whole: new Set<string>(), asked }
    this.#gathered.set(planned.entity, made)
    return made
  }

  #report({ entity }: Planned, counts: Partial<Omit<EntityProgress, 'entity'>>): void {
    this.#walking.task.progress?.note({ entity, ...noProgress, ...counts })
  }
}
