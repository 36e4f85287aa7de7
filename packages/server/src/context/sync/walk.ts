/**
 * Runs one walk with everything below it. The walk can resume at any point: it saves every step before the next one, and repeating a step
 * changes nothing.
 */

import { type ErrorCode, FerruleError } from 'ferrule'
import { walkPages } from 'ferrule/engine'
import { copyJson, errorConsequences, fail, getAt, setAt } from 'ferrule/internal'
import { BatchWriter } from './batch-writer.ts'
import { startWalk } from './begin.ts'
import { Children } from './children.ts'
import { endEntity, findDoubts, needsFill } from './end.ts'
import { buildFirstParams, findLatest, findNextParams, type Params, Positions } from './page-params.ts'
import type { Nested, Planned, Tree } from './plan.ts'
import type { Met } from './project.ts'
import type { Answered, EntityResult, SyncTask } from './types.ts'
import { isTaken, noteDoubt, saveWalk, type Walking } from './walking.ts'

/** Maximum number of restarts per run because the vendor's positions expired. */
const mostRestarts = 3

const isCode = (error: unknown, code: ErrorCode): boolean => error instanceof FerruleError && error.code === code

/** A page of the root. */
interface Page {
  readonly rows: readonly unknown[]
  readonly params: Params
  /** When the page was requested, in milliseconds since 1970. */
  readonly asked: number
}

const buildOwnParams = ({ sync, take }: Nested, parent: unknown): Record<string, unknown> => {
  const params: Record<string, unknown> = copyJson({ ...sync.params })
  for (const { param, from } of take) setAt(params, param, getAt(parent, from))
  return params
}

/** Lists all entities that a tree's records are read for. */
const listEntities = (tree: Tree): readonly string[] => [tree, ...tree.nested, ...tree.children].map(({ entity }) => entity)

/** Walks one tree. */
class Walk {
  readonly #walking: Walking
  readonly #writer: BatchWriter

  constructor(walking: Walking) {
    this.#walking = walking
    this.#writer = new BatchWriter(walking)
  }

