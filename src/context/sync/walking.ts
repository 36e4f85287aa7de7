/** A walk under way: what it is of, and where it stands. */
import type { Span } from '../store/types.ts'
import type { Planned, Tree } from './plan.ts'
import { type EntityState, type Flaw, type WalkProgress, walkCheckpoint } from './state.ts'
import type { Answered, SyncTask } from './types.ts'

/** A walk under way. */
export interface Walking {
  readonly task: SyncTask
  readonly tree: Tree
  readonly stored: readonly Planned[]
  /** As they were when this run took the walk up. */
  readonly states: ReadonlyMap<string, EntityState>
  /** The latest step; it is kept now and then. */
  progress: WalkProgress
}

const hour = 3_600_000
const day = 24 * hour

/** An entity of the connector in the store. */
export const placeOf = ({ connector, kind }: SyncTask, { entity }: Pick<Planned, 'entity'>) => ({
  connector,
  kind: kind.definition.kind,
  entity,
})

/** The stored entity that keeps where the walk stands. */
export const holderOf = ({ stored, tree }: Pick<Walking, 'stored' | 'tree'>): Planned => stored[0] ?? tree

/** Where the walk stands, as a checkpoint of its holder; undefined forgets it. */
export const checkpointOf = ({ tree }: Pick<Walking, 'tree'>, progress: WalkProgress | undefined) => walkCheckpoint(tree.entity, progress)

/** Keeps where the walk stands; undefined forgets it. */
export async function keepWalk(walking: Walking, progress: WalkProgress | undefined): Promise<void> {
  if (progress !== undefined) walking.progress = progress
  await walking.task.store.keep(placeOf(walking.task, holderOf(walking)), [checkpointOf(walking, progress)])
}

/** An answer of which it is not known whether it is whole: what hangs on it may lack a part, and nothing of it is removed. */
export function noteDoubt(walking: Walking, entities: readonly string[], message: Answered['doubt']): void {
  if (message === undefined) return
  const flaw: Flaw = { code: 'upstream_answer_invalid', message, skipped: false }
  const { flawed } = walking.progress
  walking.progress = { ...walking.progress, flawed: { ...Object.fromEntries(entities.map((entity) => [entity, flaw])), ...flawed } }
}

/** Whether this walk meets every record of an entity. */
export const isComplete = ({ progress }: Pick<Walking, 'progress'>, { entity, sync }: Planned): boolean =>
  sync.windows === undefined ? progress.full : progress.fullWindows.includes(entity)

/** Whether records of an entity are taken: in a second walk only those that are in doubt. */
export const isTaken = ({ progress: { confirming } }: Pick<Walking, 'progress'>, { entity, stored }: Planned): boolean =>
  stored && (confirming === undefined || confirming.includes(entity))

/** When the window of a walk ends, where the vendor needs to be told. */
export const endOf = ({ startedAt }: Pick<WalkProgress, 'startedAt'>): number => startedAt + day

/**
 * What of an entity this walk meets whole, so that what it does not meet there is gone: everything, the records of a span of time, or
 * nothing (undefined).
 *
 * The span is an hour shorter than what is asked for: a vendor may compare another moment than the record tells. Gong filters by the
 * scheduled start and tells the actual one, which lies up to ten minutes beside it.
 */
export function reachOf({ tree, progress }: Pick<Walking, 'tree' | 'progress'>, planned: Planned): 'all' | Span | undefined {
  if (isComplete({ progress }, planned)) return 'all'
  const { moment: field } = planned
  const { since } = progress
  if (field === undefined || since === undefined) return undefined
  const before = tree.sync.since?.until === undefined ? {} : { before: new Date(endOf(progress) - hour).toISOString() }
  return { field, from: new Date(Date.parse(since) + hour).toISOString(), ...before }
}
