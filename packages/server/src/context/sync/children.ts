/** Reads lists that are requested per record, or per batch of records, of a page. */

import { FerruleError } from 'ferrule'
import { walkPages } from 'ferrule/engine'
import { errorConsequences } from 'ferrule/internal'
import type { BatchWriter } from './batch-writer.ts'
import type { Params } from './page-params.ts'
import { buildParams, digestPage, findParent, listParents, type Parent, splitGroups, type Work } from './parents.ts'
import type { Child } from './plan.ts'
import type { Met } from './project.ts'
import { noParents, type PagePosition, type WalkProgress } from './state.ts'
import { Turns } from './turns.ts'
import { type InTurns, isTaken, noteDoubt, type Walking } from './walking.ts'
import { type DayWindow, findFirstDay, listWindows, splitWindow, toDay } from './windows.ts'

/** Consecutive refusals after which the other parents are skipped. */
const mostRefusals = 3

/** Estimates the parents of a child in the whole list; undefined while the length of the list is unknown. */
function estimateParents({ parents: { rows, size, met, done } = noParents }: WalkProgress, entity: string): number | undefined {
  if (size === undefined || rows === 0) return undefined
  const ratio = (met[entity] ?? 0) / rows
  return Math.max(done[entity] ?? 0, Math.round(Math.max(size, rows) * ratio))
}

/** Reads the children of pages, turn by turn. */
export class Children {
  readonly #walking: Walking
  readonly #writer: BatchWriter
  readonly #turns: Turns
  /** Consecutive refusals by child. */
  readonly #refusedInRow = new Map<string, number>()

  constructor(walking: Walking, writer: BatchWriter) {
    this.#walking = walking
    this.#writer = writer
    this.#turns = new Turns(walking.tree.children.map(({ entity }) => ({ isList: false, entities: [entity], sources: 1 })))
  }

  /**
   * Lists the calls of a page, with what they need of its records. A walk that waits for its turn keeps no page.
   * @param met records of the page by entity
   */
  plan(met: (entity: string) => readonly Met[]): readonly Work[] {
    return this.#walking.tree.children
      .filter((child) => isTaken(this.#walking, child))
      .map((child) => {
        const parents = listParents(child, met(child.parent))
        // Ids grow with time: the newest record of the page comes first.
        return { child, parents: this.#walking.tree.sync.after === undefined ? parents : parents.toReversed() }
      })
  }

  /**
   * Reads the children of a page's records. Resumes where an interrupted walk stopped, if the page is the same.
   */
  async *run(work: readonly Work[]): InTurns {
    if (work.length === 0) return
    this.#enter(work)
    const open = new Map(
      work.flatMap((each) => (this.#at.done.includes(each.child.entity) ? [] : [[this.#indexOf(each), this.#runChild(each)]])),
    )
    for (;;) {
      const index = this.#turns.next([...open.keys()], this.#walking.run.isAsked)
      const running = index === undefined ? undefined : open.get(index)
      if (index === undefined || running === undefined) return
      const before = this.#walking.progress.calls
      const { done } = await running.next()
      this.#turns.spend(index, this.#walking.progress.calls - before)
      if (!done) yield
      else open.delete(index)
    }
  }

  #indexOf({ child }: Work): number {
    return this.#walking.tree.children.indexOf(child)
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
    const met = Object.fromEntries(work.map(({ child: { entity }, parents: { length } }) => [entity, (parents.met[entity] ?? 0) + length]))
    this.#walking.progress = { ...this.#walking.progress, parents: { ...parents, met } }
    for (const { child } of work) this.#reportShare(child)
  }

  get #at(): PagePosition {
    return this.#walking.progress.within ?? { page: '', after: {}, done: [], windows: {} }
  }

  async *#runChild({ child, parents }: Work): InTurns {
    const { entity } = child
    const done = parents.findIndex(({ key }) => key === this.#at.after[entity]) + 1
    for (const group of splitGroups(parents.slice(done), child.batch ?? 1)) {
      yield* this.#readGroup(child, group)
      this.#markDone(child, group)
      yield* this.#writer.endTurnIfDue()
    }
    this.#setPosition({ ...this.#at, done: [...this.#at.done, entity] })
  }

  #markDone(child: Child, group: readonly Parent[]): void {
    const { entity } = child
    const { [entity]: _window, ...windows } = this.#at.windows
    this.#setPosition({ ...this.#at, windows, after: { ...this.#at.after, [entity]: group.at(-1)?.key ?? '' } })
    const { parents = noParents } = this.#walking.progress
    const done = (parents.done[entity] ?? 0) + group.length
    this.#walking.progress = { ...this.#walking.progress, parents: { ...parents, done: { ...parents.done, [entity]: done } } }
    this.#reportShare(child)
  }

  #reportShare({ entity }: Child): void {
    const { progress, task } = this.#walking
    task.onShare?.({ entity, done: progress.parents?.done[entity] ?? 0, total: estimateParents(progress, entity) })
  }

  /** Reads the records of some parents. Splits a refused batch in halves, because one parent can cause the refusal. */
  async *#readGroup(child: Child, group: readonly Parent[]): InTurns {
    if (this.#walking.progress.flawed[child.entity]?.skipped) return
    this.#walking.task.signal.throwIfAborted()
    const whole = { since: this.#writer.commits, asked: this.#walking.task.clock() }
    try {
      if (yield* this.#tryRead(child, group)) this.#markReached(child)
      this.#writer.addComplete(
        child,
        group.map(({ record }) => record),
        whole,
      )
    } catch (error) {
      if (!(error instanceof FerruleError)) throw error
      if (group.length === 1 || errorConsequences[error.code].halves !== 'any') return this.#noteRefusal(child, error)
      const middle = Math.ceil(group.length / 2)
      yield* this.#readGroup(child, group.slice(0, middle))
      yield* this.#readGroup(child, group.slice(middle))
    }
  }

  /**
   * Reads the records of some parents.
   * @returns false for deleted parents, which have no children
   */
  async *#tryRead(child: Child, group: readonly Parent[]): InTurns<boolean> {
    try {
      yield* this.#readParents(child, group)
      return true
    } catch (error) {
      if (error instanceof FerruleError && error.code === 'record_not_found') return false
      throw error
    }
  }

  /**
   * Notes a refused parent as a flaw.
   * @throws any other error
   */
  #noteRefusal({ entity }: Child, error: FerruleError): void {
    const { progress } = this.#walking
    if (errorConsequences[error.code].leavesOut === 'nothing') throw error
    const refused = (this.#refusedInRow.get(entity) ?? 0) + 1
    this.#refusedInRow.set(entity, refused)
    const { code, message } = error
    const skipped = code === 'upstream_unsupported' || refused >= mostRefusals
    this.#walking.progress = { ...progress, flawed: { ...progress.flawed, [entity]: { code, message, skipped } } }
  }

  #markReached({ entity }: Child): void {
    this.#refusedInRow.delete(entity)
    const { progress } = this.#walking
    if (!progress.reached.includes(entity)) this.#walking.progress = { ...progress, reached: [...progress.reached, entity] }
  }

