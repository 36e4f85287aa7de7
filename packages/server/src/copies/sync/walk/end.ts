/** Ends a walk: deletes missing records and saves what the walk found out. */
import { FerruleError } from 'ferrule'
import { listParentNames } from 'ferrule/internal'
import type { Span } from '../../store/types.ts'
import { mostMarks } from './lists.ts'
import type { Planned } from './plan.ts'
import { type EntityState, type Flaw, findHolder, findReach, isComplete, toEntityRef, toStateCheckpoint, type Walking } from './state.ts'
import { type EntityResult, noProgress } from './types.ts'
import { describeUnread, findError, isRead, isRefusal, nothingUnread, type UnreadList } from './unread.ts'

/** State of an entity that must be read in full: only the position of its changes is kept. */
type Remembered = Pick<EntityState, 'latest' | 'ended'>

const unreadOf = ({ progress }: Pick<Walking, 'progress'>, entity: string): UnreadList => progress.unread[entity] ?? nothingUnread

/** Lists the children that an entity hangs on, the nearest first. */
function listAbove(walking: Walking, { sync }: Planned): readonly Planned[] {
  const parents = listParentNames(sync)
  const above = walking.tree.children.filter(({ entity }) => parents.includes(entity))
  return [...above, ...above.flatMap((parent) => listAbove(walking, parent))]
}

/** Finds what this walk, or an earlier one, could not read below records; nothing counts against an entity while something was read. */
function findUnreadFlaw(walking: Walking, planned: Planned): Flaw | undefined {
  const { progress, states } = walking
  const { entity, sync } = planned
  const list = unreadOf(walking, entity)
  // The records of a list that was not read have lists too.
  const parents = listParentNames(sync)
  const lists = [...parents, ...listAbove(walking, planned).map((each) => each.entity)].map((each) => unreadOf(walking, each))
  const above = lists.find((each) => !isRead(each)) ?? nothingUnread
  const shown = isRead(list) ? above : list
  const error = findError(shown)
  if (isRead(shown) || error === undefined) return undefined
  const isJudged = isComplete(walking, planned) || states.get(entity)?.flaw?.skipped === true
  if (shown === list && isJudged && sync.each !== undefined && !progress.reached.includes(entity)) return { ...error, skipped: true }
  return { code: error.code, message: describeUnread(shown, parents.join(' and ')), skipped: false }
}

function findWalkFlaw(walking: Walking, planned: Planned): Flaw | undefined {
  const { flawed } = walking.progress
  const [noted] = [planned, ...listAbove(walking, planned)].flatMap(({ entity }) => flawed[entity] ?? [])
  return noted?.skipped === true ? noted : (findUnreadFlaw(walking, planned) ?? noted)
}

/** Returns whether an entity that was unavailable before was read now. A child without parents was not tried. */
function isReturned(walking: Walking, planned: Planned): boolean {
  const { entity, sync } = planned
  if (walking.states.get(entity)?.flaw?.skipped !== true || findWalkFlaw(walking, planned)?.skipped === true) return false
  return sync.each === undefined ? findWalkFlaw(walking, planned) === undefined : walking.progress.reached.includes(entity)
}

/** Returns whether an entity must be filled at once: it was read again, but this walk read only changes. */
export const needsFill = (walking: Walking, planned: Planned): boolean => isReturned(walking, planned) && !isComplete(walking, planned)

/** Finds what could not be read, in this walk or in an earlier one that this walk does not replace. */
function findFlaw(walking: Walking, planned: Planned): Flaw | undefined {
  const { states } = walking
  const { entity, sync } = planned
  const isLookedAt = isComplete(walking, planned) || sync.windows !== undefined || isReturned(walking, planned)
  return findWalkFlaw(walking, planned) ?? (isLookedAt ? undefined : states.get(entity)?.flaw)
}

/** Builds the part of the state with what could not be read. What is kept by parent needs no flaw: it goes when they are read. */
function buildFlawState(walking: Walking, planned: Planned): Pick<EntityState, 'flaw' | 'unread'> {
  const { entity } = planned
  const flaw = findFlaw(walking, planned)
  const list = unreadOf(walking, entity)
  if (flaw === undefined) return {}
  if (flaw.skipped) return { flaw, ...(isRead(list) ? {} : { unread: list }) }
  const noted = walking.progress.flawed[entity] ?? walking.states.get(entity)?.flaw
  const isKept = findUnreadFlaw(walking, planned) !== undefined && list.more === 0 && !isRead(list)
  const lasting = isKept ? (isComplete(walking, planned) ? walking.progress.flawed[entity] : noted) : flaw
  return { ...(lasting === undefined ? {} : { flaw: lasting }), ...(isRead(list) ? {} : { unread: list }) }
}

