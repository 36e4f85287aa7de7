/** Reads lists that are requested per record, or per batch of records, of a page. */

import { FerruleError } from 'ferrule'
import { walkPages } from 'ferrule/engine'
import { copyJson, errorConsequences, getAt, setAt } from 'ferrule/internal'
import type { BatchWriter } from './batch-writer.ts'
import { digestTexts, type Params } from './page-params.ts'
import type { Child, Taken } from './plan.ts'
import type { Met } from './project.ts'
import type { ChildPosition } from './state.ts'
import { isTaken, noteDoubt, type Walking } from './walking.ts'
import { type DayWindow, findFirstDay, listWindows, splitWindow, toDay } from './windows.ts'

/** Consecutive refusals after which the other parents are skipped. */
const mostRefusals = 3

/** A parent record with the values that its children's requests take. */
interface Parent {
  readonly key: string
  readonly values: readonly unknown[]
  readonly record: unknown
}

/** A child with its parents on a page. */
interface Work {
  readonly child: Child
  readonly parents: readonly Parent[]
}

/** Lists the distinct parents in a fixed order, without records that lack a value. */
function listParents(child: Child, met: readonly Met[]): Parent[] {
  const parents = met.flatMap(({ record }) => {
    const values = child.take.map(({ from }) => getAt(record, from))
    return values.some((value) => value === undefined || value === null) ? [] : [{ key: values.map(String).join('\0'), values, record }]
  })
  const byKey = new Map(parents.map((parent) => [parent.key, parent]))
  return [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
}

const joinValues = ({ joined: how }: Taken, values: readonly unknown[]): unknown =>
  how === 'array' ? values.map(String) : values.map(String).join(',')

/** Builds the parameters of a call for some parents. */
function buildParams(child: Child, group: readonly Parent[]): Record<string, unknown> {
  const params: Record<string, unknown> = copyJson({ ...child.sync.params })
  for (const [index, taken] of child.take.entries()) {
    const values = group.map((parent) => parent.values[index])
    setAt(params, taken.param, child.batch === undefined ? values[0] : joinValues(taken, values))
  }
  return params
}

const splitGroups = (parents: readonly Parent[], size: number): Parent[][] =>
  Array.from({ length: Math.ceil(parents.length / size) }, (_, index) => parents.slice(index * size, (index + 1) * size))

const digestPage = (work: readonly Work[]): string =>
  digestTexts(work.flatMap(({ child, parents }) => [child.entity, ...parents.map(({ key }) => key)]))

/** Reads the children of one page. */
export class Children {
  readonly #walking: Walking
  readonly #writer: BatchWriter
  #refusedInRow = 0

  constructor(walking: Walking, writer: BatchWriter) {
    this.#walking = walking
    this.#writer = writer
  }

  /**
   * Reads the children of a page's records. Resumes where an interrupted walk stopped, if the page is the same.
   * @param met records of the page by entity
   */
  async run(met: (entity: string) => readonly Met[]): Promise<void> {
    const work = this.#walking.tree.children
      .filter((child) => isTaken(this.#walking, child))
      .map((child) => ({ child, parents: listParents(child, met(child.parent)) }))
    if (work.length === 0) return
    const page = digestPage(work)
    const kept = this.#walking.progress.child
    const at = kept?.page === page ? kept : undefined
    if (at?.entity === '') return
    const first = Math.max(
      0,
      work.findIndex(({ child }) => child.entity === at?.entity),
    )
    for (const [index, each] of work.entries()) {
      if (index < first) continue
      await this.#runChild(each, at?.entity === each.child.entity ? at : { page, entity: each.child.entity })
      this.#setPosition({ page, entity: work[index + 1]?.child.entity ?? '' })
    }
  }

  async #runChild({ child, parents }: Work, at: ChildPosition): Promise<void> {
    const { after } = at
    this.#refusedInRow = 0
    this.#setPosition(at)
    for (const group of splitGroups(after === undefined ? parents : parents.filter(({ key }) => key > after), child.batch ?? 1)) {
      await this.#readGroup(child, group)
      this.#setPosition({ page: at.page, entity: child.entity, after: group.at(-1)?.key ?? '' })
      await this.#commitIfDue()
    }
  }

  /** Reads the records of some parents. Splits a refused batch in halves, because one parent can cause the refusal. */
  async #readGroup(child: Child, group: readonly Parent[]): Promise<void> {
    if (this.#walking.progress.flawed[child.entity]?.skipped) return
    this.#walking.task.signal.throwIfAborted()
    const whole = { since: this.#writer.commits, asked: this.#walking.task.clock() }
    try {
      if (await this.#tryRead(child, group)) this.#markReached(child)
      this.#writer.addComplete(
        child,
        group.map(({ record }) => record),
        whole,
      )
    } catch (error) {
      if (!(error instanceof FerruleError)) throw error
      if (group.length === 1 || errorConsequences[error.code].halves !== 'any') return this.#noteRefusal(child, error)
      const middle = Math.ceil(group.length / 2)
      await this.#readGroup(child, group.slice(0, middle))
      await this.#readGroup(child, group.slice(middle))
    }
  }

  /**
   * Reads the records of some parents.
   * @returns false for deleted parents, which have no children
   */
  async #tryRead(child: Child, group: readonly Parent[]): Promise<boolean> {
    try {
      await this.#readParents(child, group)
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
    this.#refusedInRow += 1
    const { code, message } = error
    const skipped = code === 'upstream_unsupported' || this.#refusedInRow >= mostRefusals
    this.#walking.progress = { ...progress, flawed: { ...progress.flawed, [entity]: { code, message, skipped } } }
  }

  #markReached({ entity }: Child): void {
    this.#refusedInRow = 0
    const { progress } = this.#walking
    if (!progress.reached.includes(entity)) this.#walking.progress = { ...progress, reached: [...progress.reached, entity] }
  }

  async #readParents(child: Child, group: readonly Parent[]): Promise<void> {
    const params = buildParams(child, group)
    const [parent] = group
    if (child.sync.windows === undefined || parent === undefined) return this.#readPages(child, params, group)
    await this.#readWindows(child, params, parent)
  }

  async #readPages(child: Child, params: Params, group: readonly Parent[]): Promise<void> {
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
      await this.#commitIfDue()
    }
  }

  async #readWindows(child: Child, params: Params, parent: Parent): Promise<void> {
    const { task, states } = this.#walking
    const { windows } = child.sync
    if (windows === undefined) return
    const isWhole = this.#walking.progress.fullWindows.includes(child.entity)
    const through = isWhole ? undefined : states.get(child.entity)?.through?.[parent.key]
    const fallback: unknown = Reflect.get(task.kind.definition.configuration[windows.first] ?? {}, 'default')
    const configured = String(task.configuration[windows.first] ?? fallback)
    const first = findFirstDay(windows, { configured, through }, task.clock())
    const at = this.#walking.progress.child
    const done = at?.entity === child.entity && at.window?.first === first ? at.window.last : undefined
    for (const window of listWindows(first, windows, task.clock())) {
      if (done !== undefined && window.to <= done) continue
      await this.#readWindow(child, { params, parent, window })
      this.#setPosition({ page: '', ...at, entity: child.entity, window: { first, last: window.to } })
      await this.#commitIfDue()
    }
    this.#markReadThrough(child, parent)
  }

  /** Days read before an interruption were read when the walk began, or later. */
  #markReadThrough({ entity }: Child, { key }: Parent): void {
    const { progress } = this.#walking
    const own = { ...progress.through[entity], [key]: toDay(progress.startedAt) }
    this.#walking.progress = { ...progress, through: { ...progress.through, [entity]: own } }
  }

  async #readWindow(child: Child, given: { params: Params; parent: Parent; window: DayWindow }): Promise<void> {
    const { params, parent, window } = given
    const { from = '', to = '' } = child.sync.windows ?? {}
    this.#walking.task.signal.throwIfAborted()
    try {
      await this.#readPages(child, { ...params, [from]: window.from, [to]: window.to }, [parent])
    } catch (error) {
      const halves = splitWindow(window)
      if (halves === undefined || !(error instanceof FerruleError) || errorConsequences[error.code].halves === 'nothing') throw error
      for (const half of halves) await this.#readWindow(child, { params, parent, window: half })
    }
  }

  #setPosition(child: ChildPosition): void {
    this.#walking.progress = { ...this.#walking.progress, child }
  }

  #countCall(): void {
    this.#writer.countCall()
    const { progress } = this.#walking
    if (progress.confirming === undefined) this.#walking.progress = { ...progress, calls: progress.calls + 1 }
  }

  async #commitIfDue(): Promise<void> {
    if (this.#writer.isDue) await this.#writer.commit()
  }
}

/** Finds the parent of a child's row; in a batch, by the row's key. */
function findParent(child: Child, group: readonly Parent[], row: unknown): unknown {
  if (group.length === 1) return group[0]?.record
  const key = child.definition.key[0] ?? ''
  const value = String(getAt(row, key.split('.')))
  return group.find(({ values }) => String(values[0]) === value)?.record
}
