/**
 * Reads the pages of a list that is requested for a record, and records that lie within the records of a page. A list with a
 * mark of its own is read as the list of a root is, by changes since the mark.
 */
import { FerruleError } from 'ferrule'
import { walkPages } from 'ferrule/engine'
import { asFerruleError, copyJson, errorConsequences, errorTable, getAt, setAt } from 'ferrule/internal'
import { findStart } from './begin.ts'
import { buildFirstParams, cutKnown, findLatest, findMove, type Params } from './page-params.ts'
import { buildParams } from './parents.ts'
import type { Child, Nested, Tree } from './plan.ts'
import type { Met, Parent } from './records.ts'
import { isNeeded, noteDoubt, type Walking } from './state.ts'
import type { Answered } from './types.ts'

/** Maximum number of times that a walk asks for a list that fails. */
export const mostTries = 2

/**
 * Maximum number of marks that are kept for each entity, because each step of a walk writes those that it has so far. Further parents are
 * read whole.
 */
export const mostMarks = 2_000

interface TakenPage {
  /** The records that the copy is not known to have. */
  readonly rows: readonly unknown[]
  /** Where the list continues: with these parameters, nowhere (null), or at its next page (undefined). */
  readonly moved: Params | null | undefined
}

/** Reads the list of a parent from its mark on; as a whole without one, or when the walk reads all of the entity. */
export class MarkedList {
  readonly #child: Child
  readonly #parent: Parent
  #root: Pick<Walking, 'task' | 'tree' | 'progress'>
  /** True when the list goes back to what the copy has. A list from its newest records may end before that. */
  #isKnown = true
  #isDoubtful = false

  constructor({ task, progress, states }: Walking, child: Child, parent: Parent) {
    this.#child = child
    this.#parent = parent
    const known = progress.through[child.entity]?.[parent.key] ?? states.get(child.entity)?.through?.[parent.key]
    const mark = progress.fullWindows.includes(child.entity) ? undefined : known
    const { since: _since, latest: _latest, token: _token, moved: _moved, value: _value, ...rest } = progress
    const start = findStart(child, mark === undefined ? {} : { latest: mark }, progress.startedAt)
    const tree: Tree = { ...child, action: 'list', isQuick: true, nested: [], children: [] }
    this.#root = { task, tree, progress: { ...rest, ...start, full: start === undefined } }
  }

  get key(): string {
    return this.#parent.key
  }

  /** True when the list is read whole: only then a record that it lacks no longer exists. */
  get isWhole(): boolean {
    return this.#root.progress.full
  }

