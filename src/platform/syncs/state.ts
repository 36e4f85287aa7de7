/** The state of copies, from what is known of them. Pure. */
import type { CopyRow } from '../db/queries-sync-copies.ts'
import type { RunRow } from '../db/queries-sync-runs.ts'
import { readProgress } from './progress.ts'
import type { SyncState } from './records.ts'
import { readResults } from './run-record.ts'

/** What the state of an entity's copy follows from. */
export interface CopyFacts {
  readonly entity: string
  /** Whether the connector keeps a copy, and its workspace executes. */
  readonly isWanted: boolean
  /** Undefined before the first walk. */
  readonly copy: CopyRow | undefined
  readonly records: number
  /** Runs of the connector that have not ended. */
  readonly runs: readonly RunRow[]
}

/** Whether a run has begun with an entity and is not done with it. */
export function isUnder(run: RunRow, entity: string): boolean {
  const isBegun = readProgress(run.progress).entities.some((each) => each.entity === entity)
  return isBegun && !readResults(run.results).some((each) => each.entity === entity)
}

/** The first rule that fits says the state. */
const rules: readonly (readonly [SyncState, (facts: CopyFacts & { readonly isFilled: boolean; readonly isWalked: boolean }) => boolean])[] =
  [
    ['disabled', ({ isWanted, copy }) => !isWanted || copy?.outcome === 'skipped'],
    ['updating', ({ isFilled, runs, entity }) => isFilled && runs.some((run) => run.state === 'running' && isUnder(run, entity))],
    ['preview', ({ isFilled, isWalked, records }) => !isFilled && isWalked && records > 0],
    ['building_preview', ({ isFilled, isWalked }) => !isFilled && isWalked],
    ['failed', ({ copy }) => copy?.outcome === 'failed'],
    ['ready', ({ isFilled }) => isFilled],
    ['loading', () => true],
  ]

/** The state of the copy of one entity. */
export function stateOf(facts: CopyFacts): SyncState {
  const { entity, copy, runs } = facts
  const isFilled = typeof copy?.synced_at === 'number'
  const known = { ...facts, isFilled, isWalked: runs.some((run) => isUnder(run, entity)) }
  return rules.find(([, fits]) => fits(known))?.[0] ?? 'loading'
}

/** The state of a connector, from those of its entities that are not disabled. */
export function connectorState(states: readonly SyncState[]): SyncState {
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
