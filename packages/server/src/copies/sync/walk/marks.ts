/** The list of a parent with a mark of its own: it is read as the list of a root is, by changes since the mark. */
import { findStart } from './begin.ts'
import type { ListPage } from './lists.ts'
import { buildFirstParams, cutKnown, findLatest, findMove, type Params } from './page-params.ts'
import { buildParams } from './parents.ts'
import type { Child, Tree } from './plan.ts'
import type { Parent } from './project.ts'
import type { Walking } from './walking.ts'

/**
 * Maximum number of marks that are kept for each entity, because each step of a walk writes those that it has so far. Further parents are
 * read whole.
 */
export const mostMarks = 2_000

/** What a page of a list means for it. */
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

  /** Key of the parent. */
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
   * counts in place of that of the list, which an interrupted walk may have begun earlier.
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
