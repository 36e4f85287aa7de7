/** One walk with what hangs on it, resumable at any point: every step is kept before the next, and a step that is repeated changes nothing. */
import { walkPages } from '../../engine/pages.ts'
import { copyOf, getAt, setAt } from '../../engine/paths.ts'
import { FerruleError, fail } from '../../errors.ts'
import { startWalk } from './begin.ts'
import { Children } from './children.ts'
import { Collector } from './collector.ts'
import { doubtsOf, endEntity, isToBeFilled } from './end.ts'
import { firstParams, following, latestOf, type Params, Positions } from './pages.ts'
import type { Nested, Planned, Tree } from './plan.ts'
import type { Met } from './project.ts'
import type { Answered, EntityResult, SyncTask } from './types.ts'
import { isTaken, keepWalk, noteDoubt, type Walking } from './walking.ts'

/** How often in one run a walk may begin again because the vendor's positions ended. */
const mostRestarts = 3

const isCode = (error: unknown, ...codes: readonly string[]): error is FerruleError =>
  error instanceof FerruleError && codes.includes(error.code)

/** A page of the root. */
interface Page {
  readonly rows: readonly unknown[]
  readonly params: Params
  /** When it was asked for, in milliseconds since 1970. */
  readonly asked: number
}

const takenParams = ({ sync, take }: Nested, parent: unknown): Record<string, unknown> => {
  const params: Record<string, unknown> = copyOf({ ...sync.params })
  for (const { param, from } of take) setAt(params, param, getAt(parent, from))
  return params
}

/** All entities that a tree's records are read for. */
const entitiesOf = (tree: Tree): readonly string[] => [tree, ...tree.nested, ...tree.children].map(({ entity }) => entity)

/** Walks one tree. */
class Walk {
  readonly #walking: Walking
  readonly #collector: Collector

  constructor(walking: Walking) {
    this.#walking = walking
    this.#collector = new Collector(walking)
  }