  async *#readParents(child: Child, group: readonly Parent[]): InTurns {
    const params = buildParams(child, group)
    const [parent] = group
    if (child.sync.windows === undefined || parent === undefined) yield* this.#readPages(child, params, group)
    else yield* this.#readWindows(child, params, parent)
  }

  async *#readPages(child: Child, params: Params, group: readonly Parent[]): InTurns {
    const { task } = this.#walking
    const load = async (current: Params) => {
      const asked = task.clock()
      this.#countCall()
      const { rows, next, doubt } = await task.ask({ entity: child.entity, action: 'list', params: current })
      noteDoubt(this.#walking, [child.entity], doubt)
      return { data: [...rows], meta: { next_params: next }, asked }
    }
    for await (const { data, asked } of walkPages(load, params, { vendor: task.kind.definition.title })) {
      const met = data.map((record) => ({ record, params, parent: findParent(child, group, record) }))
      this.#writer.add(child, met, asked)
      yield* this.#writer.endTurnIfDue()
    }
  }

  async *#readWindows(child: Child, params: Params, parent: Parent): InTurns {
    const { task, states } = this.#walking
    const { windows } = child.sync
    if (windows === undefined) return
    const isWhole = this.#walking.progress.fullWindows.includes(child.entity)
    const through = isWhole ? undefined : states.get(child.entity)?.through?.[parent.key]
    const fallback: unknown = Reflect.get(task.kind.definition.configuration[windows.first] ?? {}, 'default')
    const configured = String(task.configuration[windows.first] ?? fallback)
    const first = findFirstDay(windows, { configured, through }, task.clock())
    const at = this.#at.windows[child.entity]
    const done = at?.first === first ? at.last : undefined
    for (const window of listWindows(first, windows, task.clock())) {
      if (done !== undefined && window.to <= done) continue
      yield* this.#readWindow(child, { params, parent, window })
      this.#setPosition({ ...this.#at, windows: { ...this.#at.windows, [child.entity]: { first, last: window.to } } })
      yield* this.#writer.endTurnIfDue()
    }
    this.#markReadThrough(child, parent)
  }

  /** Days read before an interruption were read when the walk began, or later. */
  #markReadThrough({ entity }: Child, { key }: Parent): void {
    const { progress } = this.#walking
    const own = { ...progress.through[entity], [key]: toDay(progress.startedAt) }
    this.#walking.progress = { ...progress, through: { ...progress.through, [entity]: own } }
  }

  async *#readWindow(child: Child, given: { params: Params; parent: Parent; window: DayWindow }): InTurns {
    const { params, parent, window } = given
    const { from = '', to = '' } = child.sync.windows ?? {}
    this.#walking.task.signal.throwIfAborted()
    try {
      yield* this.#readPages(child, { ...params, [from]: window.from, [to]: window.to }, [parent])
    } catch (error) {
      const halves = splitWindow(window)
      if (halves === undefined || !(error instanceof FerruleError) || errorConsequences[error.code].halves === 'nothing') throw error
      for (const half of halves) yield* this.#readWindow(child, { params, parent, window: half })
    }
  }

  #setPosition(within: PagePosition): void {
    this.#walking.progress = { ...this.#walking.progress, within }
  }

  #countCall(): void {
    this.#writer.countCall()
    const { progress } = this.#walking
    if (progress.confirming === undefined) this.#walking.progress = { ...progress, calls: progress.calls + 1 }
  }
}