/** Builds the result of a complete pass, or of an attempt at one. */
function buildPassResult(walking: Walking, planned: Planned): Partial<EntityState> {
  const { task, progress, states } = walking
  const flaw = findWalkFlaw(walking, planned)
  const now = task.clock()
  // A walk that read a part by changes does not show how many calls a complete one needs.
  const isCounted = planned === findHolder(walking) && walking.stored.every((each) => isComplete(walking, each) || !each.marks)
  const tried = { triedAt: now, configured: progress.configured, ...(isCounted ? { calls: progress.calls } : {}) }
  // Windows are saved per parent: one unreadable parent does not make all others be read again.
  const isFull = flaw === undefined || (planned.sync.windows !== undefined && !flaw.skipped)
  const { unfinished = 0 } = states.get(planned.entity) ?? {}
  return isFull ? { ...tried, fullAt: now } : { ...tried, unfinished: unfinished + 1 }
}

/** Merges up to when the lists of parents were read. A pass that read all of them whole drops deleted parents. */
function mergeThrough(walking: Walking, planned: Planned): Pick<EntityState, 'through'> {
  const { states, progress } = walking
  if (planned.sync.windows === undefined && !planned.marks) return {}
  const own = progress.through[planned.entity]
  const known = states.get(planned.entity)
  const isWhole = isComplete(walking, planned) && findWalkFlaw(walking, planned) === undefined
  // Another configuration can select other records.
  const all = isWhole || known?.configured !== progress.configured ? { ...own } : { ...known.through, ...own }
  return { through: planned.marks ? Object.fromEntries(Object.entries(all).slice(-mostMarks)) : all }
}

/** Returns whether everything up to the latest change was read. A list from its newest records that ends early leaves a gap behind it. */
const isMarkReached = ({ tree, progress }: Walking): boolean => tree.sync.newest === undefined || progress.full || progress.gap !== true

/** Builds the part of the state with the token of changes. A complete pass whose last page names none leaves none. */
function buildTokenState(walking: Walking, planned: Planned): Pick<EntityState, 'token'> {
  const { nextToken: token = walking.progress.token } = walking.progress
  return token === undefined || planned !== findHolder(walking) ? {} : { token }
}

function buildEndState(walking: Walking, planned: Planned): EntityState {
  const { progress, states } = walking
  const { walking: _walking, flaw: _flaw, unread: _unread, unfinished, token: _token, ...old } = states.get(planned.entity) ?? {}
  const latest =
    planned === findHolder(walking) && progress.latest !== undefined && isMarkReached(walking) ? { latest: progress.latest } : {}
  const remembered: Remembered = { ...latest, ended: progress.pass }
  if (needsFill(walking, planned)) return remembered
  const all = isComplete(walking, planned) ? buildPassResult(walking, planned) : unfinished === undefined ? {} : { unfinished }
  return {
    ...old,
    ...remembered,
    ...buildTokenState(walking, planned),
    ...mergeThrough(walking, planned),
    ...all,
    ...buildFlawState(walking, planned),
  }
}

/**
 * Deletes what this walk would have read if it still existed.
 * @returns the number of deleted rows
 */
async function sweepReach({ task, progress }: Walking, planned: Planned, reach: 'all' | Span): Promise<number> {
  const ref = toEntityRef(task, planned)
  try {
    return await task.store.sweep(ref, progress.pass, reach === 'all' ? undefined : reach)
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
  if (!isWhole && findWalkFlaw(walking, planned) === undefined) return sweepReach(walking, planned, reach)
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
    if (removed > 0) task.progress?.note({ entity: planned.entity, ...noProgress, removed })
  }
  const flaw = findFlaw(walking, planned)
  if (flaw === undefined) return { entity: planned.entity, state: isComplete(walking, planned) ? 'complete' : 'changes' }
  const state = !flaw.skipped ? 'partial' : isRefusal(flaw) ? 'skipped' : 'failed'
  return { entity: planned.entity, state, error: { code: flaw.code, message: flaw.message } }
}

/**
 * Finds entities with missed records that may still exist. Deleting a record while a counted list is read shifts the others, so the walk
 * can skip one.
 */
export async function findDoubts(walking: Walking): Promise<{ readonly doubtful: readonly string[]; readonly whole: ReadonlySet<string> }> {
  const { task, stored, progress } = walking
  const doubtful: string[] = []
  const whole = new Set<string>()
  for (const planned of stored) {
    const reach = findReach(walking, planned)
    if (!planned.shifts || reach === undefined || findWalkFlaw(walking, planned) !== undefined) continue
    const span = reach === 'all' ? undefined : reach
    if (await task.store.hasUnseen(toEntityRef(task, planned), progress.pass, span)) doubtful.push(planned.entity)
    else whole.add(planned.entity)
  }
  return { doubtful, whole }
}
