/** Counts the progress of a run in memory; the worker stores the counts from time to time. */
import type { SyncCounts } from 'ferrule/wire'
import { iso } from '../../values/ids.ts'
import { noCounts, type StoredProgress, sumCounts } from '../status/run-record.ts'
import type { EntityProgress, EntityShare, ProgressNotes } from './walk/types.ts'

const names = ['records', 'pages', 'calls', 'written', 'removed', 'without_key'] as const

interface CountedEntity {
  counts: SyncCounts
  /** Start of this attempt for the entity; undefined before it. */
  readonly begun?: { readonly at: number; readonly records: number }
  /** Calls of the walk that are done, of all calls; with the first report of this attempt. */
  share?: { readonly from: { readonly at: number; readonly done: number }; readonly done: number; readonly total: number | undefined }
  isDone: boolean
}

/** Estimates the end at the pace since `at`; undefined without a pace. */
function estimateEnd(now: number, { at, records, left }: { at: number; records: number; left: number }): number | undefined {
  if (left <= 0 || records <= 0 || now <= at) return undefined
  return now + Math.round((left / records) * (now - at))
}

const shown = (moment: number | undefined): string | null => (moment === undefined ? null : iso(moment))

/** Basis of the estimates. */
export interface ProgressOptions {
  readonly done: ReadonlySet<string>
  readonly expected: ReadonlyMap<string, number>
  readonly clock: () => number
}

/** Adds the counts of one attempt to those of earlier attempts. */
export class RunProgress implements ProgressNotes {
  readonly #entities = new Map<string, CountedEntity>()
  readonly #expected: ReadonlyMap<string, number>
  readonly #clock: () => number
  /** Records of each copy: the number at the start of the attempt, with later changes. */
  readonly #stored = new Map<string, number>()
  #calls = 0
  #isChanged = false

  /**
   * @param kept progress of earlier attempts
   * @param options `done`: finished entities; `expected`: estimated number of records by entity, where known
   */
  constructor(kept: StoredProgress, { done, expected, clock }: ProgressOptions) {
    this.#expected = expected
    this.#clock = clock
    for (const { entity, estimated_end: _end, ...counts } of kept.entities) this.#entities.set(entity, { counts, isDone: done.has(entity) })
  }

  get calls(): number {
    return this.#calls
  }

  /** Starts or resumes entities. */
  begin(entities: readonly string[]): void {
    const now = this.#clock()
    for (const entity of entities) {
      const counts = this.#entities.get(entity)?.counts ?? noCounts
      this.#entities.set(entity, { counts, begun: { at: now, records: counts.records }, isDone: false })
    }
    this.#isChanged = true
  }

  end(entities: readonly string[]): void {
    for (const entity of entities) this.#of(entity).isDone = true
    this.#isChanged = true
  }

  /** Sets the number of records of each copy before a walk. */
  count(stored: ReadonlyMap<string, number>): void {
    for (const [entity, records] of stored) this.#stored.set(entity, records)
  }

  /** Adds a page or written rows. */
  note({ entity, withoutKey, created, ...change }: EntityProgress): void {
    const by = created - change.removed
    if (by !== 0) this.#stored.set(entity, (this.#stored.get(entity) ?? 0) + by)
    this.#add(entity, { ...change, calls: 0, without_key: withoutKey })
  }

  /** Notes how far a walk is with an entity. */
  noteShare({ entity, done, total }: EntityShare): void {
    const counted = this.#of(entity)
    const from = counted.share?.from ?? { at: this.#clock(), done }
    counted.share = { from, done, total }
  }

  /** Adds an answered call. */
  called(entity: string): void {
    this.#calls += 1
    this.#add(entity, { ...noCounts, calls: 1 })
  }

  countRecords(entity: string): number {
    return this.#entities.get(entity)?.counts.records ?? 0
  }

  /** Returns the records of a copy: the number at the start of the attempt, with later changes; undefined when nothing is known. */
  countStored(entity: string): number | undefined {
    return this.#stored.get(entity)
  }

  /** True when counts changed after the last call of `text`. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  /** Serializes the progress for the run's row. */
  text(): string {
    const now = this.#clock()
    this.#isChanged = false
    const entities = [...this.#entities].map(([entity, counted]) => ({
      entity,
      ...counted.counts,
      estimated_end: shown(this.#endOf(entity, counted, now)),
    }))
    const stored = Object.fromEntries(this.#stored)
    return JSON.stringify({ estimated_end: shown(this.#end(now)), entities, stored } satisfies StoredProgress)
  }

  #of(entity: string): CountedEntity {
    const known = this.#entities.get(entity)
    if (known !== undefined) return known
    const made: CountedEntity = { counts: noCounts, isDone: false }
    this.#entities.set(entity, made)
    return made
  }

  #add(entity: string, change: SyncCounts): void {
    const counted = this.#of(entity)
    counted.counts = sumCounts([counted.counts, change])
    this.#isChanged ||= names.some((name) => change[name] !== 0)
  }

  /** Estimates the end of an entity: by what its calls are made for, else by the records of the last walk. */
  #endOf(entity: string, { counts: { records }, begun, share, isDone }: CountedEntity, now: number): number | undefined {
    if (isDone || begun === undefined) return undefined
    if (share?.total !== undefined) {
      const { from, done, total } = share
      return estimateEnd(now, { at: from.at, records: done - from.done, left: total - done })
    }
    const expected = this.#expected.get(entity)
    return expected === undefined
      ? undefined
      : estimateEnd(now, { at: begun.at, records: records - begun.records, left: expected - records })
  }

  /** Estimates the end of the run: that of its last entity. Unknown while one of them is unknown. */
  #end(now: number): number | undefined {
    const ends = [...this.#entities].flatMap(([entity, counted]) =>
      counted.begun === undefined || counted.isDone ? [] : [this.#endOf(entity, counted, now)],
    )
    const known = ends.filter((end) => end !== undefined)
    return ends.length === 0 || known.length < ends.length ? undefined : Math.max(...known)
  }
}
