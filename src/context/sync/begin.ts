/** The beginning of a walk: what it has to meet, and whether an interrupted one is gone on with. */
import { createHash } from 'node:crypto'
import type { Since } from '../../definition/sync.ts'
import { instantOf } from '../../engine/instant.ts'
import { writeJson } from '../../engine/json.ts'
import type { Planned, Tree } from './plan.ts'
import { type EntityState, readState, readWalk, stateCheckpoint, type WalkProgress } from './state.ts'
import type { SyncTask } from './types.ts'
import { holderOf, isComplete, keepWalk, placeOf, reachOf, type Walking } from './walking.ts'

const day = 86_400_000
/** A complete walk of so few calls is made each time: then nothing that is gone stays until the next one is due. */
const fewCalls = 10

/** Digest of the configuration: another one can mean other records. */
export function configuredOf({ configuration }: Pick<SyncTask, 'configuration'>): string {
  const entries = Object.entries(configuration).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(writeJson(entries)).digest('base64url').slice(0, 16)
}

/** Whether the last complete pass is too old. One that lies in the future is of a clock that was wrong. */
function isDue({ clock, fullEvery }: SyncTask, { sync }: Planned, { triedAt: last, flaw }: EntityState): boolean {
  if (last === undefined) return true
  // What could be read in part only is tried again soon; what is not offered at all, and windows, are tried in every walk anyway.
  const every = flaw === undefined || flaw.skipped || sync.windows !== undefined ? fullEvery : Math.min(day, fullEvery)
  return Math.abs(clock() - last) > every
}

/** The moment from which changes are asked for; undefined when nothing is known. */
function sinceOf({ lookback }: Since, latest: string | undefined, now: number): string | undefined {
  const moment = Math.min(instantOf(latest), now)
  return Number.isNaN(moment) ? undefined : new Date(Math.max(0, moment - lookback * 1000)).toISOString()
}

type Begun = Omit<Walking, 'progress'>

/** The first step of a walk: what it meets, and since when. */
function begun({ task, tree, stored, states }: Begun, pass: string): WalkProgress {
  const configured = configuredOf(task)
  const startedAt = task.clock()
  const isNew = (planned: Planned): boolean => {
    const state = states.get(planned.entity) ?? {}
    return task.mode === 'full' || state.configured !== configured || isDue(task, planned, state)
  }
  const windowed = stored.filter(({ sync }) => sync.windows !== undefined)
  const { since: rule } = tree.sync
  const { latest, calls = Number.POSITIVE_INFINITY } = states.get(stored[0]?.entity ?? '') ?? {}
  const since = rule === undefined ? undefined : sinceOf(rule, latest, startedAt)
  const full = since === undefined || calls <= fewCalls || stored.some((planned) => !windowed.includes(planned) && isNew(planned))
  return {
    pass,
    ...(task.run === undefined ? {} : { run: task.run }),
    configured,
    full,
    fullWindows: windowed.filter(isNew).map(({ entity }) => entity),
    startedAt,
    ...(full || since === undefined || latest === undefined ? {} : { since, latest }),
    calls: 0,
    through: {},
    reached: [],
    flawed: {},
  }
}

async function statesOf(task: SyncTask, stored: readonly Planned[]): Promise<ReadonlyMap<string, EntityState>> {
  const states = new Map<string, EntityState>()
  for (const planned of stored) states.set(planned.entity, await readState(task.store, placeOf(task, planned)))
  return states
}

/** Whether an interrupted walk is what this run wishes for. A table that was made anew, and another walk since, know nothing of it. */
function isGoneOnWith({ task, stored, states }: Begun, kept: WalkProgress): boolean {
  const isOurs = stored.every(({ entity }) => [states.get(entity)?.walking, states.get(entity)?.ended].includes(kept.pass))
  if (!isOurs || kept.configured !== configuredOf(task) || kept.startedAt > task.clock() + day) return false
  if (task.mode === 'incremental') return true
  return stored.every((planned) => isComplete({ progress: kept }, planned)) && (task.run === undefined || kept.run === task.run)
}

/** Goes on with an interrupted walk, or begins one. */
export async function startWalk(task: SyncTask, tree: Tree, stored: readonly Planned[]): Promise<Walking> {
  const base = { task, tree, stored, states: await statesOf(task, stored) }
  const kept = await readWalk(task.store, placeOf(task, holderOf(base)), tree.entity)
  if (kept !== undefined && isGoneOnWith(base, kept)) return { ...base, progress: kept }
  const walking: Walking = { ...base, progress: begun(base, crypto.randomUUID()) }
  const { pass } = walking.progress
  for (const planned of stored) {
    const place = placeOf(task, planned)
    const state = base.states.get(planned.entity)
    await task.store.keep(place, [stateCheckpoint({ ...state, walking: pass })])
    // A pass that nobody ends would collect keys for ever.
    if (state?.walking !== undefined) await task.store.abandonPass(place, state.walking)
    if (reachOf(walking, planned) !== undefined) await task.store.beginPass(place, pass)
  }
  await keepWalk(walking, walking.progress)
  return walking
}
