/** A running walk: its tree and its progress. */
import type { EntityRef } from '../../entity-ref.ts'
import type { Span } from '../../store/types.ts'
import type { Planned, Tree } from './plan.ts'
import { type EntityState, type Flaw, toWalkCheckpoint, type WalkProgress } from './state.ts'
import type { Answered, SyncTask } from './types.ts'

/** A walk that yields where its slice ends: what it collected is being written, and its progress is consistent. */
export type Sliced<T = void> = AsyncGenerator<undefined, T, undefined>

/** The running write of a run: its walks write one after another, whichever of them has the slice. */
export class Writes {
  #running: Promise<void> = Promise.resolve()

  /** Waits for the running write. Ignores its error, which belongs to its walk. */
  async settle(): Promise<void> {
    await this.#running
  }

  /** Notes a write as the running one. */
  note(write: Promise<void>): void {
    this.#running = write.catch(() => undefined)
  }
}

/** What the walks of a run share. */
export interface RunContext {
  readonly writes: Writes
  /** Returns whether a search waits for an entity. */
  readonly isAsked: (entity: string) => boolean
  /** Returns whether the current slice is one of the first of its walk, which are short. */
  readonly isFirst: () => boolean
  /** Estimated number of records by root, from the walks that looked for its end. */
  readonly sizes: Map<string, number>
}

/** A running walk. */
export interface Walking {
  readonly run: RunContext
  readonly task: SyncTask
  readonly tree: Tree
  readonly stored: readonly Planned[]
  /** States when this run started or resumed the walk. */
  readonly states: ReadonlyMap<string, EntityState>
  /** The latest step; saved from time to time. */
  progress: WalkProgress
}

const hour = 3_600_000
const day = 24 * hour

/** Returns the reference to an entity of the connector. */
export const toEntityRef = ({ connector, kind, own }: SyncTask, { entity }: Pick<Planned, 'entity'>): EntityRef => ({
  connector,
  kind: kind.definition.kind,
  entity,
  own,
})

/** Finds the stored entity that holds the walk's progress. */
export const findHolder = ({ stored, tree }: Pick<Walking, 'stored' | 'tree'>): Planned => stored[0] ?? tree

/** Builds the checkpoint of the progress; undefined deletes it. */
export const buildWalkCheckpoint = ({ tree }: Pick<Walking, 'tree'>, progress: WalkProgress | undefined) =>
  toWalkCheckpoint(tree.entity, progress)

/** Saves the progress; undefined deletes it. */
export async function saveWalk(walking: Walking, progress: WalkProgress | undefined): Promise<void> {
  if (progress !== undefined) walking.progress = progress
  await walking.task.store.saveCheckpoints(toEntityRef(walking.task, findHolder(walking)), [buildWalkCheckpoint(walking, progress)])
}

/** Notes a possibly incomplete answer: nothing is deleted of the entities that depend on it. */
export function noteDoubt(walking: Walking, entities: readonly string[], message: Answered['doubt']): void {
  if (message === undefined) return
  const flaw: Flaw = { code: 'upstream_answer_invalid', message, skipped: false }
  const { flawed } = walking.progress
  walking.progress = { ...walking.progress, flawed: { ...Object.fromEntries(entities.map((entity) => [entity, flaw])), ...flawed } }
}

/** Returns whether this walk meets every record that an entity hangs on. */
export const meetsParents = ({ progress: { full, fullWindows } }: Pick<Walking, 'progress'>, { entity, marked }: Planned): boolean =>
  full && marked.every((each) => each === entity || fullWindows.includes(each))

/** Returns whether this walk reads every record of an entity. */
export const isComplete = ({ progress: { full, fullWindows } }: Pick<Walking, 'progress'>, { entity, sync, marked }: Planned): boolean =>
  sync.windows === undefined ? full && marked.every((each) => fullWindows.includes(each)) : fullWindows.includes(entity)

/** Returns whether the walk takes records of an entity. A second walk takes only doubtful entities. */
export const isTaken = ({ progress: { confirming } }: Pick<Walking, 'progress'>, { entity, stored }: Planned): boolean =>
  stored && (confirming === undefined || confirming.includes(entity))

/** Returns whether records are stored, or asked for what is below them. */
export const isNeeded = (walking: Pick<Walking, 'tree' | 'progress'>, planned: Planned): boolean =>
  isTaken(walking, planned) || walking.tree.children.some((child) => child.parent === planned.entity && isNeeded(walking, child))

/** Computes the end of the window of a walk, for vendors that need one. */
export const computeEnd = ({ startedAt }: Pick<WalkProgress, 'startedAt'>): number => startedAt + day

/**
 * Finds what this walk reads completely of an entity: everything, a span of time, or nothing (undefined). Stored records there that the
 * walk does not see are deleted.
 *
 * The span is an hour shorter than the request, because a vendor may filter by another timestamp than the record has. Gong filters by the
 * scheduled start and returns the actual one, which differs by up to ten minutes.
 */
export function findReach({ tree, progress }: Pick<Walking, 'tree' | 'progress'>, planned: Planned): 'all' | Span | undefined {
  if (isComplete({ progress }, planned)) return 'all'
  const { timestampField: field } = planned
  const { since } = progress
  if (field === undefined || since === undefined) return undefined
  const before = tree.sync.since?.until === undefined ? {} : { before: new Date(computeEnd(progress) - hour).toISOString() }
  return { field, from: new Date(Date.parse(since) + hour).toISOString(), ...before }
}
