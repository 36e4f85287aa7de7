/** Computes the state of copies. Pure. */

import type { SyncState } from 'ferrule/wire'
import type { CopyRow } from '../sql/sync-copies.ts'
import type { RunRow } from '../sql/sync-runs.ts'
import { readResults } from './run-record.ts'
import { readProgress } from './stored-progress.ts'

/** Facts that decide the state of an entity's copy. */
export interface CopyFacts {
  readonly entity: string
  /** True when the connector keeps a copy and its workspace is active. */
  readonly isWanted: boolean
  /** Undefined before the first walk. */
  readonly copy: CopyRow | undefined
  readonly records: number
  /** Unfinished runs of the connector. */
  readonly runs: readonly RunRow[]
}

/** Returns whether a run has started an entity and not finished it. */
export function isFilling(run: RunRow, entity: string): boolean {
  const isBegun = readProgress(run.progress).entities.some((each) => each.entity === entity)
  return isBegun && !readResults(run.results).some((each) => each.entity === entity)
}

/** The first matching rule gives the state. */
const rules: readonly (readonly [SyncState, (facts: CopyFacts & { readonly isFilled: boolean; readonly isWalked: boolean }) => boolean])[] =
  [
    ['disabled', ({ isWanted, copy, isFilled }) => !isWanted || (copy?.outcome === 'skipped' && !isFilled)],
    ['updating', ({ isFilled, runs, entity }) => isFilled && runs.some((run) => run.state === 'running' && isFilling(run, entity))],
    ['preview', ({ isFilled, isWalked, records }) => !isFilled && isWalked && records > 0],
    ['building_preview', ({ isFilled, isWalked }) => !isFilled && isWalked],
    ['failed', ({ copy }) => copy?.outcome === 'failed' || copy?.outcome === 'skipped'],
    ['ready', ({ isFilled }) => isFilled],
    ['loading', () => true],
  ]

/** Returns the state of an entity's copy. */
export function computeCopyState(facts: CopyFacts): SyncState {
  const { entity, copy, runs } = facts
  const isFilled = typeof copy?.synced_at === 'number'
  const known = { ...facts, isFilled, isWalked: runs.some((run) => isFilling(run, entity)) }
  return rules.find(([, fits]) => fits(known))?.[0] ?? 'loading'
}

/** Returns the state of a connector from the states of its enabled entities. */
export function computeConnectorState(states: readonly SyncState[]): SyncState {
  const among = states.filter((state) => state !== 'disabled')
  const has = (...some: readonly SyncState[]): boolean => among.some((state) => some.includes(state))
  if (among.length === 0) return 'disabled'
  if (has('loading', 'building_preview', 'preview')) {
    if (has('preview', 'ready', 'updating')) return 'preview'
    return has('building_preview') ? 'building_preview' : 'loading'
  }
  if (has('updating')) return 'updating'
  return has('ready') ? 'ready' : 'failed'
}