  /** Meets the pages that are left. */
  async pages(): Promise<void> {
    const { task, tree } = this.#walking
    let positions = new Positions(task.kind.definition.title)
    for (let restarts = 0; ; ) {
      task.signal.throwIfAborted()
      const { position } = this.#walking.progress
      positions.take(position)
      const params = { ...firstParams(this.#walking), ...position }
      const asked = task.clock()
      const answered = await this.#ask(params)
      if (answered === undefined) {
        restarts += 1
        positions = new Positions(task.kind.definition.title)
        await this.#restart(restarts)
        continue
      }
      const at = task.clock()
      noteDoubt(this.#walking, entitiesOf(tree), answered.doubt)
      await this.#page({ rows: answered.rows, params, asked })
      const next = following(tree, answered)
      this.#step(answered, { next, at })
      if (next === null || this.#collector.isDue) await this.#collector.commit()
      if (next === null) return this.#collector.settled()
    }
  }

  /** What is under way is finished, whatever comes of it: nothing is written after the run. */
  async settled(): Promise<void> {
    await this.#collector.settled().catch(() => undefined) // an error that ends the walk is told by `pages`
  }

  /** All that hangs on a root that the credentials or the vendor do not offer is skipped with it. */
  async skip({ code, message }: FerruleError): Promise<void> {
    await this.settled()
    const { position: _position, child: _child, ...rest } = this.#walking.progress
    const flaw = { code, message, skipped: true }
    const flawed = Object.fromEntries(this.#walking.stored.map(({ entity }) => [entity, flaw]))
    await keepWalk(this.#walking, { ...rest, met: true, flawed })
  }

  #step({ rows }: Answered, { next, at }: { next: Params | null; at: number }): void {
    const { progress, tree } = this.#walking
    const { position, child: _child, ...rest } = progress
    const latest = latestOf(rows, tree.sync, { progress, answered: at })
    const step = { ...rest, ...(latest === undefined ? {} : { latest }) }
    // A position can take parameters back that it holds itself: that stays in force.
    this.#walking.progress = next === null ? { ...step, met: true } : { ...step, position: { ...position, ...next } }
  }

  /** @returns undefined when a position of the vendor's has ended */
  async #ask(params: Params): Promise<Answered | undefined> {
    const { task, tree, progress } = this.#walking
    try {
      this.#called()
      return await task.ask({ entity: tree.entity, action: tree.action, params })
    } catch (error) {
      if (isCode(error, 'invalid_cursor') && progress.position !== undefined) return undefined
      throw error
    }
  }

  /** Begins again; what the walk has seen stays seen. */
  async #restart(restarts: number): Promise<void> {
    const { task, progress } = this.#walking
    const vendor = task.kind.definition.title
    if (restarts > mostRestarts)
      throw fail('upstream_answer_invalid', { vendor, reason: 'its positions end faster than its pages can be read' })
    const { position: _position, child: _child, ...rest } = progress
    this.#walking.progress = rest
    await this.#collector.commit()
  }

  /** One page with everything that hangs on it. */
  async #page({ rows, params, asked }: Page): Promise<void> {
    const { tree } = this.#walking
    const met = new Map<string, readonly Met[]>([[tree.entity, rows.map((record) => ({ record, params }))]])
    for (const nested of tree.nested) met.set(nested.entity, await this.#nested(nested, { rows, params, asked }))
    const since = this.#collector.commits
    for (const planned of [tree, ...tree.nested]) this.#collector.take(planned, met.get(planned.entity) ?? [], asked)
    for (const nested of tree.nested) {
      const shown = rows.filter((row) => Array.isArray(getAt(row, nested.at)))
      this.#collector.whole(nested, shown, { since, asked })
    }
    await new Children(this.#walking, this.#collector).run((entity) => met.get(entity) ?? [])
  }

  /** What a page's records hold of an entity; where the vendor may have shown a part only, the whole by its own list. */
  async #nested(nested: Nested, { rows, params }: Page): Promise<Met[]> {
    const { tree } = this.#walking
    const isNeeded =
      isTaken(this.#walking, nested) || tree.children.some((child) => child.parent === nested.entity && isTaken(this.#walking, child))
    if (!isNeeded) return []
    const met: Met[] = []
    for (const parent of rows) {
      const found = getAt(parent, nested.at)
      const shown: readonly unknown[] = Array.isArray(found) ? found : []
      const own = shown.length < nested.most ? params : takenParams(nested, parent)
      const records = shown.length < nested.most ? shown : await this.#listed(nested, own)
      for (const record of records) met.push({ record, params: own, parent })
    }
    return met
  }

  /** All pages of a list; none when what they hang on is gone by now. */
  async #listed({ entity }: Nested, params: Params): Promise<readonly unknown[]> {
    const { task } = this.#walking
    const load = async (current: Params) => {
      task.signal.throwIfAborted()
      this.#called()
      const { rows, next, doubt } = await task.ask({ entity, action: 'list', params: current })
      noteDoubt(this.#walking, [entity], doubt)
      return { data: [...rows], meta: { next_params: next } }
    }
    const records: unknown[] = []
    try {
      for await (const { data } of walkPages(load, params, { vendor: task.kind.definition.title })) records.push(...data)
    } catch (error) {
      if (isCode(error, 'record_not_found')) return []
      throw error
    }
    return records
  }

  #called(): void {
    this.#collector.called()
    const { progress } = this.#walking
    if (progress.confirming === undefined) this.#walking.progress = { ...progress, calls: progress.calls + 1 }
  }
}

async function meet(walking: Walking, walk: Walk): Promise<void> {
  if (walking.progress.met) return
  try {
    await walk.pages()
  } catch (error) {
    if (!isCode(error, 'upstream_permission_denied', 'upstream_unsupported')) throw error
    await walk.skip(error)
  }
}

/** Meets everything once, and what is in doubt a second time. @returns entities of which nothing that is stored was not met */
async function meetAll(walking: Walking): Promise<ReadonlySet<string>> {
  const walk = new Walk(walking)
  try {
    await meet(walking, walk)
    if (walking.progress.confirming !== undefined) return new Set()
    const { doubtful, whole } = await doubtsOf(walking)
    if (doubtful.length === 0) return whole
    const { met: _met, ...rest } = walking.progress
    await keepWalk(walking, { ...rest, confirming: doubtful })
    await meet(walking, walk)
    return whole
  } finally {
    await walk.settled()
  }
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
  const whole = await meetAll(walking)
  const results: EntityResult[] = []
  for (const planned of stored) results.push(await endEntity(walking, planned, whole.has(planned.entity)))
  await keepWalk(walking, undefined)
  return { results, again: stored.some((planned) => isToBeFilled(walking, planned)) }
}
