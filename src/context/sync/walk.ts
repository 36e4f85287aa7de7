/** One walk with what hangs on it, resumable at any point: every step is kept before the next, and a step that is repeated changes nothing. */
import type { Since } from '../../definition/sync.ts'
import { instantOf } from '../../engine/instant.ts'
import { walkPages } from '../../engine/pages.ts'
import { copyOf, getAt, parsePath, setAt } from '../../engine/paths.ts'
import { FerruleError, fail } from '../../errors.ts'
import { Children } from './children.ts'
import { Collector } from './collector.ts'
import type { Nested, Planned, Tree } from './plan.ts'
import type { Met } from './project.ts'
import { type EntityState, readState, readWalk, stateCheckpoint, type WalkProgress } from './state.ts'
import type { Answered, EntityResult, SyncTask } from './types.ts'
import { holderOf, isComplete, keepWalk, placeOf, type Walking } from './walking.ts'

const day = 86_400_000

const isOld = ({ clock, fullEvery }: SyncTask, { fullAt }: EntityState): boolean => fullAt === undefined || clock() - fullAt > fullEvery

/** The moment from which changes are asked for; undefined when nothing is known. */
function sinceOf({ lookback }: Since, latest: string | undefined): string | undefined {
  const moment = instantOf(latest)
  return Number.isNaN(moment) ? undefined : new Date(Math.max(0, moment - lookback * 1000)).toISOString()
}

/** The first step of a walk: what it meets, and since when. */
function begun({ task, tree, stored, states }: Omit<Walking, 'progress'>, pass: string): WalkProgress {
  const isNew = ({ entity }: Planned): boolean => {
    const state = states.get(entity) ?? {}
    return task.mode === 'full' || (!state.skipped && isOld(task, state))
  }
  const windowed = stored.filter(({ sync }) => sync.windows !== undefined)
  const { since: rule } = tree.sync
  const latest = states.get(stored[0]?.entity ?? '')?.latest
  const since = rule === undefined ? undefined : sinceOf(rule, latest)
  const full = since === undefined || stored.some((planned) => !windowed.includes(planned) && isNew(planned))
  return {
    pass,
    full,
    fullWindows: windowed.filter(isNew).map(({ entity }) => entity),
    startedAt: task.clock(),
    ...(full || since === undefined ? {} : { since }),
    ...(latest === undefined ? {} : { latest }),
    through: {},
    flawed: {},
  }
}

async function statesOf(task: SyncTask, stored: readonly Planned[]): Promise<ReadonlyMap<string, EntityState>> {
  const states = new Map<string, EntityState>()
  for (const planned of stored) states.set(planned.entity, await readState(task.store, placeOf(task, planned)))
  return states
}

/** Goes on with an interrupted walk, or begins one. A wish for complete passes is not met by one that asks for changes. */
export async function startWalk(task: SyncTask, tree: Tree, stored: readonly Planned[]): Promise<Walking> {
  const states = await statesOf(task, stored)
  const base = { task, tree, stored, states }
  const kept = await readWalk(task.store, placeOf(task, holderOf(base)), tree.entity)
  const isWhole =
    kept !== undefined && stored.every(({ entity }) => [states.get(entity)?.walking, states.get(entity)?.ended].includes(kept.pass))
  if (kept !== undefined && isWhole && (task.mode === 'incremental' || kept.full)) return { ...base, progress: kept }
  const walking: Walking = { ...base, progress: begun(base, crypto.randomUUID()) }
  for (const planned of stored) {
    const place = placeOf(task, planned)
    await task.store.keep(place, [stateCheckpoint({ ...states.get(planned.entity), walking: walking.progress.pass })])
    if (isComplete(walking, planned)) await task.store.beginPass(place, walking.progress.pass)
  }
  await keepWalk(walking, walking.progress)
  return walking
}

/** The parameters of the first page. */
function firstParams({ tree: { sync }, progress }: Walking): Record<string, unknown> {
  const params: Record<string, unknown> = copyOf({ ...sync.params })
  const from = progress.since ?? sync.since?.first
  if (sync.since !== undefined && from !== undefined) setAt(params, parsePath(sync.since.param), from)
  if (sync.since?.until !== undefined) setAt(params, parsePath(sync.since.until), new Date(progress.startedAt + day).toISOString())
  if (sync.after !== undefined) setAt(params, parsePath(sync.after.param), 0)
  return params
}

