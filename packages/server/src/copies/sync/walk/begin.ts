/** Begins a walk, or resumes one: what it reads, and since when. */
import { createHash } from 'node:crypto'
import type { Sync } from 'ferrule/definition'
import { writeJson } from 'ferrule/engine'
import { parseTimestamp } from 'ferrule/internal'
import { usualLookback } from './page-params.ts'
import { listStored, type Planned, type Tree, tellsDeletions, tracksChanges } from './plan.ts'
import {
  type EntityState,
  findHolder,
  findReach,
  isComplete,
  type RunContext,
  readState,
  readWalk,
  saveWalk,
  toEntityRef,
  toStateCheckpoint,
  type Walking,
  type WalkProgress,
} from './state.ts'
import type { SyncTask } from './types.ts'
import { beginUnread } from './unread.ts'

const day = 86_400_000
/** A complete walk of so few calls runs every time. Deleted records then leave the copy at once. */
const fewCalls = 10

/** Computes the digest of the configuration; another configuration can select other records. */
function digestConfiguration({ configuration }: Pick<SyncTask, 'configuration'>): string {
  const entries = Object.entries(configuration).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(writeJson(entries)).digest('base64url').slice(0, 16)
}

/** Returns whether a complete pass is due. A last pass in the future comes from a wrong clock. */
function isDue(fullEvery: number, { sync }: Planned, { triedAt: last, flaw, unfinished = 0 }: EntityState, now: number): boolean {
  if (last === undefined) return true
  // Partly readable entities are read again soon, then less and less often. Every walk tries unavailable entities, and windows, anyway.
  const isWhole = (flaw === undefined && unfinished === 0) || flaw?.skipped === true || sync.windows !== undefined
  const every = isWhole ? fullEvery : Math.min(day * 2 ** Math.max(0, unfinished - 1), fullEvery)
  return Math.abs(now - last) > every
}

/** Finds the timestamp to request changes from; undefined when none is known. */
function findSince(lookback: number, latest: string | undefined, now: number): string | undefined {
  const moment = Math.min(parseTimestamp(latest), now)
  return Number.isNaN(moment) ? undefined : new Date(Math.max(0, moment - lookback * 1000)).toISOString()
}

/** Where a walk of changes begins. */
type Start = Pick<WalkProgress, 'since' | 'latest' | 'token'>

const hour = 3_600_000

/** Returns whether a vendor still has all changes since a mark. An hour less, because the walk takes time. */
const isKept = ({ changes }: Sync, latest: string | undefined, now: number): boolean =>
  changes === undefined || now - parseTimestamp(latest) <= changes.keepsDays * day - hour

/** Finds where a walk of changes begins; undefined where everything must be read. */
export function findStart(
  { sync }: Pick<Tree, 'sync'>,
  { latest, token }: Pick<EntityState, 'latest' | 'token'>,
  now: number,
): Start | undefined {
  if (sync.token !== undefined) return token === undefined ? undefined : { token }
  if (!tracksChanges(sync) || !isKept(sync, latest, now)) return undefined
  const from = findSince(sync.since?.lookback ?? usualLookback, latest, now)
  return from === undefined || latest === undefined ? undefined : { since: from, latest }
}

/**
 * Finds what a complete pass notes before it reads anything: the changes since then come later. An hour earlier than this service's clock,
 * because the vendor's can be behind. A later mark, which the vendor's own clock made, stays.
 */
function findMark({ sync: { changes } }: Tree, { latest }: EntityState, now: number): Start {
  if (changes === undefined) return {}
  const noted = Math.min(now, Math.max(now - hour, latest === undefined ? 0 : parseTimestamp(latest)))
  return { latest: new Date(noted).toISOString() }
}

type WalkBase = Omit<Walking, 'progress'>

