/** How far a run has come: counted in memory by the node that walks, and written now and then. */
import type { EntityProgress } from '../../context/sync/types.ts'
import { iso } from '../ids.ts'
import type { SyncCounts, SyncEntityProgress } from './records.ts'

/** Progress as it is kept with a run. */
export interface KeptProgress {
  readonly estimated_end: string | null
  readonly entities: readonly SyncEntityProgress[]
  /** Records of the copies that are being filled, by entity; those of a walk that has not begun are missing. */
  readonly stored?: Readonly<Record<string, number>>
}

/** What is kept with a run that was not begun. */
export const noProgress = JSON.stringify({ estimated_end: null, entities: [] } satisfies KeptProgress)

const nothing: SyncCounts = { records: 0, pages: 0, calls: 0, written: 0, removed: 0, without_key: 0 }
/** Records of a page of a list, about. */
const recordsOfCall = 100
const names = ['records', 'pages', 'calls', 'written', 'removed', 'without_key'] as const

/** Reads what this service wrote; what an older version did not count is 0. */
export function readProgress(text: string): KeptProgress {
  const { entities, ...rest }: KeptProgress = JSON.parse(text)
  return { ...rest, entities: entities.map((each) => ({ ...nothing, ...each })) }
}

/** Sum of counts. */
export const sumOf = (counts: readonly SyncCounts[]): SyncCounts =>
  counts.reduce<SyncCounts>(
    (total, each) => ({
      records: total.records + each.records,
      pages: total.pages + each.pages,
      calls: total.calls + each.calls,
      written: total.written + each.written,
      removed: total.removed + each.removed,
      without_key: total.without_key + each.without_key,
    }),
    nothing,
  )

interface Counted {
  counts: SyncCounts
  /** Where this attempt began with it; undefined as long as it did not. */
  readonly begun?: { readonly at: number; readonly records: number }
  isDone: boolean
}

/** The end at the pace of the time since `at`; undefined where there is none to tell. */
function endAt(now: number, { at, records, left }: { at: number; records: number; left: number }): number | undefined {
  if (left <= 0 || records <= 0 || now <= at) return undefined
  return now + Math.round((left / records) * (now - at))
}

const shown = (moment: number | undefined): string | null => (moment === undefined ? null : iso(moment))

/** What progress is reckoned from. */
export interface ProgressOptions {
  readonly done: ReadonlySet<string>
  readonly expected: ReadonlyMap<string, number>
  readonly now: number
}

/** Counts one attempt on top of those before. */
export class RunProgress {
  readonly #entities = new Map<string, Counted>()
  readonly #expected: ReadonlyMap<string, number>
  readonly #begunAt: number
  /** Records of each copy as they were when the attempt began, with those that came and went since. */
  readonly #stored = new Map<string, number>()
  #calls = 0
  #isChanged = false

  /**
   * @param kept progress of earlier attempts
   * @param options `done`: entities that are done; `expected`: records that the walk of an entity will meet, by what the last one met,
   *   for those that can be foreseen; `now`: milliseconds since 1970
   */
  constructor(kept: KeptProgress, { done, expected, now }: ProgressOptions) {
    this.#expected = expected
    this.#begunAt = now
    for (const { entity, estimated_end: _end, ...counts } of kept.entities) this.#entities.set(entity, { counts, isDone: done.has(entity) })
  }

  /** Calls that this attempt made. */
  get calls(): number {
    return this.#calls
  }

  /** Entities are begun, or gone on with. */
  begin(entities: readonly string[], now: number): void {
    for (const entity of entities) {
      const counts = this.#entities.get(entity)?.counts ?? nothing
      this.#entities.set(entity, { counts, begun: { at: now, records: counts.records }, isDone: false })
    }
    this.#isChanged = true
  }

  /** Entities are done. */
  end(entities: readonly string[]): void {
    for (const entity of entities) this.#of(entity).isDone = true
    this.#isChanged = true
  }

  /** Records that the copies have before anything is walked. */
  count(stored: ReadonlyMap<string, number>): void {
    for (const [entity, records] of stored) this.#stored.set(entity, records)
  }

  /** A page was met, or rows were written. */
  note({ entity, withoutKey, created, ...change }: EntityProgress): void {
    const by = created - change.removed
    if (by !== 0) this.#stored.set(entity, (this.#stored.get(entity) ?? 0) + by)
    this.#add(entity, { ...change, calls: 0, without_key: withoutKey })
  }

  /** The vendor answered a call for an entity. */
  called(entity: string): void {
    this.#calls += 1
    this.#add(entity, { ...nothing, calls: 1 })
  }

  /** Records that were met of an entity, over all attempts. */
  recordsOf(entity: string): number {
    return this.#entities.get(entity)?.counts.records ?? 0
  }

  /** About how many records an entity has, as far as it was met: of one that is not stored only its calls are known. */
  sizeOf(entity: string): number {
    const { records, calls } = this.#entities.get(entity)?.counts ?? nothing
    return Math.max(records, calls * recordsOfCall)
  }

  /** Whether something has changed since `text` was called last. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  /** What is kept with the run. @param now milliseconds since 1970 */
  text(now: number): string {
    this.#isChanged = false
    const entities = [...this.#entities].map(([entity, counted]) => ({
      entity,
      ...counted.counts,
      estimated_end: shown(this.#endOf(entity, counted, now)),
    }))
    const stored = Object.fromEntries(this.#stored)
    return JSON.stringify({ estimated_end: shown(this.#end(now)), entities, stored } satisfies KeptProgress)
  }

  #of(entity: string): Counted {
    const known = this.#entities.get(entity)
    if (known !== undefined) return known
    const made: Counted = { counts: nothing, isDone: false }
    this.#entities.set(entity, made)
    return made
  }

  #add(entity: string, change: SyncCounts): void {
    const counted = this.#of(entity)
    counted.counts = sumOf([counted.counts, change])
    this.#isChanged ||= names.some((name) => change[name] !== 0)
  }

  #endOf(entity: string, { counts: { records }, begun, isDone }: Counted, now: number): number | undefined {
    const expected = this.#expected.get(entity)
    if (expected === undefined || begun === undefined || isDone) return undefined
    return endAt(now, { at: begun.at, records: records - begun.records, left: expected - records })
  }

  /** At the pace of all that this attempt has met. */
  #end(now: number): number | undefined {
    let [records, left] = [0, 0]
    for (const [entity, expected] of this.#expected) {
      const { counts = nothing, begun, isDone = false } = this.#entities.get(entity) ?? {}
      if (begun !== undefined) records += counts.records - begun.records
      if (!isDone) left += Math.max(0, expected - counts.records)
    }
    return endAt(now, { at: this.#begunAt, records, left })
  }
}