/** The position behind a page; null at the end. */
function following({ sync }: Tree, { rows, next }: Answered): Readonly<Record<string, unknown>> | null {
  if (next === null || sync.after === undefined) return next
  const { field, param } = sync.after
  const ids = rows.flatMap((row) => {
    const value = getAt(row, parsePath(field))
    return typeof value === 'number' || typeof value === 'bigint' ? [value] : []
  })
  const [first, ...rest] = ids
  return first === undefined ? next : { [param]: rest.reduce((largest, each) => (each > largest ? each : largest), first) }
}

/** The later of two moments, as the vendor wrote them. What lies after the beginning of the walk counts as that. */
function laterOf(rows: readonly unknown[], { since }: Tree['sync'], { latest, startedAt }: WalkProgress): string | undefined {
  if (since === undefined) return latest
  const path = parsePath(since.field)
  let best = latest
  for (const row of rows) {
    const text = getAt(row, path)
    if (typeof text !== 'string') continue
    const moment = instantOf(text)
    if (Number.isNaN(moment) || moment <= (best === undefined ? Number.NEGATIVE_INFINITY : instantOf(best))) continue
    best = moment > startedAt ? new Date(startedAt).toISOString() : text
  }
  return best
}

const isCode = (error: unknown, ...codes: readonly string[]): error is FerruleError =>
  error instanceof FerruleError && codes.includes(error.code)

/** What a page's records hold of an entity; where the vendor may have shown a part only, the whole by its own list. */
async function nestedOf(
  task: SyncTask,
  nested: Nested,
  page: { rows: readonly unknown[]; params: Readonly<Record<string, unknown>> },
): Promise<Met[]> {
  const met: Met[] = []
  for (const parent of page.rows) {
    const found = getAt(parent, nested.at)
    const shown: readonly unknown[] = Array.isArray(found) ? found : []
    const params = shown.length < nested.most ? page.params : takenParams(nested, parent)
    const records = shown.length < nested.most ? shown : await listed(task, nested, params)
    for (const record of records) met.push({ record, params, parent })
  }
  return met
}

const takenParams = ({ sync, take }: Nested, parent: unknown): Record<string, unknown> => {
  const params: Record<string, unknown> = copyOf({ ...sync.params })
  for (const { param, from } of take) setAt(params, param, getAt(parent, from))
  return params
}