/** Creates the progress of a new walk: what it reads, and since when. */
function createProgress({ task, tree, stored, states }: WalkBase, pass: string, fullEvery: number): WalkProgress {
  const configured = digestConfiguration(task)
  const startedAt = task.clock()
  const isNew = (planned: Planned): boolean => {
    const state = states.get(planned.entity) ?? {}
    return task.mode === 'full' || state.configured !== configured || isDue(fullEvery, planned, state, startedAt)
  }
  const windowed = stored.filter(({ sync }) => sync.windows !== undefined)
  const known = states.get(stored[0]?.entity ?? '') ?? {}
  const { calls = Number.POSITIVE_INFINITY } = known
  const start = findStart(tree, known, startedAt)
  const isSmall = calls <= fewCalls && !tellsDeletions(tree.sync)
  const full = start === undefined || isSmall || stored.some((planned) => !windowed.includes(planned) && isNew(planned))
  const isWhole = ({ entity }: Planned): boolean => isSmall || stored.some((each) => each.marked.includes(entity) && isNew(each))
  return {
    pass,
    ...(task.run === undefined ? {} : { run: task.run }),
    configured,
    full,
    fullWindows: stored
      .filter((planned) => (planned.marks ? isWhole(planned) : windowed.includes(planned) && isNew(planned)))
      .map(({ entity }) => entity),
    startedAt,
    ...(full ? findMark(tree, known, startedAt) : start),
    calls: 0,
    through: {},
    reached: [],
    flawed: {},
    unread: listUnread(states, configured),
  }
}

/** Lists what earlier walks could not read. */
const listUnread = (states: WalkBase['states'], configuration: string): WalkProgress['unread'] =>
  Object.fromEntries(
    [...states].flatMap(([entity, { unread, configured }]) =>
      unread === undefined || configured !== configuration ? [] : [[entity, beginUnread(unread)]],
    ),
  )

async function readStates(task: SyncTask, stored: readonly Planned[]): Promise<ReadonlyMap<string, EntityState>> {
  const states = new Map<string, EntityState>()
  for (const planned of stored) states.set(planned.entity, await readState(task.store, toEntityRef(task, planned)))
  return states
}

/** Returns whether this run can resume an interrupted walk. It cannot after the table was recreated, or after another walk. */
function canResume({ task, stored, states }: WalkBase, kept: WalkProgress): boolean {
  const isOurs = stored.every(({ entity }) => [states.get(entity)?.walking, states.get(entity)?.ended].includes(kept.pass))
  if (!isOurs || kept.configured !== digestConfiguration(task) || kept.startedAt > task.clock() + day) return false
  if (task.mode === 'incremental') return true
  return stored.every((planned) => isComplete({ progress: kept }, planned)) && (task.run === undefined || kept.run === task.run)
}

/** A tree, and the maximum age of a complete pass over it in milliseconds: an incremental run then makes a new one. */
export interface DueTree {
  readonly tree: Tree
  readonly fullEvery: number
}

/** Resumes an interrupted walk, or starts one. */
export async function startWalk(task: SyncTask, { tree, fullEvery }: DueTree, run: RunContext): Promise<Walking> {
  const stored = listStored(tree)
  const base = { run, task, tree, stored, states: await readStates(task, stored) }
  const kept = await readWalk(task.store, toEntityRef(task, findHolder(base)), tree.entity)
  if (kept !== undefined && canResume(base, kept)) return { ...base, progress: kept }
  const walking: Walking = { ...base, progress: createProgress(base, crypto.randomUUID(), fullEvery) }
  const { pass } = walking.progress
  for (const planned of stored) {
    const ref = toEntityRef(task, planned)
    const state = base.states.get(planned.entity)
    await task.store.saveCheckpoints(ref, [toStateCheckpoint({ ...state, walking: pass })])
    // A pass that nobody ends would collect keys forever.
    if (state?.walking !== undefined) await task.store.abandonPass(ref, state.walking)
    if (findReach(walking, planned) !== undefined) await task.store.beginPass(ref, pass)
  }
  await saveWalk(walking, walking.progress)
  return walking
}

/**
 * Forgets where the changes of a walk begin, because the vendor no longer takes it: the next walk is a complete one. What this walk has
 * written stays.
 */
export async function forgetStart(walking: Walking): Promise<void> {
  const ref = toEntityRef(walking.task, findHolder(walking))
  const { latest: _latest, token: _token, ...state } = await readState(walking.task.store, ref)
  await walking.task.store.saveCheckpoints(ref, [toStateCheckpoint(state)])
  await saveWalk(walking, undefined)
}
