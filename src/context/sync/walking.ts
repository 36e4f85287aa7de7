/** A walk under way: what it is of, and where it stands. */
import type { Planned, Tree } from './plan.ts'
import { type EntityState, type WalkProgress, walkCheckpoint } from './state.ts'
import type { SyncTask } from './types.ts'

/** A walk under way. */
export interface Walking {
  readonly task: SyncTask
  readonly tree: Tree
  readonly stored: readonly Planned[]
  readonly states: ReadonlyMap<string, EntityState>
  /** The latest step. */
  progress: WalkProgress
}

/** An entity of the connector in the store. */
export const placeOf = ({ connector, kind }: SyncTask, { entity }: Pick<Planned, 'entity'>) => ({
  connector,
  kind: kind.definition.kind,
  entity,
})

/** The stored entity that keeps where the walk stands. */
export const holderOf = ({ stored, tree }: Pick<Walking, 'stored' | 'tree'>): Planned => stored[0] ?? tree

/** Keeps where the walk stands; undefined forgets it. */
export async function keepWalk(walking: Walking, progress: WalkProgress | undefined): Promise<void> {
  const { task, tree } = walking
  if (progress !== undefined) walking.progress = progress
  await task.store.keep(placeOf(task, holderOf(walking)), [walkCheckpoint(tree.entity, progress)])
}

/** Whether this walk meets every record of an entity. */
export const isComplete = ({ progress }: Pick<Walking, 'progress'>, { entity, sync }: Planned): boolean =>
  sync.windows === undefined ? progress.full : progress.fullWindows.includes(entity)
