/** Lists that are asked for per record, or per batch of records, of a page. */
import { walkPages } from '../../engine/pages.ts'
import { copyOf, getAt, setAt } from '../../engine/paths.ts'
import { FerruleError } from '../../errors.ts'
import type { Collector } from './collector.ts'
import { digestOf, type Params } from './pages.ts'
import type { Child, Taken } from './plan.ts'
import type { Met } from './project.ts'
import type { ChildPlace } from './state.ts'
import { isTaken, noteDoubt, type Walking } from './walking.ts'
import { type DayWindow, dayOf, firstDayOf, halvesOf, windowsFrom } from './windows.ts'

/** Parents in a row that may be refused before the rest is not tried any more. */
const mostRefusals = 3

/** A record of the parent with what is taken from it. */
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

const refusals: ReadonlySet<string> = new Set([
  'upstream_permission_denied',
  'upstream_unsupported',
  'upstream_invalid_request',
  'upstream_account_unavailable',
])
/** A window that is too large for the vendor: halves may do. */
const tooLarge: ReadonlySet<string> = new Set([
  'upstream_invalid_request',
  'upstream_result_too_large',
  'result_too_large',
  'upstream_timeout',
])

/** The parents in a fixed order, each once. Records that lack a value are none. */
function parentsOf(child: Child, met: readonly Met[]): Parent[] {
  const parents = met.flatMap(({ record }) => {
    const values = child.take.map(({ from }) => getAt(record, from))
    return values.some((value) => value === undefined || value === null) ? [] : [{ key: values.map(String).join('\0'), values, record }]
  })
  const byKey = new Map(parents.map((parent) => [parent.key, parent]))
  return [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
}

const joined = ({ joined: how }: Taken, values: readonly unknown[]): unknown =>
  how === 'array' ? values.map(String) : values.map(String).join(',')

/** The parameters of a call for some parents. */
function paramsOf(child: Child, group: readonly Parent[]): Record<string, unknown> {
  const params: Record<string, unknown> = copyOf({ ...child.sync.params })
  for (const [index, taken] of child.take.entries()) {
    const values = group.map((parent) => parent.values[index])
    setAt(params, taken.param, child.batch === undefined ? values[0] : joined(taken, values))
  }
  return params
}

const groupsOf = (parents: readonly Parent[], size: number): Parent[][] =>
  Array.from({ length: Math.ceil(parents.length / size) }, (_, index) => parents.slice(index * size, (index + 1) * size))

const pageOf = (work: readonly Work[]): string =>
  digestOf(work.flatMap(({ child, parents }) => [child.entity, ...parents.map(({ key }) => key)]))

/** Asks for the children of one page. */
export class Children {
  readonly #walking: Walking
  readonly #collector: Collector
  #refusedInRow = 0

  constructor(walking: Walking, collector: Collector) {
    this.#walking = walking
    this.#collector = collector
  }

  /**
   * Asks for all that hangs on the records of a page, from where an interrupted walk stood, if the page is the same as then.
   * @param met records of the page by entity
   */
  async run(met: (entity: string) => readonly Met[]): Promise<void> {
    const work = this.#walking.tree.children
      .filter((child) => isTaken(this.#walking, child))
      .map((child) => ({ child, parents: parentsOf(child, met(child.parent)) }))
    if (work.length === 0) return
    const page = pageOf(work)
    const kept = this.#walking.progress.child
    const at = kept?.page === page ? kept : undefined
    if (at?.entity === '') return
    const first = Math.max(
      0,
      work.findIndex(({ child }) => child.entity === at?.entity),
    )
    for (const [index, each] of work.entries()) {
      if (index < first) continue
      await this.#each(each, at?.entity === each.child.entity ? at : { page, entity: each.child.entity })
      this.#stand({ page, entity: work[index + 1]?.child.entity ?? '' })
    }
  }

  async #each({ child, parents }: Work, at: ChildPlace): Promise<void> {
    const { after } = at
    this.#refusedInRow = 0
    this.#stand(at)
    for (const group of groupsOf(after === undefined ? parents : parents.filter(({ key }) => key > after), child.batch ?? 1)) {
      await this.#group(child, group)
      this.#stand({ page: at.page, entity: child.entity, after: group.at(-1)?.key ?? '' })
      await this.#commitIfDue()
    }
  }

  /** The records of some parents. A batch that the vendor refuses is asked for in halves: one parent can spoil it. */
  async #group(child: Child, group: readonly Parent[]): Promise<void> {
    if (this.#walking.progress.flawed[child.entity]?.skipped) return
    this.#walking.task.signal.throwIfAborted()
    const whole = { since: this.#collector.commits, asked: this.#walking.task.clock() }
    try {
      if (await this.#areThere(child, group)) this.#reached(child)
      this.#collector.whole(
        child,
        group.map(({ record }) => record),
        whole,
      )
    } catch (error) {
      if (!(error instanceof FerruleError)) throw error
      if (group.length === 1 || error.code !== 'upstream_invalid_request') return this.#refusal(child, error)
      const middle = Math.ceil(group.length / 2)
      await this.#group(child, group.slice(0, middle))
      await this.#group(child, group.slice(middle))
    }
  }

  /** Reads the records of some parents. @returns false for parents that are gone by now: they have no children */
  async #areThere(child: Child, group: readonly Parent[]): Promise<boolean> {
    try {
      await this.#one(child, group)
      return true
    } catch (error) {
      if (error instanceof FerruleError && error.code === 'record_not_found') return false
      throw error
    }
  }

  /** Keeps a parent that cannot be read as a flaw. @throws the error otherwise */
  #refusal({ entity }: Child, error: FerruleError): void {
    const { progress } = this.#walking
    if (!refusals.has(error.code)) throw error
    this.#refusedInRow += 1
    const { code, message } = error
    const skipped = code === 'upstream_unsupported' || this.#refusedInRow >= mostRefusals
    this.#walking.progress = { ...progress, flawed: { ...progress.flawed, [entity]: { code, message, skipped } } }
  }

  #reached({ entity }: Child): void {
    this.#refusedInRow = 0
    const { progress } = this.#walking
    if (!progress.reached.includes(entity)) this.#walking.progress = { ...progress, reached: [...progress.reached, entity] }
  }

  async #one(child: Child, group: readonly Parent[]): Promise<void> {
    const params = paramsOf(child, group)
    const [parent] = group
    if (child.sync.windows === undefined || parent === undefined) return this.#pages(child, params, group)
    await this.#windows(child, params, parent)
  }

  async #pages(child: Child, params: Params, group: readonly Parent[]): Promise<void> {
    const { task } = this.#walking
    const load = async (current: Params) => {
      const asked = task.clock()
      this.#called()
      const { rows, next, doubt } = await task.ask({ entity: child.entity, action: 'list', params: current })
      noteDoubt(this.#walking, [child.entity], doubt)
      return { data: [...rows], meta: { next_params: next }, asked }
    }
    for await (const { data, asked } of walkPages(load, params, { vendor: task.kind.definition.title })) {
      const met = data.map((record) => ({ record, params, parent: parentFor(child, group, record) }))
      this.#collector.take(child, met, asked)
      await this.#commitIfDue()
    }
  }

  async #windows(child: Child, params: Params, parent: Parent): Promise<void> {
    const { task, states } = this.#walking
    const { windows } = child.sync
    if (windows === undefined) return
    const isWhole = this.#walking.progress.fullWindows.includes(child.entity)
    const through = isWhole ? undefined : states.get(child.entity)?.through?.[parent.key]
    const fallback: unknown = Reflect.get(task.kind.definition.configuration[windows.first] ?? {}, 'default')
    const configured = String(task.configuration[windows.first] ?? fallback)
    const first = firstDayOf(windows, { configured, through }, task.clock())
    const at = this.#walking.progress.child
    const done = at?.entity === child.entity && at.window?.first === first ? at.window.last : undefined
    for (const window of windowsFrom(first, windows, task.clock())) {
      if (done !== undefined && window.to <= done) continue
      await this.#window(child, { params, parent, window })
      this.#stand({ page: '', ...at, entity: child.entity, window: { first, last: window.to } })
      await this.#commitIfDue()
    }
    this.#readThrough(child, parent)
  }

  /** Days that were read before an interruption were read when the walk began, or later. */
  #readThrough({ entity }: Child, { key }: Parent): void {
    const { progress } = this.#walking
    const own = { ...progress.through[entity], [key]: dayOf(progress.startedAt) }
    this.#walking.progress = { ...progress, through: { ...progress.through, [entity]: own } }
  }

  async #window(child: Child, given: { params: Params; parent: Parent; window: DayWindow }): Promise<void> {
    const { params, parent, window } = given
    const { from = '', to = '' } = child.sync.windows ?? {}
    this.#walking.task.signal.throwIfAborted()
    try {
      await this.#pages(child, { ...params, [from]: window.from, [to]: window.to }, [parent])
    } catch (error) {
      const halves = halvesOf(window)
      if (halves === undefined || !(error instanceof FerruleError) || !tooLarge.has(error.code)) throw error
      for (const half of halves) await this.#window(child, { params, parent, window: half })
    }
  }

  #stand(child: ChildPlace): void {
    this.#walking.progress = { ...this.#walking.progress, child }
  }

  #called(): void {
    this.#collector.called()
    const { progress } = this.#walking
    if (progress.confirming === undefined) this.#walking.progress = { ...progress, calls: progress.calls + 1 }
  }

  async #commitIfDue(): Promise<void> {
    if (this.#collector.isDue) await this.#collector.commit()
  }
}

/** The record that a child's row belongs to: in a batch, the one whose value is the row's key. */
function parentFor(child: Child, group: readonly Parent[], row: unknown): unknown {
  if (group.length === 1) return group[0]?.record
  const key = child.definition.key[0] ?? ''
  const value = String(getAt(row, key.split('.')))
  return group.find(({ values }) => String(values[0]) === value)?.record
}
