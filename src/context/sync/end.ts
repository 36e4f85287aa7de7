/** The end of a walk: what is gone is removed, and what was learned is remembered. */
import { FerruleError } from '../../errors.ts'
import type { Span } from '../store/types.ts'
import type { Planned } from './plan.ts'
import { type EntityState, type Flaw, stateCheckpoint } from './state.ts'
import { type EntityResult, noProgress } from './types.ts'
import { holderOf, isComplete, placeOf, reachOf, type Walking } from './walking.ts'

/** What is sent to the next run: nothing of it is known any more but how far changes were asked for. */
type Remembered = Pick<EntityState, 'latest' | 'ended'>

/** Whether an entity that was not offered before was read now. What no parent was there for was not tried. */
function isReturned({ states, progress }: Walking, { entity, sync }: Planned): boolean {
  if (states.get(entity)?.flaw?.skipped !== true || progress.flawed[entity] !== undefined) return false
  return sync.each === undefined || progress.reached.includes(entity)
}

/** Whether an entity has to be filled at once: it was read again, but this walk met its changes only. */
export const isToBeFilled = (walking: Walking, planned: Planned): boolean => isReturned(walking, planned) && !isComplete(walking, planned)

/** What could not be read: in this walk, or earlier where this walk did not look. */
function flawOf(walking: Walking, planned: Planned): Flaw | undefined {
  const { states, progress } = walking
  const { entity, sync } = planned
  const isLookedAt = isComplete(walking, planned) || sync.windows !== undefined || isReturned(walking, planned)
  return progress.flawed[entity] ?? (isLookedAt ? undefined : states.get(entity)?.flaw)
}

/** What a complete pass teaches, or an attempt at one. */
function learned({ task, progress, ...walking }: Walking, planned: Planned): Partial<EntityState> {
  const flaw = progress.flawed[planned.entity]
  const now = task.clock()
  const tried = { triedAt: now, configured: progress.configured, ...(planned === holderOf(walking) ? { calls: progress.calls } : {}) }
  // Windows are remembered parent by parent: a parent that could not be read does not make all others be read again.
  const isFull = flaw === undefined || (planned.sync.windows !== undefined && !flaw.skipped)
  return isFull ? { ...tried, fullAt: now } : tried
}

/** Last days of the windows by their parents. A pass over all windows forgets parents that are gone. */
function throughOf(walking: Walking, planned: Planned): Pick<EntityState, 'through'> {
  const { states, progress } = walking
  if (planned.sync.windows === undefined) return {}
  const own = progress.through[planned.entity]
  const isWhole = isComplete(walking, planned) && progress.flawed[planned.entity] === undefined
  return { through: isWhole ? { ...own } : { ...states.get(planned.entity)?.through, ...own } }
}

/** What is remembered of an entity at the end of a walk. */
function endState(walking: Walking, planned: Planned): EntityState {
  const { progress, states } = walking
  const { walking: _walking, flaw: _flaw, ...old } = states.get(planned.entity) ?? {}
  const latest = planned === holderOf(walking) && progress.latest !== undefined ? { latest: progress.latest } : {}
  const remembered: Remembered = { ...latest, ended: progress.pass }
  if (isToBeFilled(walking, planned)) return remembered
  const flaw = flawOf(walking, planned)
  const all = isComplete(walking, planned) ? learned(walking, planned) : {}
  return { ...old, ...remembered, ...throughOf(walking, planned), ...all, ...(flaw === undefined ? {} : { flaw }) }
}

/** Removes what this walk would have met if it were still there. @returns how many rows */
async function swept({ task, progress }: Walking, planned: Planned, reach: 'all' | Span): Promise<number> {
  const place = placeOf(task, planned)
  try {
    return await (reach === 'all' ? task.store.sweep(place, progress.pass) : task.store.sweepSpan(place, progress.pass, reach))
  } catch (error) {
    // After a kill between the removal and its note the pass is over already.
    if (error instanceof FerruleError && error.code === 'unavailable') return 0
    throw error
  }
}

/** Ends the pass over an entity. A part that could not be read may hold what was not met: nothing is removed then. @returns how many rows */
async function endPass(walking: Walking, planned: Planned, isWhole: boolean): Promise<number> {
  const { task, progress } = walking
  const reach = reachOf(walking, planned)
  if (reach === undefined) return 0
  if (!isWhole && progress.flawed[planned.entity] === undefined) return swept(walking, planned, reach)
  await task.store.abandonPass(placeOf(task, planned), progress.pass)
  return 0
}

/**
 * Ends a walk for one entity. After a kill it is called again.
 * @param isWhole whether everything that is stored is known to have been met
 * @returns how it ended
 */
export async function endEntity(walking: Walking, planned: Planned, isWhole: boolean): Promise<EntityResult> {
  const { task, progress, states } = walking
  if (states.get(planned.entity)?.ended !== progress.pass) {
    const removed = await endPass(walking, planned, isWhole)
    await task.store.keep(placeOf(task, planned), [stateCheckpoint(endState(walking, planned))])
    if (removed > 0) task.onProgress?.({ entity: planned.entity, ...noProgress, removed })
  }
  const flaw = flawOf(walking, planned)
  if (flaw === undefined) return { entity: planned.entity, state: isComplete(walking, planned) ? 'complete' : 'changes' }
  return { entity: planned.entity, state: flaw.skipped ? 'skipped' : 'partial', error: { code: flaw.code, message: flaw.message } }
}

/** What was found out about entities whose lists shift: whether something of them was not met. */
export interface Doubts {
  readonly doubtful: readonly string[]
  readonly whole: ReadonlySet<string>
}

/**
 * Looks for what was not met and may still be there: a record that went while a counted list was read moved the others, and one of them
 * can have been passed over.
 */
export async function doubtsOf(walking: Walking): Promise<Doubts> {
  const { task, stored, progress } = walking
  const doubtful: string[] = []
  const whole = new Set<string>()
  for (const planned of stored) {
    const reach = reachOf(walking, planned)
    if (!planned.shifts || reach === undefined || progress.flawed[planned.entity] !== undefined) continue
    const span = reach === 'all' ? undefined : reach
    if (await task.store.unseen(placeOf(task, planned), progress.pass, span)) doubtful.push(planned.entity)
    else whole.add(planned.entity)
  }
  return { doubtful, whole }
}
