/**
 * Runs one walk with everything below it. The walk can resume at any point: it saves every step before the next one, and repeating a step
 * changes nothing.
 */
import { FerruleError } from 'ferrule'
import { errorConsequences, fail, getAt } from 'ferrule/internal'
import { BatchWriter } from './batch-writer.ts'
import { type DueTree, forgetStart, startWalk } from './begin.ts'
import { Children } from './children.ts'
import { endEntity, findDoubts, needsFill } from './end.ts'
import { concernsRun, isPositionRefused, mostRestarts, mostTries, readNested } from './lists.ts'
import { filterSegment, findLargest, moveOn, Outline, readIds } from './newest.ts'
import {
  buildFirstParams,
  computeVersion,
  cutKnown,
  findChangeList,
  findLatest,
  findMove,
  findNextParams,
  isInOrder,
  type Params,
  Positions,
  readChanges,
} from './page-params.ts'
import { listParents, type Work } from './parents.ts'
import { isCounted, type Nested, type Tree } from './plan.ts'
import type { Met } from './records.ts'
import { isTaken, noParents, noteDoubt, type RunContext, type Sliced, saveWalk, type Walking, type WalkProgress } from './state.ts'
import type { Answered, EntityResult, SyncTask } from './types.ts'
import { findWhole, nothingUnread } from './unread.ts'

interface WalkedPage extends Answered {
  readonly params: Params
  /** Changes of the progress that the page itself causes. */
  readonly noted?: Partial<WalkProgress>
  /** When the page was requested, and when it arrived. Milliseconds since 1970. */
  readonly asked: number
  readonly answered: number
}

/** What is left of a page when the writer has its records. A walk that waits for its slice keeps no page. */
interface PageRest {
  readonly work: readonly Work[]
  /** Version of what is below a page of changes; undefined for other pages. */
  readonly version: number | undefined
  /** Changes of the progress when the children are read. */
  readonly then: Partial<WalkProgress>
}

const listEntities = (tree: Tree): readonly string[] => [tree, ...tree.nested, ...tree.children].map(({ entity }) => entity)

class Walk {
  readonly #walking: Walking
  readonly #writer: BatchWriter
  readonly #children: Children

  constructor(walking: Walking) {
    this.#walking = walking
    this.#writer = new BatchWriter(walking)
    this.#children = new Children(walking, this.#writer)
  }

