/** Reads lists that are requested per record, or per batch of records, of a page. A list that fails is left out; its siblings are read. */

import type { FerruleError } from 'ferrule'
import { writeJson } from 'ferrule/engine'
import { errorConsequences } from 'ferrule/internal'
import { splitInto } from '../../../values/slices.ts'
import type { BatchWriter } from './batch-writer.ts'
import { type DayWindow, findFirstDay, listWindows, splitWindow, toDay } from './day-windows.ts'
import { MarkedList, mostMarks, readList, Unreadable } from './lists.ts'
import { digestTexts, type Params } from './page-params.ts'
import {
  buildParams,
  countParents,
  digestPage,
  findParent,
  listParams,
  listParents,
  mostFailedWindows,
  type ParentWindows,
  type Work,
} from './parents.ts'
import type { Child, Nested, Planned } from './plan.ts'
import { type Met, type Parent, pickFitting, splitGone } from './records.ts'
import { Slices } from './slices.ts'
import {
  type BelowPosition,
  isComplete,
  isNeeded,
  isTaken,
  meetsParents,
  noParents,
  type PagePosition,
  type Sliced,
  UnreadNotes,
  type Walking,
} from './state.ts'
import { dropUnread, findWhole, isRefusal, keepMet, markMet, type UnreadUnit } from './unread.ts'

/** Reads the children of pages, slice by slice. */
export class Children {
  readonly #walking: Walking
  readonly #writer: BatchWriter
  readonly #slices: Slices
  readonly #unread: UnreadNotes
  /** Version of what is below a page of changes: what a newer change deletes stays deleted. */
  #version: number | undefined

  constructor(walking: Walking, writer: BatchWriter) {
    this.#walking = walking
    this.#writer = writer
    this.#unread = new UnreadNotes(walking)
    this.#slices = new Slices(walking.tree.children.map(({ entity }) => ({ isList: false, entities: [entity], sources: 1 })))
  }