  /** Reads the remaining pages. */
  async readPages(): Promise<void> {
    const { task, tree } = this.#walking
    let positions = new Positions(task.kind.definition.title)
    for (let restarts = 0; ; ) {
      task.signal.throwIfAborted()
      const { position } = this.#walking.progress
      positions.add(position)
      const params = { ...buildFirstParams(this.#walking), ...position }
      const asked = task.clock()
      const answered = await this.#ask(params)
      if (answered === undefined) {
        restarts += 1
        positions = new Positions(task.kind.definition.title)
        await this.#restart(restarts)
        continue
      }
      const at = task.clock()
      noteDoubt(this.#walking, listEntities(tree), answered.doubt)
      await this.#storePage({ rows: answered.rows, params, asked })
      const next = findNextParams(tree, answered)
      this.#advance(answered, { next, at })
      if (next === null || this.#writer.isDue) await this.#writer.commit()
      if (next === null) return this.#writer.settle()
    }
  }

  /** Waits for running writes and ignores their errors: nothing is written after the run. */
  async settle(): Promise<void> {
    await this.#writer.settle().catch(() => undefined) // `readPages` throws an error that ends the walk
  }

  /** Skips a root that the credentials or the vendor do not offer, with everything below it. */
  async skip({ code, message }: FerruleError): Promise<void> {
    await this.settle()
    const { position: _position, child: _child, ...rest } = this.#walking.progress
    const flaw = { code, message, skipped: true }
    const flawed = Object.fromEntries(this.#walking.stored.map(({ entity }) => [entity, flaw]))
    await saveWalk(this.#walking, { ...rest, met: true, flawed })
  }

  #advance({ rows }: Answered, { next, at }: { next: Params | null; at: number }): void {
    const { progress, tree } = this.#walking
    const { position, child: _child, ...rest } = progress
    const latest = findLatest(rows, tree.sync, { progress, answered: at })
    const step = { ...rest, ...(latest === undefined ? {} : { latest }) }
    // A position may withdraw parameters that the position itself carries; their absence stays in force.
    this.#walking.progress = next === null ? { ...step, met: true } : { ...step, position: { ...position, ...next } }
  }

  /**
   * Requests a page.
   * @returns undefined when a position of the vendor has expired
   */
  async #ask(params: Params): Promise<Answered | undefined> {
    const { task, tree, progress } = this.#walking
    try {
      this.#countCall()
      return await task.ask({ entity: tree.entity, action: tree.action, params })
    } catch (error) {
      if (isCode(error, 'invalid_cursor') && progress.position !== undefined) return undefined
      throw error
    }
  }

  /** Restarts the walk; keys that it has seen stay seen. */
  async #restart(restarts: number): Promise<void> {
    const { task, progress } = this.#walking
    const vendor = task.kind.definition.title
    if (restarts > mostRestarts)
      throw fail('upstream_answer_invalid', { vendor, reason: 'its positions end faster than its pages can be read' })
    const { position: _position, child: _child, ...rest } = progress
    this.#walking.progress = rest
    await this.#writer.commit()
  }

  /** Stores one page and everything below it. */
  async #storePage({ rows, params, asked }: Page): Promise<void> {
    const { tree } = this.#walking
    const met = new Map<string, readonly Met[]>([[tree.entity, rows.map((record) => ({ record, params }))]])
    for (const nested of tree.nested) met.set(nested.entity, await this.#readNested(nested, { rows, params, asked }))
    const since = this.#writer.commits
    for (const planned of [tree, ...tree.nested]) this.#writer.add(planned, met.get(planned.entity) ?? [], asked)
    for (const nested of tree.nested) {
      const shown = rows.filter((row) => Array.isArray(getAt(row, nested.at)))
      this.#writer.addComplete(nested, shown, { since, asked })
    }
    await new Children(this.#walking, this.#writer).run((entity) => met.get(entity) ?? [])
  }

  /** Reads the records of an entity within a page's records. Where the vendor may show only some, reads their own list. */
  async #readNested(nested: Nested, { rows, params }: Page): Promise<Met[]> {
    const { tree } = this.#walking
    const isNeeded =
      isTaken(this.#walking, nested) || tree.children.some((child) => child.parent === nested.entity && isTaken(this.#walking, child))
    if (!isNeeded) return []
    const met: Met[] = []
    for (const parent of rows) {
      const found = getAt(parent, nested.at)
      const shown: readonly unknown[] = Array.isArray(found) ? found : []
      const own = shown.length < nested.most ? params : buildOwnParams(nested, parent)
      const records = shown.length < nested.most ? shown : await this.#readList(nested, own)
      for (const record of records) met.push({ record, params: own, parent })
    }
    return met
  }

  /** Reads all pages of a list; empty when its parent was deleted meanwhile. */
  async #readList({ entity }: Nested, params: Params): Promise<readonly unknown[]> {
    const { task } = this.#walking
    const load = async (current: Params) => {
      task.signal.throwIfAborted()
      this.#countCall()
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

  #countCall(): void {
    this.#writer.countCall()
    const { progress } = this.#walking
    if (progress.confirming === undefined) this.#walking.progress = { ...progress, calls: progress.calls + 1 }
  }
}

async function runWalk(walking: Walking, walk: Walk): Promise<void> {
  if (walking.progress.met) return
  try {
    await walk.readPages()
  } catch (error) {
    if (!(error instanceof FerruleError) || errorConsequences[error.code].leavesOut !== 'entity') throw error
    await walk.skip(error)
  }
}

/**
 * Walks everything once, and doubtful entities a second time.
 * @returns entities without missed records
 */
async function runWalks(walking: Walking): Promise<ReadonlySet<string>> {
  const walk = new Walk(walking)
  try {
    await runWalk(walking, walk)
    if (walking.progress.confirming !== undefined) return new Set()
    const { doubtful, whole } = await findDoubts(walking)
    if (doubtful.length === 0) return whole
    const { met: _met, ...rest } = walking.progress
    await saveWalk(walking, { ...rest, confirming: doubtful })
    await runWalk(walking, walk)
    return whole
  } finally {
    await walk.settle()
  }
}

/**
 * Walks a tree to its end.
 * @returns how the walk ended for each stored entity, and whether some must be filled at once
 * @throws FerruleError of the vendor or the store, after which a later run resumes; the signal's reason
 */
export async function walkTree(
  task: SyncTask,
  tree: Tree,
  stored: readonly Planned[],
): Promise<{ readonly results: readonly EntityResult[]; readonly again: boolean }> {
  const walking = await startWalk(task, tree, stored)
  const whole = await runWalks(walking)
  const results: EntityResult[] = []
  for (const planned of stored) results.push(await endEntity(walking, planned, whole.has(planned.entity)))
  await saveWalk(walking, undefined)
  return { results, again: stored.some((planned) => needsFill(walking, planned)) }
}
