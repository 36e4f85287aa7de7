/** Runs the walks of a sync in slices, so that every entity gets its first records soon (docs/decisions/syncs.md). */
import type { Tree } from './plan.ts'
import { type Lane, Slices } from './slices.ts'
import { type RunContext, type Sliced, Writes } from './state.ts'
import type { SyncTask } from './types.ts'
import { type WalkEnd, walkTree } from './walk.ts'

/** What the caller of a run decides and learns. */
export interface RunHooks {
  /** Called before the first slice of a walk. @returns the maximum age of a complete pass, in milliseconds */
  readonly prepare: (tree: Tree) => Promise<number>
  /** Returns whether a search waits for an entity. */
  readonly isAsked: (entity: string) => boolean
  /** Called after a slice without an error. */
  readonly turned: () => void
  /** Called after a walk. */
  readonly ended: (end: WalkEnd) => Promise<void>
  /** Called with the error of a walk. Throws what ends the run; otherwise the other walks continue. */
  readonly failed: (tree: Tree, thrown: unknown) => Promise<void>
}

const describeLane = ({ isQuick, children, ...tree }: Tree): Lane => ({
  isList: isQuick,
  entities: [tree, ...tree.nested, ...children].filter(({ stored }) => stored).map(({ entity }) => entity),
  sources: Math.max(1, children.length + Number(isQuick)),
})

/** The slices of a run, and what its walks share. */
class SyncRun {
  readonly #task: SyncTask
  readonly #trees: readonly Tree[]
  readonly #hooks: RunHooks
  readonly #slices: Slices
  readonly #context: RunContext
  readonly #open: Map<number, Sliced<WalkEnd>>
  #current = 0
  #calls = 0

  constructor(task: SyncTask, trees: readonly Tree[], hooks: RunHooks) {
    this.#task = {
      ...task,
      ask: (call) => {
        this.#calls += 1
        return task.ask(call)
      },
    }
    this.#trees = trees
    this.#hooks = hooks
    this.#slices = new Slices(trees.map(describeLane))
    const isFirst = () => this.#slices.isFirst(this.#current)
    this.#context = { writes: new Writes(), isAsked: hooks.isAsked, isFirst, sizes: new Map() }
    this.#open = new Map(trees.map((tree, index) => [index, this.#walk(tree)]))
  }

  /** Runs all walks to their ends. Nothing is written afterwards, however it ends. */
  async go(): Promise<void> {
    try {
      for (;;) {
        const index = this.#slices.next([...this.#open.keys()], this.#hooks.isAsked)
        const walk = index === undefined ? undefined : this.#open.get(index)
        if (index === undefined || walk === undefined) return
        await this.#runSlice(index, walk)
      }
    } finally {
      for (const walk of this.#open.values()) await walk.return(noEnd)
      await this.#context.writes.settle()
    }
  }

  async #runSlice(index: number, walk: Sliced<WalkEnd>): Promise<void> {
    const step = await this.#step(index, walk)
    if (step === undefined || step.done !== true) return
    this.#open.delete(index)
    await this.#hooks.ended(step.value)
  }

  /** Resumes a walk for a slice. @returns undefined after an error */
  async #step(index: number, walk: Sliced<WalkEnd>): Promise<IteratorResult<undefined, WalkEnd> | undefined> {
    const before = this.#calls
    this.#current = index
    try {
      const step = await walk.next()
      this.#slices.spend(index, this.#calls - before)
      this.#hooks.turned()
      return step
    } catch (thrown) {
      this.#open.delete(index)
      const tree = this.#trees[index]
      if (tree === undefined) throw thrown
      await this.#hooks.failed(tree, thrown)
      return undefined
    }
  }

  /** Walks a tree. What can be read again and must be filled is walked at once. */
  async *#walk(tree: Tree): Sliced<WalkEnd> {
    const due = { tree, fullEvery: await this.#hooks.prepare(tree) }
    const first = yield* walkTree(this.#task, due, this.#context)
    if (!first.again) return first
    return { ...(yield* walkTree(this.#task, due, this.#context)), startedAt: first.startedAt }
  }
}

const noEnd: WalkEnd = { startedAt: 0, results: [], again: false }

/**
 * Runs walks in slices. Resumes a run that was interrupted by an error, the signal or a kill.
 * @throws what `hooks` throw; the other walks then stop where they are
 */
export const runInSlices = (task: SyncTask, trees: readonly Tree[], hooks: RunHooks): Promise<void> => new SyncRun(task, trees, hooks).go()
