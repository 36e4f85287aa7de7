/** Computes what a walk changes in the rows of copies. Pure. */
import type { RunMode, SyncEntityResult } from 'ferrule/wire'
import type { CopyChange, CopyRow } from '../sql/sync-copies.ts'
import { toStoredError } from '../status/run-record.ts'
import { listStored, type Tree } from './walk/plan.ts'

/** A finished walk. */
export interface WalkedTree {
  /** Start of the walk, in milliseconds since 1970. */
  readonly startedAt: number
  readonly results: readonly SyncEntityResult[]
}

/** Facts beside the result of an entity. Timestamps are milliseconds since 1970. */
export interface WalkFacts {
  readonly now: number
  readonly startedAt: number
  /** Records of the copy; undefined when counting failed. */
  readonly records: number | undefined
  /** Records that the run has read. */
  readonly met: number
}

/** Builds the change of a copy's row. A failed read leaves the copy as old as before. */
export function buildCopyChange({ state, error }: SyncEntityResult, { now, startedAt, records, met }: WalkFacts): CopyChange {
  const attempt = { last_attempt_at: now, outcome: state, ...toStoredError(error) }
  if (state === 'skipped' || state === 'failed') return attempt
  return {
    ...attempt,
    synced_at: startedAt,
    whole: state === 'partial' ? 0 : 1,
    ...(state === 'complete' ? { verified_at: startedAt } : {}),
    last_success_at: now,
    ...(records === undefined ? {} : { records }),
    ...(state === 'changes' ? { met_changes: met } : {}),
  }
}

/** Estimates the records that walks will read, from earlier walks: all records, or the number of the last changes. */
export function computeExpectedRecords(trees: readonly Tree[], copies: readonly CopyRow[], mode: RunMode): ReadonlyMap<string, number> {
  const byEntity = new Map(copies.map((copy) => [copy.entity, copy]))
  const expected = new Map<string, number>()
  for (const tree of trees)
    for (const { entity, sync } of listStored(tree)) {
      const meetsAll = mode === 'full' || (tree.sync.since === undefined && sync.windows === undefined)
      const count = meetsAll ? byEntity.get(entity)?.records : byEntity.get(entity)?.met_changes
      if (typeof count === 'number') expected.set(entity, count)
    }
  return expected
}