  /** Reads everything that is left, and asks again for what could not be read: before the first page, and after the last. */
  async *read(): Sliced {
    if (this.#walking.progress.retried === undefined) {
      yield* this.#children.retry(1)
      this.#walking.progress = { ...this.#walking.progress, retried: true }
    }
    if (!this.#walking.progress.met) yield* this.#readPages()
    const { progress } = this.#walking
    this.#children.forgetUnmet()
    yield* this.#children.retry(mostTries)
    if (this.#walking.progress !== progress) await this.#writer.commit()
    await this.#writer.settle()
  }

  async *#readPages(): Sliced {
    const { task, tree } = this.#walking
    let positions = new Positions(task.kind.definition.title)
    for (let restarts = 0; ; ) {
      task.signal.throwIfAborted()
      const { position } = this.#walking.progress
      positions.add(this.#walking.progress)
      const params = { ...buildFirstParams(this.#walking), ...position }
      const asked = task.clock()
      const answered = await this.#askOrPass(params)
      if (answered === 'passed') {
        if (this.#walking.progress.met) return this.#writer.settle()
      } else if (answered === undefined) {
        restarts += 1
        positions = new Positions(task.kind.definition.title)
        await this.#restart(restarts)
      } else if (!(await this.#startAtEnd(params, answered))) {
        noteDoubt(this.#walking, listEntities(tree), answered.doubt)
        yield* this.#finishPage(await this.#storePage({ ...answered, params, asked, answered: task.clock() }))
        if (this.#walking.progress.met) return this.#writer.settle()
      }
    }
  }

  /** Reads the children of a page, and saves that it is done. */
  async *#finishPage({ work, version, then }: PageRest): Sliced {
    yield* this.#children.run(work, version)
    this.#move(then)
    this.#reportShares()
    if (then.met) return this.#writer.commit()
    yield* this.#writer.endSliceIfDue()
  }

  /** Leaves a page. The time from which a sorted list continues belongs to the list of one value. */
  #move(then: Partial<WalkProgress>): void {
    const { position: _position, within: _within, segments: _segments, moved, ...rest } = this.#walking.progress
    const kept = moved === undefined || then.value !== undefined ? {} : { moved }
    this.#walking.progress = { ...rest, ...kept, ...then }
  }

  /** Number of records that were new or different so far. */
  get written(): number {
    return this.#writer.written
  }

  /** Waits for running writes and ignores their errors: nothing is written after the run. */
  async settle(): Promise<void> {
    await this.#writer.settle().catch(() => undefined) // `read` throws an error that ends the walk
  }

  /** Skips a root that the credentials or the vendor do not offer, with everything below it. */
  async skip({ code, message }: FerruleError): Promise<void> {
    await this.settle()
    const { position: _position, within: _within, segments: _segments, ...rest } = this.#walking.progress
    const flaw = { code, message, skipped: true }
    const flawed = Object.fromEntries(this.#walking.stored.map(({ entity }) => [entity, flaw]))
    await saveWalk(this.#walking, { ...rest, met: true, flawed })
  }

  /**
   * Requests a page. A value that the vendor refuses is passed over, with a note; the lists of the others are read.
   * @returns as `#ask`, or that the value was passed over
   * @throws the refusal when the vendor refuses all values
   */
  async #askOrPass(params: Params): Promise<Answered | undefined | 'passed'> {
    try {
      return await this.#ask(params)
    } catch (error) {
      const { tree, progress } = this.#walking
      const isRefused = error instanceof FerruleError && errorConsequences[error.code].leavesOut !== 'nothing'
      const next = this.#planValue({ met: true })
      const isAlone = next.met === true && progress.anyValue === undefined
      if (tree.sync.values === undefined || !isRefused || isAlone || concernsRun(error)) throw error
      const flaw = { code: error.code, message: error.message, skipped: false }
      const flawed = { ...Object.fromEntries(listEntities(tree).map((entity) => [entity, flaw])), ...progress.flawed }
      this.#move({ ...next, flawed })
      await this.#writer.commit()
      return 'passed'
    }
  }

  /** Computes what follows the end of a list: the list of the next value, if there is one. */
  #planValue(then: Partial<WalkProgress>): Partial<WalkProgress> {
    const { tree, progress } = this.#walking
    const value = (progress.value ?? 0) + 1
    if (then.met !== true || findChangeList(this.#walking) !== undefined || value >= (tree.sync.values?.length ?? 1)) return then
    const { met: _met, ...rest } = then
    return { ...rest, value }
  }

  #planNext(page: WalkedPage): Partial<WalkProgress> {
    const then = this.#planPage(page)
    return this.#walking.tree.sync.values === undefined ? then : { ...this.#planValue(then), anyValue: true }
  }

  #planPage(page: WalkedPage): Partial<WalkProgress> {
    const { progress, tree } = this.#walking
    const { position, segments } = progress
    const latest = findLatest(this.#walking, page)
    const token = page.token === undefined ? {} : { nextToken: page.token }
    const known = { ...(latest === undefined ? {} : { latest }), ...token, ...page.noted }
    const { cameBack, isKnown } = cutKnown(page.rows, this.#walking)
    const next = cameBack ? null : findNextParams(this.#walking, page)
    if (next === null && !isKnown) return { ...known, met: true, gap: true }
    if (segments === undefined || tree.sync.after === undefined) {
      if (next === null) return { ...known, met: true }
      const moved = findMove(page.rows, this.#walking)
      if (moved !== undefined) return { ...known, moved }
      const isShifted = findChangeList(this.#walking) === undefined && isCounted(this.#walking.task.kind.definition.pages, tree.definition)
      const counted = isShifted ? { counted: true as const } : {}
      // A position may withdraw parameters that the position itself carries; their absence stays in force.
      return { ...known, ...counted, position: { ...position, ...next } }
    }
    const largest = findLargest(readIds(tree, page.rows))
    if (largest === undefined && next !== null) throw this.#invalid('a page without ids')
    const moved = moveOn(segments, { largest, isLast: next === null })
    if (moved === undefined) return { ...known, met: true }
    return { ...known, position: { ...position, [tree.sync.after.param]: moved.after }, segments: moved.segments }
  }

  /**
   * Looks for the end of a list, where its newest records are. One page of parents is worth hundreds of calls.
   * @param answered the first page
   * @returns false when the list is read from its first page
   */
  async #startAtEnd(params: Params, answered: Answered): Promise<boolean> {
    const { task, tree, progress } = this.#walking
    const { after } = tree.sync
    const ids = readIds(tree, answered.rows)
    const isWorth = tree.children.some((child) => child.batch === undefined && isTaken(this.#walking, child))
    if (
      !isWorth ||
      after === undefined ||
      findChangeList(this.#walking) !== undefined ||
      progress.position !== undefined ||
      answered.next === null
    )
      return false
    if (ids.length === 0 || ids.length < answered.rows.length) return false
    const outline = new Outline(ids)
    for (let at = outline.probe(); at !== undefined; at = outline.probe()) {
      task.signal.throwIfAborted()
      const found = await this.#ask({ ...params, [after.param]: at })
      outline.note(at, readIds(tree, found?.rows ?? []), (found?.next ?? null) === null)
    }
    const { segments, size } = outline
    const { parents = noParents } = this.#walking.progress
    const position = { [after.param]: segments.starts.at(-1) }
    this.#walking.progress = { ...this.#walking.progress, position, segments, parents: { ...parents, size } }
    await this.#writer.commit()
    return true
  }

  /** Counts the records of a page that was not counted before an interruption. */
  #countRows(work: readonly Work[], { rows, next }: WalkedPage): void {
    if (this.#children.isKnown(work)) return
    const { parents = noParents, segments } = this.#walking.progress
    const read = parents.rows + rows.length
    const size = next === null && segments === undefined ? { size: read } : {}
    this.#walking.progress = { ...this.#walking.progress, parents: { ...parents, rows: read, ...size } }
  }

  /** Reports how far the list is. Lists of the same root share what is known of its length. */
  #reportShares(): void {
    const { tree, stored, task, run, progress } = this.#walking
    const { rows, size } = progress.parents ?? noParents
    if (progress.full && size !== undefined) run.sizes.set(tree.entity, size)
    const known = progress.full ? run.sizes.get(tree.entity) : size
    const total = known === undefined ? undefined : Math.max(known, rows)
    for (const { entity, sync } of stored) if (sync.each === undefined) task.progress?.noteShare({ entity, done: rows, total })
  }

  /**
   * Requests a page.
   * @returns undefined when a position of the vendor has expired
   */
  async #ask(params: Params): Promise<Answered | undefined> {
    const { task, tree, progress } = this.#walking
    const list = findChangeList(this.#walking)
    const asked = list === undefined ? { entity: tree.entity, action: tree.action } : { entity: list.rule.entity, action: 'list' as const }
    try {
      this.#writer.countCall()
      return await task.ask({ ...asked, params })
    } catch (error) {
      const hasExpired = isPositionRefused(error) && progress.position !== undefined
      if (!hasExpired) throw error
      return undefined
    }
  }

  /** Restarts the walk; keys that it has seen stay seen. */
  async #restart(restarts: number): Promise<void> {
    if (restarts > mostRestarts) throw this.#invalid('its positions end faster than its pages can be read')
    const { position: _position, within: _within, segments: _segments, parents: _parents, changesAt: _at, ...rest } = this.#walking.progress
    this.#walking.progress = rest
    await this.#writer.commit()
  }

  #invalid(reason: string): FerruleError {
    return fail('upstream_answer_invalid', { vendor: this.#walking.task.kind.definition.title, reason })
  }

  /** Reads the records that a page stands for, and those that it calls deleted. */
  #readRows(page: WalkedPage) {
    const { tree, progress } = this.#walking
    const list = findChangeList(this.#walking)
    if (list !== undefined) {
      if (!isInOrder(list, page.rows)) throw this.#invalid('changes in another order than the definition says')
      const { records, gone } = readChanges(list, tree, page.rows)
      const changesAt = computeVersion(list, progress, page.asked)
      return { rows: records, gone, asked: changesAt, version: changesAt, noted: { changesAt } }
    }
    const { rows } = cutKnown(page.rows, this.#walking)
    return {
      rows: progress.segments === undefined ? rows : filterSegment(tree, rows, progress.segments),
      gone: [],
      asked: page.asked,
      noted: {},
    }
  }

  /** Hands the records of a page to the writer, and lists the calls for what is below them. */
  async #storePage(page: WalkedPage): Promise<PageRest> {
    const { tree } = this.#walking
    const { params } = page
    const { rows, gone, asked, version, noted } = this.#readRows(page)
    this.#children.forget(
      tree,
      gone.map((record) => ({ record, params })),
      asked,
    )
    const own = this.#children.dropGone(
      tree,
      rows.map((record) => ({ record, params })),
      asked,
    )
    const alive = own.map(({ record }) => record)
    const called = () => this.#writer.countCall()
    const met = new Map<string, readonly Met[]>([[tree.entity, own]])
    for (const nested of tree.nested) {
      const found = await readNested(this.#walking, nested, { rows: alive, params, called, ...this.#watchNested(nested) })
      met.set(nested.entity, this.#children.dropGone(nested, found, asked))
    }
    const since = this.#writer.commits
    for (const planned of [tree, ...tree.nested]) this.#writer.add(planned, met.get(planned.entity) ?? [], asked)
    for (const nested of tree.nested) {
      const unread = this.#walking.progress.unread[nested.entity] ?? nothingUnread
      const isWhole = (row: unknown) => listParents(nested, [{ record: row }]).every(({ key }) => findWhole(unread, key) === undefined)
      const shown = alive.filter((row) => Array.isArray(getAt(row, nested.at)) && isWhole(row))
      this.#writer.addComplete(nested, shown, { since, asked })
    }
    const work = this.#children.plan((entity) => met.get(entity) ?? [])
    const then = this.#planNext({ ...page, noted })
    this.#countRows(work, { ...page, rows })
    return { work, version, then }
  }

  /** Builds what the reading of records within records asks and reports. */
  #watchNested(nested: Nested) {
    const toParent = (record: unknown) => listParents(nested, [{ record }])[0] ?? { key: '', values: [], record: {} }
    return {
      isOpen: (record: unknown) => this.#children.isOpen(nested, toParent(record)),
      unread: (record: unknown, thrown: unknown) => this.#children.leaveOut(nested, toParent(record), thrown),
      read: (record: unknown) => this.#children.markRead(nested, toParent(record)),
    }
  }
}

/** Returns whether the vendor refuses where the changes of a walk begin: then everything is read instead. */
function isStartRefused(walking: Walking, error: unknown): boolean {
  if (!(error instanceof FerruleError)) return false
  if (walking.progress.token !== undefined) return error.code === 'invalid_cursor' || error.gone
  const isRefusal = error.code === 'upstream_invalid_request' || error.code === 'invalid_cursor'
  return findChangeList(walking) !== undefined && (isRefusal || errorConsequences[error.code].leavesOut === 'entity')
}

async function* runWalk(walking: Walking, walk: Walk): Sliced {
  try {
    yield* walk.read()
  } catch (error) {
    if (!(error instanceof FerruleError) || errorConsequences[error.code].leavesOut !== 'entity') throw error
    if (isStartRefused(walking, error)) throw error
    await walk.skip(error)
  }
}

/** Maximum number of times that a list with counted pages is read again. */
const mostRounds = 4

/**
 * Reads a list whose pages are counted again from its start, until nothing new comes. Lists per record are not asked for again.
 * @returns whether it was read again
 */
async function* runRounds(walking: Walking, walk: Walk): Sliced<boolean> {
  const { tree, stored } = walking
  if (walking.progress.counted === undefined || !tree.isQuick || !tree.stored) return false
  for (let round = 0; round < mostRounds; round += 1) {
    const { met: _met, value: _value, moved: _moved, counted: _counted, ...rest } = walking.progress
    await saveWalk(walking, { ...rest, confirming: stored.map(({ entity }) => entity) })
    const before = walk.written
    yield* runWalk(walking, walk)
    if (walk.written === before) break
  }
  return true
}

/**
 * Walks everything once, and doubtful entities a second time.
 * @returns entities without missed records
 */
async function* runWalks(walking: Walking): Sliced<ReadonlySet<string>> {
  const walk = new Walk(walking)
  try {
    yield* runWalk(walking, walk)
    if (walking.progress.confirming !== undefined) return new Set()
    const isConfirmed = yield* runRounds(walking, walk)
    const { doubtful, whole } = await findDoubts(walking)
    if (doubtful.length === 0 || isConfirmed) return whole
    const { met: _met, ...rest } = walking.progress
    await saveWalk(walking, { ...rest, confirming: doubtful })
    yield* runWalk(walking, walk)
    return whole
  } finally {
    await walk.settle()
  }
}

/** How a walk ended. */
export interface WalkEnd {
  /** Start of the walk that brought the records, in milliseconds since 1970. A resumed walk is as old as its first run. */
  readonly startedAt: number
  readonly results: readonly EntityResult[]
  /** True when some entity must be filled at once. */
  readonly again: boolean
}

/**
 * Walks a tree to its end, slice by slice.
 * @throws FerruleError of the vendor or the store, after which a later run resumes; the signal's reason
 */
export async function* walkTree(task: SyncTask, due: DueTree, run: RunContext): Sliced<WalkEnd> {
  const walking = await startWalk(task, due, run)
  const { stored } = walking
  const startedAt = Math.min(task.clock(), walking.progress.startedAt)
  let whole: ReadonlySet<string>
  try {
    whole = yield* runWalks(walking)
  } catch (error) {
    if (!isStartRefused(walking, error)) throw error
    await forgetStart(walking)
    return yield* walkTree(task, due, run)
  }
  const results: EntityResult[] = []
  for (const planned of stored) results.push(await endEntity(walking, planned, whole.has(planned.entity)))
  await saveWalk(walking, undefined)
  return { startedAt, results, again: stored.some((planned) => needsFill(walking, planned)) }
}
