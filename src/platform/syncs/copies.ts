/** What a walk makes known of the copies of its entities. Pure. */
import { storedOf, type Tree } from '../../context/sync/plan.ts'
import type { CopyChange, CopyRow } from '../db/queries-sync-copies.ts'
import type { SyncEntityResult } from './records.ts'
import { keptOf } from './run-record.ts'
import type { RunMode } from './states.ts'

/** A walk that ended. */
export interface WalkedTree {
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number
  readonly results: readonly SyncEntityResult[]
}

/** What is known beside the result of an entity. Moments are milliseconds since 1970. */
export interface WalkFacts {
  readonly now: number
  readonly startedAt: number
  /** Records of the copy, when they could be counted. */
  readonly records: number | undefined
  /** Records that the run met. */
  readonly met: number
}

/** What changes in the row of an entity's copy. What could not be read leaves the copy as old as it was. */
export function copyChangeOf({ state, error }: SyncEntityResult, { now, startedAt, records, met }: WalkFacts): CopyChange {
  const attempt = { last_attempt_at: now, outcome: state, ...keptOf(error) }
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

/** Records that walks will meet, as far as earlier ones tell: all that there are, or as many changes as the last time. */
export function expectedOf(trees: readonly Tree[], copies: readonly CopyRow[], mode: RunMode): ReadonlyMap<string, number> {
  const byEntity = new Map(copies.map((copy) => [copy.entity, copy]))
  const expected = new Map<string, number>()
  for (const tree of trees)
    for (const { entity, sync } of storedOf(tree)) {
      const meetsAll = mode === 'full' || (tree.sync.since === undefined && sync.windows === undefined)
      const count = meetsAll ? byEntity.get(entity)?.records : byEntity.get(entity)?.met_changes
      if (typeof count === 'number') expected.set(entity, count)
    }
  return expected
}
