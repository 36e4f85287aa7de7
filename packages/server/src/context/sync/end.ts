/** Ends a walk: deletes missing records and saves what the walk found out. */
import { FerruleError } from 'ferrule'
import type { Span } from '../store/types.ts'
import type { Planned } from './plan.ts'
import { type EntityState, type Flaw, toStateCheckpoint } from './state.ts'
import { type EntityResult, noProgress } from './types.ts'
import { findHolder, findReach, isComplete, toEntityRef, type Walking } from './walking.ts'

/** State of an entity that must be read in full: only the position of its changes is kept. */
type Remembered = Pick<EntityState, 'latest' | 'ended'>

/** Returns whether an entity that was unavailable before was read now. A child without parents was not tried. */
function isReturned({ states, progress }: Walking, { entity, sync }: Planned): boolean {
  if (states.get(entity)?.flaw?.skipped !== true || progress.flawed[entity] !== undefined) return false
  return sync.each === undefined || progress.reached.includes(entity)
}

/** Returns whether an entity must be filled at once: it was read again, but this walk read only changes. */
export const needsFill = (walking: Walking, planned: Planned): boolean => isReturned(walking, planned) && !isComplete(walking, planned)

/** Finds what could not be read, in this walk or in an earlier one that this walk does not replace. */
function findFlaw(walking: Walking, planned: Planned): Flaw | undefined {
  const { states, progress } = walking
  const { entity, sync } = planned
  const isLookedAt = isComplete(walking, planned) || sync.windows !== undefined || isReturned(walking, planned)
  return progress.flawed[entity] ?? (isLookedAt ? undefined : states.get(entity)?.flaw)
}

/** Builds the result of a complete pass, or of an attempt at one. */
function buildPassResult({ task, progress, ...walking }: Walking, planned: Planned): Partial<EntityState> {
  const flaw = progress.flawed[planned.entity]
  const now = task.clock()
  const tried = { triedAt: now, configured: progress.configured, ...(planned === findHolder(walking) ? { calls: progress.calls } : {}) }
  // Windows are saved per parent: one unreadable parent does not make all others be read again.
  const isFull = flaw === undefined || (planned.sync.windows !== undefined && !flaw.skipped)
  return isFull ? { ...tried, fullAt: now } : tried
}

/** Merges the last days of the windows by parent. A pass over all windows drops deleted parents. */
function mergeThrough(walking: Walking, planned: Planned): Pick<EntityState, 'through'> {
  const { states, progress } = walking
  if (planned.sync.windows === undefined) return {}
  const own = progress.through[planned.entity]
  const isWhole = isComplete(walking, planned) && progress.flawed[planned.entity] === undefined
  return { through: isWhole ? { ...own } : { ...states.get(planned.entity)?.through, ...own } }
}

/** Builds the state of an entity at the end of a walk. */
function buildEndState(walking: Walking, planned: Planned): EntityState {
  const { progress, states } = walking
  const { walking: _walking, flaw: _flaw, ...old } = states.get(planned.entity) ?? {}
  const latest = planned === findHolder(walking) && progress.latest !== undefined ? { latest: progress.latest } : {}
  const remembered: Remembered = { ...latest, ended: progress.pass }
  if (needsFill(walking, planned)) return remembered
  const flaw = findFlaw(walking, planned)
  const all = isComplete(walking, planned) ? buildPassResult(walking, planned) : {}
  return { ...old, ...remembered, ...mergeThrough(walking, planned), ...all, ...(flaw === undefined ? {} : { flaw }) }
}

/**
 * Deletes what this walk would have read if it still existed.
 * @returns the number of deleted rows
 */
async function sweepReach({ task, progress }: Walking, planned: Planned, reach: 'all' | Span): Promise<number> {
  const ref = toEntityRef(task, planned)
  try {
    return await (reach === 'all' ? task.store.sweep(ref, progress.pass) : task.store.sweepSpan(ref, progress.pass, reach))
  } catch (error) {
    // After a kill between the deletion and its note the pass is already over.
    if (error instanceof FerruleError && error.code === 'unavailable') return 0
    throw error
  }
}

/**
 * Ends the pass over an entity. Deletes nothing when a part could not be read, because that part may hold the missing records.
 * @returns the number of deleted rows
 */
async function endPass(walking: Walking, planned: Planned, isWhole: boolean): Promise<number> {
  const { task, progress } = walking
  const reach = findReach(walking, planned)
  if (reach === undefined) return 0
  if (!isWhole && progress.flawed[planned.entity] === undefined) return sweepReach(walking, planned, reach)
  await task.store.abandonPass(toEntityRef(task, planned), progress.pass)
  return 0
}

/**
 * Ends a walk for one entity. Call it again after a kill.
 * @param isWhole true when the walk is known to have read everything that is stored
 * @returns how the walk ended
 */
export async function endEntity(walking: Walking, planned: Planned, isWhole: boolean): Promise<EntityResult> {
  const { task, progress, states } = walking
  if (states.get(planned.entity)?.ended !== progress.pass) {
    const removed = await endPass(walking, planned, isWhole)
    await task.store.saveCheckpoints(toEntityRef(task, planned), [toStateCheckpoint(buildEndState(walking, planned))])
    if (removed > 0) task.onProgress?.({ entity: planned.entity, ...noProgress, removed })
  }
  const flaw = findFlaw(walking, planned)
  if (flaw === undefined) return { entity: planned.entity, state: isComplete(walking, planned) ? 'complete' : 'changes' }
  return { entity: planned.entity, state: flaw.skipped ? 'skipped' : 'partial', error: { code: flaw.code, message: flaw.message } }
}

/** Entities whose lists can shift, by whether the walk missed stored records. */
export interface Doubts {
  readonly doubtful: readonly string[]
  readonly whole: ReadonlySet<string>
}

/**
 * Finds entities with missed records that may still exist. Deleting a record while a counted list is read shifts the others, so the walk
 * can skip one.
 */
export async function findDoubts(walking: Walking): Promise<Doubts> {
  const { task, stored, progress } = walking
  const doubtful: string[] = []
  const whole = new Set<string>()
  for (const planned of stored) {
    const reach = findReach(walking, planned)
    if (!planned.shifts || reach === undefined || progress.flawed[planned.entity] !== undefined) continue
    const span = reach === 'all' ? undefined : reach
    if (await task.store.hasUnseen(toEntityRef(task, planned), progress.pass, span)) doubtful.push(planned.entity)
    else whole.add(planned.entity)
  }
  return { doubtful, whole }
}
