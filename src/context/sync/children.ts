/** Lists that are asked for per record, or per batch of records, of a page. */
import { walkPages } from '../../engine/pages.ts'
import { copyOf, getAt, setAt } from '../../engine/paths.ts'
import { FerruleError } from '../../errors.ts'
import type { Collector } from './collector.ts'
import type { Child, Taken } from './plan.ts'
import type { Met } from './project.ts'
import { keepWalk, type Walking } from './walking.ts'
import { type DayWindow, dayOf, daysAfter, halvesOf, windowsFrom } from './windows.ts'

/** Calls after which what was gathered is written and the place is kept. */
const callsPerStep = 25
/** Parents in a row that may be refused before the rest is not tried any more. */
const mostRefusals = 3

/** A record of the parent with what is taken from it. */
interface Parent {
  readonly key: string
  readonly values: readonly unknown[]
  readonly record: unknown
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

/** Asks for the children of one page. */
export class Children {
  readonly #walking: Walking
  readonly #collector: Collector
  #calls = 0

  constructor(walking: Walking, collector: Collector) {
    this.#walking = walking
    this.#collector = collector
  }

  /** @param met records of the page by entity */
  async run(met: (entity: string) => readonly Met[]): Promise<void> {
    const { children } = this.#walking.tree
    const resumed = children.findIndex(({ entity }) => entity === this.#walking.progress.child?.entity)
    for (const child of children.slice(Math.max(0, resumed))) {
      const { child: at } = this.#walking.progress
      const after = at?.entity === child.entity ? at.after : undefined
      const parents = parentsOf(child, met(child.parent)).filter(({ key }) => after === undefined || key > after)
      await this.#each(child, parents)
      await this.#step({ entity: child.entity, after: '\u{10ffff}' })
    }
  }

  async #each(child: Child, parents: readonly Parent[]): Promise<void> {
    let refused = 0
    for (const group of groupsOf(parents, child.batch ?? 1)) {
      if (this.#walking.progress.flawed[child.entity]?.skipped) return
      this.#walking.task.signal.throwIfAborted()
      const isRefused = await this.#one(child, group).then(
        () => false,
        (error: unknown) => this.#refusal(child, error, refused + 1),
      )
      refused = isRefused ? refused + 1 : 0
      const last = group.at(-1)?.key ?? ''
      this.#walking.progress = { ...this.#walking.progress, child: { entity: child.entity, after: last } }
      if (this.#calls >= callsPerStep) await this.#step({ entity: child.entity, after: last })
    }
  }

  /** Keeps a parent that cannot be read as a flaw. A parent that is gone has no children: that is none. @throws the error otherwise */
  #refusal(child: Child, error: unknown, refused: number): boolean {
    const walking = this.#walking
    if (!(error instanceof FerruleError)) throw error
    if (error.code === 'record_not_found') return false
    if (!refusals.has(error.code)) throw error
    const { code, message } = error
    const skipped = code === 'upstream_unsupported' || refused >= mostRefusals
    walking.progress = { ...walking.progress, flawed: { ...walking.progress.flawed, [child.entity]: { code, message, skipped } } }
    return true
  }

  async #one(child: Child, group: readonly Parent[]): Promise<void> {
    const params = paramsOf(child, group)
    const [parent] = group
    if (child.sync.windows === undefined || parent === undefined) return this.#pages(child, params, group)
    await this.#windows(child, params, parent)
  }

  async #pages(child: Child, params: Readonly<Record<string, unknown>>, group: readonly Parent[]): Promise<void> {
    const { task } = this.#walking
    const load = async (current: Readonly<Record<string, unknown>>) => {
      const asked = task.clock()
      const { rows, next } = await task.ask({ entity: child.entity, action: 'list', params: current })
      this.#calls += 1
      return { data: [...rows], meta: { next_params: next }, asked }
    }
    for await (const { data, asked } of walkPages(load, params, { vendor: task.kind.definition.title })) {
      const met = data.map((record) => ({ record, params, parent: parentFor(child, group, record) }))
      await this.#collector.take(child, met, asked)
    }
  }

  async #windows(child: Child, params: Readonly<Record<string, unknown>>, parent: Parent): Promise<void> {
    const { task, states } = this.#walking
    const { windows } = child.sync
    if (windows === undefined) return
    const through = this.#walking.progress.fullWindows.includes(child.entity) ? undefined : states.get(child.entity)?.through?.[parent.key]
    const configured = String(
      task.configuration[windows.first] ?? Reflect.get(task.kind.definition.configuration[windows.first] ?? {}, 'default'),
    )
    const known = through === undefined ? configured : daysAfter(through, -windows.lookback)
    const { child: at } = this.#walking.progress
    const done = at?.entity === child.entity ? at.window : undefined
    const today = dayOf(task.clock())
    for (const window of windowsFrom(known < configured ? configured : known, windows, task.clock())) {
      if (done !== undefined && window.to <= done) continue
      await this.#window(child, { params, parent, window })
      this.#walking.progress = { ...this.#walking.progress, child: { ...at, entity: child.entity, window: window.to } }
      if (this.#calls >= callsPerStep) await this.#step({ ...at, entity: child.entity, window: window.to })
    }
    const { progress } = this.#walking
    const own = { ...progress.through[child.entity], [parent.key]: today }
    this.#walking.progress = { ...progress, through: { ...progress.through, [child.entity]: own } }
  }

  async #window(child: Child, given: { params: Readonly<Record<string, unknown>>; parent: Parent; window: DayWindow }): Promise<void> {
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

  /** Writes what was gathered, then keeps the place. */
  async #step(child: NonNullable<Walking['progress']['child']>): Promise<void> {
    this.#calls = 0
    await this.#collector.flush()
    await keepWalk(this.#walking, { ...this.#walking.progress, child })
  }
}

/** The record that a child's row belongs to: in a batch, the one whose value is the row's key. */
function parentFor(child: Child, group: readonly Parent[], row: unknown): unknown {
  if (group.length === 1) return group[0]?.record
  const key = child.definition.key[0] ?? ''
  const value = String(getAt(row, key.split('.')))
  return group.find(({ values }) => String(values[0]) === value)?.record
}