/** All pages of a list. */
async function listed(task: SyncTask, { entity }: Nested, params: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> {
  const load = async (current: Readonly<Record<string, unknown>>) => {
    const { rows, next } = await task.ask({ entity, action: 'list', params: current })
    return { data: [...rows], meta: { next_params: next } }
  }
  const records: unknown[] = []
  for await (const { data } of walkPages(load, params, { vendor: task.kind.definition.title })) records.push(...data)
  return records
}

/** One page with everything that hangs on it. */
async function takePage(
  walking: Walking,
  collector: Collector,
  { rows, params }: { rows: readonly unknown[]; params: Readonly<Record<string, unknown>> },
) {
  const { tree } = walking
  const met = new Map<string, readonly Met[]>([[tree.entity, rows.map((record) => ({ record, params }))]])
  for (const nested of tree.nested) met.set(nested.entity, await nestedOf(walking.task, nested, { rows, params }))
  for (const planned of [tree, ...tree.nested]) await collector.take(planned, met.get(planned.entity) ?? [])
  await collector.flush()
  await new Children(walking, collector).run((entity) => met.get(entity) ?? [])
}

async function askPage(walking: Walking, params: Readonly<Record<string, unknown>>): Promise<Answered | undefined> {
  const { task, tree, progress } = walking
  try {
    return await task.ask({ entity: tree.entity, action: tree.action, params })
  } catch (error) {
    // A position of the vendor's that has ended: the walk begins again, and what it has seen stays seen.
    if (isCode(error, 'invalid_cursor') && progress.position !== undefined) return undefined
    throw error
  }
}

async function walkRoot(walking: Walking, collector: Collector): Promise<void> {
  const { task, tree } = walking
  for (let restarts = 0; ; ) {
    task.signal.throwIfAborted()
    const params = { ...firstParams(walking), ...walking.progress.position }
    const answered = await askPage(walking, params)
    if (answered === undefined) {
      restarts += 1
      if (restarts > 3)
        throw fail('upstream_answer_invalid', {
          vendor: task.kind.definition.title,
          reason: 'its positions end faster than its pages can be read',
        })
      const { position: _position, child: _child, ...rest } = walking.progress
      await keepWalk(walking, rest)
      continue
    }
    await takePage(walking, collector, { rows: answered.rows, params })
    const next = following(tree, answered)
    const { position: _position, child: _child, ...rest } = walking.progress
    const latest = laterOf(answered.rows, tree.sync, rest)
    const step = { ...rest, ...(latest === undefined ? {} : { latest }) }
    await keepWalk(walking, next === null ? { ...step, met: true } : { ...step, position: next })
    if (next === null) return
  }
}

/** What is remembered of an entity at the end of a walk. */
function endState(walking: Walking, planned: Planned): EntityState {
  const { progress, states, task, stored } = walking
  const { walking: _walking, skipped, ...old } = states.get(planned.entity) ?? {}
  const flaw = progress.flawed[planned.entity]
  const through = { ...old.through, ...progress.through[planned.entity] }
  const latest = planned === stored[0] && progress.latest !== undefined ? { latest: progress.latest } : {}
  const base = { ...old, ...latest, ...(planned.sync.windows === undefined ? {} : { through }), ended: progress.pass }
  if (flaw?.skipped) return { ...base, skipped: true }
  // Windows are remembered parent by parent: a parent that could not be read does not make all others be read again.
  if (isComplete(walking, planned) && (flaw === undefined || planned.sync.windows !== undefined)) return { ...base, fullAt: task.clock() }
  if (skipped) return { ...latest, ended: progress.pass }
  return base
}

async function endEntity(walking: Walking, planned: Planned): Promise<EntityResult> {
  const { task, progress, states } = walking
  const place = placeOf(task, planned)
  const flaw = progress.flawed[planned.entity]
  const isAllMet = isComplete(walking, planned)
  if (states.get(planned.entity)?.ended !== progress.pass) {
    // After a kill between the removal and its note the pass is over already.
    const removed =
      isAllMet && flaw === undefined
        ? await task.store.sweep(place, progress.pass).catch((error: unknown) => (isCode(error, 'unavailable') ? 0 : Promise.reject(error)))
        : 0
    if (isAllMet && flaw !== undefined) await task.store.abandonPass(place, progress.pass)
    await task.store.keep(place, [stateCheckpoint(endState(walking, planned))])
    if (removed > 0) task.onProgress?.({ entity: planned.entity, records: 0, pages: 0, written: 0, removed })
  }
  if (flaw === undefined) return { entity: planned.entity, state: isAllMet ? 'complete' : 'changes' }
  return { entity: planned.entity, state: flaw.skipped ? 'skipped' : 'partial', error: { code: flaw.code, message: flaw.message } }
}

/** All that hangs on a root that the credentials or the vendor do not offer is skipped with it. */
async function skipTree(walking: Walking, { code, message }: FerruleError): Promise<void> {
  const flaw = { code, message, skipped: true }
  await keepWalk(walking, {
    ...walking.progress,
    met: true,
    flawed: Object.fromEntries(walking.stored.map(({ entity }) => [entity, flaw])),
  })
}

/**
 * Walks a tree to its end.
 * @returns how it ended for each stored entity, and whether some of them must be filled at once
 * @throws FerruleError of the vendor or the store, when the walk has to go on later; the signal's reason
 */
export async function walkTree(
  task: SyncTask,
  tree: Tree,
  stored: readonly Planned[],
): Promise<{ readonly results: readonly EntityResult[]; readonly again: boolean }> {
  const walking = await startWalk(task, tree, stored)
  const collector = new Collector(walking)
  if (!walking.progress.met)
    await walkRoot(walking, collector).catch((error: unknown) => {
      const isRefused = isCode(error, 'upstream_permission_denied', 'upstream_unsupported') && walking.progress.position === undefined
      return isRefused ? skipTree(walking, error) : Promise.reject(error)
    })
  const results: EntityResult[] = []
  for (const planned of stored) results.push(await endEntity(walking, planned))
  await keepWalk(walking, undefined)
  const again = stored.some(
    ({ entity }) => walking.states.get(entity)?.skipped && walking.progress.flawed[entity] === undefined && !walking.progress.full,
  )
  return { results, again }
}