  /** Parameters of the first page, or of the page with which a sorted list continues. */
  get params(): Params {
    return buildParams(this.#child, [this.#parent], buildFirstParams(this.#root))
  }

  /**
   * The time of the vendor up to which the list was read; undefined when nothing shows it, and the old one stays. The begin of the walk
   * counts instead of that of the list, which an interrupted walk may have begun earlier.
   */
  get mark(): string | undefined {
    return this.#isKnown && !this.#isDoubtful ? this.#root.progress.latest : undefined
  }

  /** Takes a page. @param answered when it arrived, in milliseconds since 1970 */
  take({ rows, isLast, doubt }: Pick<ListPage, 'rows' | 'isLast' | 'doubt'>, answered: number): TakenPage {
    const latest = findLatest(this.#root, { rows, answered })
    const moved = findMove(rows, this.#root)
    const cut = cutKnown(rows, this.#root)
    this.#isKnown = cut.isKnown
    this.#isDoubtful ||= doubt !== undefined
    const { progress } = this.#root
    const known = { ...(latest === undefined ? {} : { latest }), ...(moved === undefined ? {} : { moved }) }
    this.#root = { ...this.#root, progress: { ...progress, ...known } }
    return { rows: cut.rows, moved: cut.cameBack || isLast ? null : moved === undefined ? undefined : this.params }
  }
}

/** Maximum number of restarts because the vendor's positions expired. */
export const mostRestarts = 3

/** A list that the vendor did not answer. Errors of the store are thrown as they are. */
export class Unreadable extends Error {
  readonly error: FerruleError

  constructor(error: FerruleError) {
    super(error.message, { cause: error })
    this.error = error
  }
}

/** A page of a list. */
export interface ListPage {
  readonly rows: readonly unknown[]
  /** When it was requested, in milliseconds since 1970. */
  readonly asked: number
  /** Parameters of its request. */
  readonly at: Params
  /** True when no page follows. */
  readonly isLast: boolean
  /** Says that the answer may lack records. */
  readonly doubt: Answered['doubt']
}

/** Returns whether every other call would fail too, or the service itself is at fault. */
export function concernsRun({ code }: FerruleError): boolean {
  const { syncRun, leavesOut } = errorConsequences[code]
  if (syncRun === 'wait') return errorTable[code].fault === 'service'
  return syncRun === 'cancel' || (syncRun === 'end' && leavesOut === 'nothing')
}

/** Returns whether a call was refused for its position: by the vendor, or because the key that signs positions is another one by now. */
export const isPositionRefused = (thrown: unknown): boolean =>
  thrown instanceof FerruleError &&
  (thrown.code === 'invalid_cursor' ||
    (thrown.code === 'invalid_parameter' && thrown.errors.some(({ error_code }) => error_code === 'position')))

/** Converts what a call threw to what its walk does about it. */
function toThrown({ task }: Walking, thrown: unknown): unknown {
  if (task.signal.aborted) return thrown
  const error = asFerruleError(thrown)
  return concernsRun(error) ? thrown : new Unreadable(error)
}

/**
 * Yields the pages of a list. A refused position begins the list again, as it does for the list of a root.
 * @param called called before every call
 * @throws Unreadable for an error of this list; any other error concerns the run
 */
export async function* readList(
  walking: Walking,
  { entity, params, called }: { readonly entity: string; readonly params: Params; called(): void },
): AsyncGenerator<ListPage, void, undefined> {
  const { task } = walking
  for (let restarts = 0; ; restarts += 1) {
    let pages = 0
    const load = async (current: Params) => {
      task.signal.throwIfAborted()
      const asked = task.clock()
      called()
      const { rows, next, doubt } = await task.ask({ entity, action: 'list', params: current })
      noteDoubt(walking, [entity], doubt)
      pages += 1
      return { data: [...rows], meta: { next_params: next }, asked, at: current, doubt }
    }
    try {
      for await (const { data, meta, asked, at, doubt } of walkPages(load, params, { vendor: task.kind.definition.title }))
        yield { rows: data, asked, at, isLast: meta.next_params === null, doubt }
      return
    } catch (thrown) {
      const hasExpired = isPositionRefused(thrown) && pages > 0
      if (!hasExpired || restarts >= mostRestarts) throw toThrown(walking, thrown)
    }
  }
}

interface RootPage {
  readonly rows: readonly unknown[]
  readonly params: Params
  /** Called before every call. */
  called(): void
  /** Returns whether to ask for the own list of a record. */
  isOpen(parent: unknown): boolean
  /** Called with what reading the list of a record threw. Throws what concerns the walk. @returns false when the record no longer exists */
  unread(parent: unknown, thrown: unknown): Promise<boolean>
  /** Called when the list of a record was read. */
  read(parent: unknown): void
}

function buildOwnParams({ sync, take }: Nested, parent: unknown): Record<string, unknown> {
  const params: Record<string, unknown> = copyJson({ ...sync.params })
  for (const { param, from } of take) setAt(params, param, getAt(parent, from))
  return params
}

/** Returns the records that a record shows, and whether these may be only some. */
function readShown({ at, most }: Nested, parent: unknown): { readonly shown: readonly unknown[]; readonly isAll: boolean } {
  const found = getAt(parent, at)
  const shown: readonly unknown[] = Array.isArray(found) ? found : []
  return { shown, isAll: shown.length < most }
}

/** Reads the records of an entity within a page's records. Where the vendor may show only some, reads their own list. */
export async function readNested(walking: Walking, nested: Nested, page: RootPage): Promise<readonly Met[]> {
  if (!isNeeded(walking, nested)) return []
  const met: Met[] = []
  for (const parent of page.rows) {
    const { shown, isAll } = readShown(nested, parent)
    const params = isAll ? page.params : buildOwnParams(nested, parent)
    const records = isAll ? shown : await readOwn(walking, nested, { page, parent, params, shown })
    for (const record of records) met.push({ record, params, parent })
  }
  return met
}

/** Reads the own list of a record; what the record shows where that fails. */
async function readOwn(
  walking: Walking,
  { entity }: Nested,
  { page, parent, params, shown }: { page: RootPage; parent: unknown; params: Params; shown: readonly unknown[] },
): Promise<readonly unknown[]> {
  if (!page.isOpen(parent)) return shown
  const records: unknown[] = []
  try {
    for await (const { rows } of readList(walking, { entity, params, called: page.called })) records.push(...rows)
  } catch (thrown) {
    return (await page.unread(parent, thrown)) ? shown : []
  }
  page.read(parent)
  return records
}