  /**
   * Lists the calls of a page, with what they need of its records. A walk that waits for its slice keeps no page.
   * @param met records of the page by entity
   */
  plan(met: (entity: string) => readonly Met[]): readonly Work[] {
    return this.#walking.tree.children
      .filter((child) => isNeeded(this.#walking, child) && !this.#walking.tree.children.some(({ entity }) => entity === child.parent))
      .map((child) => {
        const parents = this.#listParents(child, met(child.parent))
        // Ids grow with time: the newest record of the page comes first.
        return { child, parents: this.#walking.tree.sync.after === undefined ? parents : parents.toReversed() }
      })
  }

  /**
   * Reads the children of a page's records. Resumes where an interrupted walk stopped, if the page is the same.
   * @param version of what is read; undefined for the time of each request
   */
  async *run(work: readonly Work[], version?: number): Sliced {
    if (work.length === 0) return
    this.#version = version
    yield* this.#runAll(work)
    this.#version = undefined
  }

  async *#runAll(work: readonly Work[]): Sliced {
    this.#enter(work)
    const left = work.filter(({ child }) => !this.#at.done.includes(child.id))
    const open = new Map(left.map((each) => [this.#walking.tree.children.indexOf(each.child), this.#runChild(each)]))
    for (;;) {
      const index = this.#slices.next([...open.keys()], this.#walking.run.isAsked)
      const running = index === undefined ? undefined : open.get(index)
      if (index === undefined || running === undefined) return
      const before = this.#walking.progress.calls
      const { done } = await running.next()
      this.#slices.spend(index, this.#walking.progress.calls - before)
      if (!done) yield
      else open.delete(index)
    }
  }

  /**
   * Asks again for what could not be read.
   * @param tries asks only for what this walk has asked for less often
   */
  async *retry(tries: number): Sliced {
    const { tree } = this.#walking
    for (const nested of tree.nested) if (isNeeded(this.#walking, nested)) yield* this.#retryEntity(nested, tries)
    for (const child of tree.children) if (isNeeded(this.#walking, child)) yield* this.#retryEntity(child, tries)
  }

  /** Forgets what could not be read of parents that a walk of all parents did not meet: they no longer exist. */
  forgetUnmet(): void {
    for (const planned of [...this.#walking.tree.nested, ...this.#walking.tree.children])
      if (meetsParents(this.#walking, planned)) this.#unread.set(planned.entity, keepMet(this.#unread.of(planned.entity)))
  }

  /** Leaves out records that the vendor lists as deleted, or that do not fit. @returns the others */
  dropGone(planned: Planned, met: readonly Met[], asked: number): readonly Met[] {
    const { alive, gone, unfit } = splitGone(planned.definition, met, this.#walking.task.configuration)
    // The end of a complete pass deletes what does not fit: a record that fits can have the same key.
    this.forget(planned, isComplete(this.#walking, planned) ? gone : [...gone, ...unfit], asked)
    return alive
  }

  /** Takes deleted records from the copy, with what belongs to them: nothing is asked for below them any more. */
  forget(planned: Planned, gone: readonly Met[], asked: number): void {
    if (gone.length === 0) return
    this.#writer.forget(planned, gone, asked)
    const { nested, children } = this.#walking.tree
    const isBelow = (below: Child | Nested): boolean => ('parent' in below ? below.parent : below.sync.within?.entity) === planned.entity
    for (const below of [...nested, ...children].filter(isBelow))
      for (const { key } of listParents(below, gone)) this.#forgetParent(below, key)
  }

  /** Forgets what is known of a parent that no longer exists. Should it return, its list is read whole. */
  #forgetParent({ entity, marks }: Planned, key: string): void {
    this.#unread.forget(entity, key)
    if (marks) this.#noteThrough(entity, key, '')
  }

  /** Returns whether to ask for the list of a parent that was met. One that could not be read is asked for again at the end of the walk. */
  isOpen({ entity }: Pick<Planned, 'entity'>, { key }: Parent): boolean {
    this.#unread.set(entity, markMet(this.#unread.of(entity), key))
    return findWhole(this.#unread.of(entity), key) === undefined
  }

  /**
   * Decides what follows when the list of a parent could not be read.
   * @returns false when the parent no longer exists
   * @throws what concerns the run, or the error of a vendor who asks to wait
   */
  async leaveOut({ entity }: Pick<Planned, 'entity'>, parent: Parent, thrown: unknown): Promise<boolean> {
    const error = await this.#findError(entity, parent.key, thrown)
    if (error === undefined) {
      this.#unread.forget(entity, parent.key)
      return false
    }
    this.#unread.pace(entity).failed()
    this.#unread.note(entity, { ...parent, error })
    return true
  }

  /** Notes that the list of a parent was read. */
  markRead({ entity }: Pick<Planned, 'entity'>, read: Pick<UnreadUnit, 'key' | 'window'>): void {
    this.#unread.pace(entity).read()
    this.#unread.set(entity, dropUnread(this.#unread.of(entity), read))
    const { progress } = this.#walking
    if (!progress.reached.includes(entity)) this.#walking.progress = { ...progress, reached: [...progress.reached, entity] }
  }

  #listParents(child: Child, met: readonly Met[]): Parent[] {
    return listParents(child, pickFitting(child.where, met, this.#walking.task.configuration))
  }

  /** Returns whether an interrupted walk stopped within this page. */
  isKnown(work: readonly Work[]): boolean {
    return work.length > 0 && this.#walking.progress.within?.page === digestPage(work)
  }

  /** Begins a page, or resumes it. */
  #enter(work: readonly Work[]): void {
    if (this.isKnown(work)) return
    this.#setPosition({ page: digestPage(work), after: {}, done: [], windows: {} })
    const { parents = noParents } = this.#walking.progress
    const met = Object.fromEntries(work.map(({ child: { id }, parents: { length } }) => [id, (parents.met[id] ?? 0) + length]))
    this.#walking.progress = { ...this.#walking.progress, parents: { ...parents, met } }
    for (const { child } of work) this.#reportShare(child)
  }

  get #at(): PagePosition {
    return this.#walking.progress.within ?? { page: '', after: {}, done: [], windows: {} }
  }

  async *#runChild({ child, parents }: Work): Sliced {
    const { id } = child
    const done = parents.findIndex(({ key }) => key === this.#at.after[id]) + 1
    for (const group of splitInto(parents.slice(done), child.batch ?? 1)) {
      const open = group.filter((parent) => this.#isDue(child, parent))
      if (open.length > 0) yield* this.#readGroup(child, open)
      this.#markDone(child, group)
      yield* this.#writer.endSliceIfDue()
    }
    this.#setPosition({ ...this.#at, done: [...this.#at.done, id] })
  }

  /** Returns whether a parent of a page is asked for now: it was neither left out, nor read at the begin of this walk. */
  #isDue(child: Child, parent: Parent): boolean {
    const { confirming, through } = this.#walking.progress
    const isNoted = (child.sync.windows !== undefined || child.marks) && confirming === undefined
    return this.isOpen(child, parent) && !(isNoted && through[child.entity]?.[parent.key])
  }

  #markDone(child: Child, group: readonly Parent[]): void {
    const { id } = child
    const { [id]: _window, ...windows } = this.#at.windows
    this.#setPosition({ ...this.#at, windows, after: { ...this.#at.after, [id]: group.at(-1)?.key ?? '' } })
    const { parents = noParents } = this.#walking.progress
    const done = (parents.done[id] ?? 0) + group.length
    this.#walking.progress = { ...this.#walking.progress, parents: { ...parents, done: { ...parents.done, [id]: done } } }
    this.#reportShare(child)
  }

  #reportShare({ entity }: Child): void {
    const { progress, task, tree } = this.#walking
    const ids = tree.children.filter((child) => child.entity === entity).map(({ id }) => id)
    task.progress?.noteShare({ entity, ...countParents(progress, ids) })
  }

  /** Reads the records of some parents. Splits a batch that fails in halves, because one parent can cause it. */
  async *#readGroup(child: Child, group: readonly Parent[]): Sliced {
    const { entity } = child
    if (this.#walking.progress.flawed[entity]?.skipped) return
    this.#walking.task.signal.throwIfAborted()
    if (this.#unread.pace(entity).isOver()) {
      for (const parent of group) this.#unread.note(entity, parent)
      return
    }
    const whole = { since: this.#writer.commits, asked: this.#version ?? this.#walking.task.clock() }
    const [first] = group
    const marked = child.marks && first !== undefined ? new MarkedList(this.#walking, child, first) : undefined
    const thrown = yield* this.#tryRead(child, group, marked)
    if (thrown === undefined) for (const parent of group) this.markRead(child, parent)
    else if (!(await this.#handle(child, group, thrown))) {
      const middle = Math.ceil(group.length / 2)
      if (group.length > 1) {
        yield* this.#readGroup(child, group.slice(0, middle))
        yield* this.#readGroup(child, group.slice(middle))
      }
      return
    }
    const parents = (marked?.isWhole === false ? [] : group).map(({ record }) => record)
    this.#writer.addComplete(child, parents, whole)
  }

  /** Reads the records of some parents. @returns the error of their list; undefined when it was read */
  async *#tryRead(child: Child, group: readonly Parent[], marked: MarkedList | undefined): Sliced<Unreadable | undefined> {
    try {
      const [parent] = group
      if (marked !== undefined) {
        yield* this.#readPages(child, marked.params, group, marked)
        const { length } = Object.keys(this.#walking.progress.through[child.entity] ?? {})
        if (marked.mark !== undefined && length < mostMarks) this.#noteThrough(child.entity, marked.key, marked.mark)
      } else if (child.sync.windows !== undefined && parent !== undefined)
        yield* this.#readWindows({ child, params: buildParams(child, group), parent, isReached: false, failed: 0 })
      else for (const params of listParams(child, group)) yield* this.#readPages(child, params, group)
      return undefined
    } catch (thrown) {
      if (thrown instanceof Unreadable) return thrown
      throw thrown
    }
  }

  /** Leaves out a parent that cannot be read. @returns true when the parents no longer exist, so they have no children */
  async #handle(child: Child, group: readonly Parent[], thrown: Unreadable): Promise<boolean> {
    const { entity } = child
    const [parent] = group
    const error = await this.#findError(entity, group.map(({ key }) => key).join(), thrown)
    if (error === undefined) {
      for (const { key } of group) this.#forgetParent(child, key)
      return true
    }
    this.#unread.pace(entity).failed()
    this.#setBelow(child.id, undefined) // the position itself may be what is refused
    if (error.code === 'upstream_unsupported') this.#unread.skip(entity, error)
    else if (group.length === 1 && parent !== undefined) this.#unread.note(entity, { ...parent, error })
    return false
  }

  /**
   * Finds the error of a list that could not be read. A vendor who asks to wait, or cannot be reached, ends the attempt; when the same list
   * meets that again, it is the list that fails.
   * @param id which list
   * @returns undefined when its parent no longer exists
   * @throws what concerns the run
   */
  async #findError(entity: string, id: string, thrown: unknown): Promise<FerruleError | undefined> {
    if (!(thrown instanceof Unreadable)) throw thrown
    const { error } = thrown
    if (error.code === 'record_not_found' || error.code === 'private_call') return undefined
    if (errorConsequences[error.code].syncRun !== 'wait') return error
    const waited = `${entity} ${id}`
    if (this.#walking.progress.waited === waited) return error
    this.#walking.progress = { ...this.#walking.progress, waited }
    await this.#writer.commit()
    throw error
  }

  async *#retryEntity(planned: Child | Nested, tries: number): Sliced {
    this.#unread.renewPace(planned.entity)
    const isOwn = ({ key }: UnreadUnit): boolean => !('parent' in planned) || !planned.isShared || key.startsWith(`${planned.parent}\0`)
    const due = () => this.#unread.of(planned.entity).units.filter((unit) => isOwn(unit) && unit.tries < tries)
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const units = due().toSorted((one, other) => one.tries - other.tries)
      // What was passed over is asked for as long as something else is read.
      if (units.length === 0 || this.#unread.of(planned.entity).units.length >= before) return
      before = this.#unread.of(planned.entity).units.length
      yield* this.#retryUnits(planned, units)
    }
  }

  async *#retryUnits(planned: Child | Nested, units: readonly UnreadUnit[]): Sliced {
    const size = 'parent' in planned ? (planned.batch ?? 1) : 1
    for (const group of splitInto(units, size)) {
      const [unit] = group
      if (unit === undefined) continue
      if (!('parent' in planned)) yield* this.#retryNested(planned, unit)
      else if (unit.window === undefined) yield* this.#readGroup(planned, group)
      else yield* this.#retryWindow(planned, unit, unit.window)
      yield* this.#writer.endSliceIfDue()
    }
  }

  /** Asks again for a window of days. */
  async *#retryWindow(child: Child, parent: Parent, window: DayWindow): Sliced {
    if (this.#unread.pace(child.entity).isOver()) return
    try {
      yield* this.#readWindow({ child, parent, params: buildParams(child, [parent]), isReached: true, failed: 0 }, window)
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown
      this.#unread.forget(child.entity, parent.key) // the parent no longer exists
    }
  }

  /** Asks again for the own list of a record, and for what is below its records. */
  async *#retryNested(nested: Nested, unit: UnreadUnit): Sliced {
    if (this.#unread.pace(nested.entity).isOver()) return
    const params = buildParams({ ...nested, batch: undefined }, [unit])
    const whole = { since: this.#writer.commits, asked: this.#walking.task.clock() }
    const met: Met[] = []
    try {
      for await (const { rows, asked } of this.#list(nested.entity, params)) {
        const own = this.dropGone(
          nested,
          rows.map((record) => ({ record, params, parent: unit.record })),
          asked,
        )
        met.push(...own)
        this.#writer.add(nested, own, asked)
      }
    } catch (thrown) {
      await this.leaveOut(nested, unit, thrown)
      return
    }
    this.markRead(nested, unit)
    this.#writer.addComplete(nested, [unit.record], whole)
    for (const child of this.#walking.tree.children) {
      if (child.parent !== nested.entity || !isTaken(this.#walking, child)) continue
      for (const group of splitInto(this.#listParents(child, met), child.batch ?? 1)) {
        yield* this.#readGroup(child, group)
        yield* this.#writer.endSliceIfDue()
      }
    }
  }

  #list(entity: string, params: Params) {
    return readList(this.#walking, { entity, params, called: () => this.#writer.countCall() })
  }

  /** Reads the pages of a list. The list of a child with children continues at the page where an interrupted walk stopped. */
  async *#readPages(child: Child, params: Params, group: readonly Parent[], marked?: MarkedList): Sliced {
    const list = digestTexts([child.entity, writeJson(params)])
    const known = this.#at.below?.[child.id]
    const from = known?.list === list ? known.at : params
    // The pages before are in an earlier transaction, so the next one does not have all records of the parent.
    if (from !== params) await this.#writer.commit()
    for (let next: Params | null | undefined = from; next; ) {
      const pages = this.#list(child.entity, next)
      next = undefined
      for await (const page of pages) {
        const { rows, moved } = marked?.take(page, this.#walking.task.clock()) ?? { rows: page.rows }
        const met = rows.map((record) => ({ record, params, parent: findParent(child, group, record) }))
        const version = this.#version ?? page.asked
        const alive = this.dropGone(child, met, version)
        this.#writer.add(child, alive, version)
        yield* this.#readBelow(child, alive, { list, at: page.at })
        yield* this.#writer.endSliceIfDue()
        next = moved
        if (moved !== undefined) break
      }
    }
    this.#setBelow(child.id, undefined)
  }

  /** Reads the lists of the records of a child's page. */
  async *#readBelow({ entity, id }: Child, met: readonly Met[], { list, at }: Omit<BelowPosition, 'after'>): Sliced {
    for (const child of this.#walking.tree.children) {
      if (child.parent !== entity || !isNeeded(this.#walking, child)) continue
      const known = this.#at.below?.[id]
      const after = known?.list === list && writeJson(known.at) === writeJson(at) ? known.after : {}
      const parents = this.#listParents(child, met)
      const done = parents.findIndex(({ key }) => key === after[child.id]) + 1
      for (const group of splitInto(parents.slice(done), child.batch ?? 1)) {
        const open = group.filter((parent) => this.#isDue(child, parent))
        if (open.length > 0) yield* this.#readGroup(child, open)
        this.#setBelow(id, { list, at, after: { ...after, [child.id]: group.at(-1)?.key ?? '' } })
        yield* this.#writer.endSliceIfDue()
      }
    }
  }

  #setBelow(id: string, position: BelowPosition | undefined): void {
    const { below, ...rest } = this.#at
    if (position === undefined && below?.[id] === undefined) return
    const { [id]: _old, ...others } = below ?? {}
    this.#setPosition({ ...rest, below: position === undefined ? others : { ...others, [id]: position } })
  }

  async *#readWindows(reading: ParentWindows): Sliced {
    const { child, parent } = reading
    const { task, states } = this.#walking
    const { windows } = child.sync
    if (windows === undefined) return
    const isWhole = this.#walking.progress.fullWindows.includes(child.entity)
    const through = isWhole ? undefined : states.get(child.entity)?.through?.[parent.key]
    const first = findFirstDay(windows, through, task, task.clock())
    const at = this.#at.windows[child.id]
    const done = at?.parent === parent.key && at.first === first ? at.last : undefined
    reading.isReached = done !== undefined
    for (const window of listWindows(first, windows, task.clock())) {
      if (done !== undefined && window.to <= done) continue
      yield* this.#readWindow(reading, window)
      this.#setPosition({ ...this.#at, windows: { ...this.#at.windows, [child.id]: { parent: parent.key, first, last: window.to } } })
      yield* this.#writer.endSliceIfDue()
    }
    if (!reading.isReached && reading.thrown !== undefined) throw reading.thrown
    // Days read before an interruption were read when the walk began, or later.
    this.#noteThrough(child.entity, parent.key, toDay(this.#walking.progress.startedAt))
  }

  #noteThrough(entity: string, key: string, until: string): void {
    const { progress } = this.#walking
    const own = { ...progress.through[entity], [key]: until }
    this.#walking.progress = { ...progress, through: { ...progress.through, [entity]: own } }
  }

  /**
   * Reads a window of days. One that fails is asked for in halves where that can help, and left out else.
   * @throws Unreadable when the whole parent cannot be read
   */
  async *#readWindow(reading: ParentWindows, window: DayWindow): Sliced {
    const { child, parent, params } = reading
    const { from = '', to = '' } = child.sync.windows ?? {}
    this.#walking.task.signal.throwIfAborted()
    try {
      yield* this.#readPages(child, { ...params, [from]: window.from, [to]: window.to }, [parent])
      reading.isReached = true
      this.markRead(child, { key: parent.key, window })
    } catch (thrown) {
      const error = await this.#findWindowError(reading, window, thrown)
      const halves = errorConsequences[error.code].halves === 'nothing' ? undefined : splitWindow(window)
      if (halves === undefined) this.#unread.note(child.entity, { ...parent, window, error })
      for (const half of halves ?? []) yield* this.#readWindow(reading, half)
    }
  }

  /** Finds the error of a window. @throws Unreadable when the whole parent cannot be read; what concerns the run */
  async #findWindowError(reading: ParentWindows, window: DayWindow, thrown: unknown): Promise<FerruleError> {
    const { child, parent, isReached } = reading
    const error = await this.#findError(child.entity, `${parent.key} ${window.from}`, thrown)
    if (error === undefined) throw thrown
    reading.failed += 1
    reading.thrown = thrown
    const isRefused = isRefusal(error) && errorConsequences[error.code].halves === 'nothing'
    if (!isReached && (isRefused || reading.failed >= mostFailedWindows)) throw thrown
    this.#unread.pace(child.entity).failed()
    return error
  }

  #setPosition(within: PagePosition): void {
    this.#walking.progress = { ...this.#walking.progress, within }
  }
}
