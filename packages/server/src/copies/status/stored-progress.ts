/** Parses and sums the stored progress of runs. */
import type { SyncCounts, SyncEntityProgress } from 'ferrule/wire'

/** Progress in the row of a run. */
export interface StoredProgress {
  readonly estimated_end: string | null
  readonly entities: readonly SyncEntityProgress[]
  /** Records of the copies in progress, by entity; entities whose walk has not started are missing. */
  readonly stored?: Readonly<Record<string, number>>
}

/** Progress of a run before its first attempt. */
export const noProgress = JSON.stringify({ estimated_end: null, entities: [] } satisfies StoredProgress)

/** Counts of an entity before its start. */
export const noCounts: SyncCounts = { records: 0, pages: 0, calls: 0, written: 0, removed: 0, without_key: 0 }

/** Parses progress that this service wrote. Counts that an older version lacked are 0. */
export function readProgress(text: string): StoredProgress {
  const { entities, ...rest }: StoredProgress = JSON.parse(text)
  return { ...rest, entities: entities.map((each) => ({ ...noCounts, ...each })) }
}

/** Sums counts. */
export const sumCounts = (counts: readonly SyncCounts[]): SyncCounts =>
  counts.reduce<SyncCounts>(
    (total, each) => ({
      records: total.records + each.records,
      pages: total.pages + each.pages,
      calls: total.calls + each.calls,
      written: total.written + each.written,
      removed: total.removed + each.removed,
      without_key: total.without_key + each.without_key,
    }),
    noCounts,
  )
