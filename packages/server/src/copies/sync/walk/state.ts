/** State of syncs between runs and within one: checkpoints of the store, as JSON with exact integers; and a running walk. */
import type { ErrorCode, FerruleError } from 'ferrule'
import { parseJson, writeJson } from 'ferrule/engine'
import { isObject } from 'ferrule/internal'
import type { EntityRef } from '../../entity-ref.ts'
import type { Checkpoint } from '../../store/batch.ts'
import type { ContextStore } from '../../store/store.ts'
import type { Span } from '../../store/types.ts'
import type { DayWindow } from './day-windows.ts'
import type { Segments } from './newest.ts'
import type { Planned, Tree } from './plan.ts'
import type { Parent } from './records.ts'
import type { Answered, SyncTask, Token } from './types.ts'
import { addUnread, dropParent, nothingUnread, Pace, type UnreadList } from './unread.ts'

/** A walk that yields where its slice ends: what it collected is being written, and its progress is consistent. */
export type Sliced<T = void> = AsyncGenerator<undefined, T, undefined>

/** The running write of a run: its walks write one after another, whichever of them has the slice. */
export class Writes {
  #running: Promise<void> = Promise.resolve()

  /** Waits for the running write. Ignores its error, which belongs to its walk. */
  async settle(): Promise<void> {
    await this.#running
  }

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
export const toEntityRef = (
  { connector, kind, own }: Pick<SyncTask, 'connector' | 'kind' | 'own'>,
  { entity }: Pick<Planned, 'entity'>,
): EntityRef => ({
  connector,
  kind: kind.definition.kind,
  entity,
  own,
})

/** Finds the stored entity that holds the walk's progress. */
export const findHolder = ({ stored, tree }: Pick<Walking, 'stored' | 'tree'>): Planned => stored[0] ?? tree

/** Builds the checkpoint of the progress; undefined deletes it. */
export const buildWalkCheckpoint = ({ tree }: Pick<Walking, 'tree'>, progress: WalkProgress | undefined) => ({
  name: nameWalk(tree.entity),
  value: progress === undefined ? null : writeCheckpoint(progress),
})

/** Saves the progress; undefined deletes it. */
export async function saveWalk(walking: Walking, progress: WalkProgress | undefined): Promise<void> {
  if (progress !== undefined) walking.progress = progress
  await walking.task.store.saveCheckpoints(toEntityRef(walking.task, findHolder(walking)), [buildWalkCheckpoint(walking, progress)])
}

/** Notes a possibly incomplete answer: nothing is deleted of the entities that depend on it. */
export function noteDoubt(walking: Walking, entities: readonly string[], message: Answered['doubt']): void {
  if (message === undefined) return
  const flaw: Flaw = { code: 'upstream_answer_invalid', message: `${message}.`, skipped: false }
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

/** What a walk could not read, by entity. */
export class UnreadNotes {
  readonly #walking: Walking
  readonly #paces = new Map<string, Pace>()

  constructor(walking: Walking) {
    this.#walking = walking
  }

  of(entity: string): UnreadList {
    return this.#walking.progress.unread[entity] ?? nothingUnread
  }

  /** Replaces what could not be read of an entity. */
  set(entity: string, list: UnreadList): void {
    const { progress } = this.#walking
    const { [entity]: _known, ...others } = progress.unread
    const isEmpty = list.units.length + list.more === 0
    this.#walking.progress = { ...progress, unread: isEmpty ? others : { ...others, [entity]: list } }
  }

  /** Notes a parent, or a window of its days, that could not be read, or was passed over without an error. */
  note(entity: string, { error, ...unit }: Parent & { readonly window?: DayWindow; readonly error?: FerruleError }): void {
    const reason = error === undefined ? {} : { error: { code: error.code, message: error.message } }
    const { key, values, record, window } = unit
    const added = { key, values, record, met: true, ...(window === undefined ? {} : { window }), ...reason }
    this.set(entity, addUnread(this.of(entity), added))
  }

  /** Forgets what could not be read of a parent that no longer exists. */
  forget(entity: string, key: string): void {
    this.set(entity, dropParent(this.of(entity), key))
  }

  /** Skips an entity that the vendor says it does not offer. */
  skip(entity: string, { code, message }: FerruleError): void {
    const { progress } = this.#walking
    this.#walking.progress = { ...progress, flawed: { ...progress.flawed, [entity]: { code, message, skipped: true } } }
  }

  pace(entity: string): Pace {
    const { task, states } = this.#walking
    const known = this.#paces.get(entity) ?? new Pace(task.clock, states.get(entity)?.flaw?.skipped === true)
    this.#paces.set(entity, known)
    return known
  }

  /** Begins the pace of an entity again, for what is asked for again. */
  renewPace(entity: string): void {
    const { task, progress } = this.#walking
    this.#paces.set(entity, new Pace(task.clock, !progress.reached.includes(entity)))
  }
}

/** Why a part of an entity could not be read. */
export interface Flaw {
  readonly code: ErrorCode
  readonly message: string
  /** True when nothing of it could be read. */
  readonly skipped: boolean
}

/** State of an entity after a run. Timestamps are milliseconds since 1970, by this service's clock. */
export interface EntityState {
  /** End of the last complete pass. */
  readonly fullAt?: number
  /** End of the last attempt at a complete pass, successful or not. */
  readonly triedAt?: number
  /** Digest of the configuration of the last attempt. */
  readonly configured?: string
  /** Calls of the last complete walk of the root with everything below it. Saved with the first entity of a walk. */
  readonly calls?: number
  /** Timestamp of the vendor up to which everything was read, ISO 8601. Saved with the first entity of a walk. */
  readonly latest?: string
  /** Token of the vendor for what was read. Saved with the first entity of a walk. */
  readonly token?: Token
  /** Up to when the list of a parent was read, by the parent's key: the last day of its windows, or the latest time of the vendor. */
  readonly through?: Readonly<Record<string, string>>
  /** What could not be read, until a walk reads it again. */
  readonly flaw?: Flaw
  /** What could not be read below records. The next walk asks for it first. */
  readonly unread?: UnreadList
  /** Number of complete passes in a row that could not read everything. */
  readonly unfinished?: number
  /** Pass of the running walk. A recreated table has lost it, so the walk starts again. */
  readonly walking?: string
  /** Pass of the last finished walk. */
  readonly ended?: string
}

/** Position within the list of a child that has children itself. */
export interface BelowPosition {
  /** Digest of the list. */
  readonly list: string
  /** Parameters of its page. */
  readonly at: Readonly<Record<string, unknown>>
  /** The last parent of the page that is done, by child. */
  readonly after: Readonly<Record<string, string>>
}

/** Position of a walk within a page: of each list that is called per record, because these run in slices. */
export interface PagePosition {
  /** Digest of the page's parents. If the page has changed, all children are requested again. */
  readonly page: string
  /** The last parent that is done, by child. */
  readonly after: Readonly<Record<string, string>>
  /** Children of which all parents are done. */
  readonly done: readonly string[]
  /** The parent whose windows are being read, its first day, and the last day that is done, by child. */
  readonly windows: Readonly<Record<string, { readonly parent: string; readonly first: string; readonly last: string }>>
  /** Positions within the lists of children that have children themselves. */
  readonly below?: Readonly<Record<string, BelowPosition>>
}

/** What is known about the number of parents of a walk, for estimates only. */
export interface ParentCounts {
  /** Records of the root on the pages so far. */
  readonly rows: number
  /** Estimated number of records of the root; undefined while unknown. */
  readonly size?: number
  /** Parents of each child on the pages so far, and how many of them are done. */
  readonly met: Readonly<Record<string, number>>
  readonly done: Readonly<Record<string, number>>
}

/** No parents. */
export const noParents: ParentCounts = { rows: 0, met: {}, done: {} }

/** Progress of a walk. */
export interface WalkProgress {
  /** Id of the passes of this walk. */
  readonly pass: string
  /** Id of the run that started the walk. */
  readonly run?: string
  /** Digest of the configuration. */
  readonly configured: string
  /** True when the walk reads every record of its root. */
  readonly full: boolean
  /** Entities whose lists per parent are read whole, whatever was read before: windows from the first day, and lists with marks. */
  readonly fullWindows: readonly string[]
  readonly startedAt: number
  /** Parameters of the next page; undefined for the first page. */
  readonly position?: Readonly<Record<string, unknown>>
  /** True when all pages were read. */
  readonly met?: true
  /** Entities that are walked a second time, because the first walk may have skipped records. */
  readonly confirming?: readonly string[]
  /** Timestamp from which changes are requested. */
  readonly since?: string
  /** Timestamp of the vendor up to which the walk will have read everything. */
  readonly latest?: string
  /** Token that the walk sends, and the one that the vendor named last. */
  readonly token?: Token
  readonly nextToken?: Token
  /** True when a list that is read from its newest records ended before it came back to `since`: `latest` does not hold. */
  readonly gap?: true
  /** Timestamp from which a sorted list continues, instead of its next page. */
  readonly moved?: string
  /** True when a list whose pages are counted had more than one page: changes meanwhile can have shifted its records. */
  readonly counted?: true
  /** Index of the value whose list is read, and whether the list of any value was read. */
  readonly value?: number
  readonly anyValue?: true
  /** Version of the records of the last page of changes. */
  readonly changesAt?: number
  /** Segments of a list that is read from its newest records. */
  readonly segments?: Segments
  readonly within?: PagePosition
  readonly parents?: ParentCounts
  readonly calls: number
  /** As `EntityState.through`, for the lists that this walk has read, by entity and parent. Empty: the next walk reads the list whole. */
  readonly through: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Children that were read for at least one parent. */
  readonly reached: readonly string[]
  /** Unreadable entities, and those with doubtful answers, with the reason. */
  readonly flawed: Readonly<Record<string, Flaw>>
  /** What could not be read below records, by entity. */
  readonly unread: Readonly<Record<string, UnreadList>>
  /** True when what earlier walks could not read was asked for again. */
  readonly retried?: true
  /** The list during which the vendor asked to wait last. */
  readonly waited?: string
}

/**
 * Number of the shape of all checkpoints. Raise it when the code cannot read what an older version stored: the entity then starts again
 * instead of failing in every run. `test/pins/checkpoints.test.ts` shows what is stored.
 */
const shape = 1

const statePart = 'state'
const nameWalk = (root: string): string => `walk:${root}`

type Reader = Pick<ContextStore, 'readCheckpoints'>

/** Reads a checkpoint; undefined when it is missing or has another shape. */
export async function readCheckpoint(store: Reader, ref: EntityRef, part: string): Promise<Record<string, unknown> | undefined> {
  const text = (await store.readCheckpoints(ref)).get(part)
  const stored = text === undefined ? undefined : parseJson(text)
  if (!isObject(stored) || stored['shape'] !== shape) return undefined
  const { shape: _shape, ...value } = stored
  return value
}

/** Writes a checkpoint with its shape. */
export const writeCheckpoint = (value: object): string => writeJson({ shape, ...value })

/** Reads the state of an entity; empty before its first run, and when it has another shape. Only `toStateCheckpoint` writes this checkpoint. */
export const readState = async (store: Reader, ref: EntityRef): Promise<EntityState> =>
  ((await readCheckpoint(store, ref, statePart)) ?? {}) as EntityState

/** Reads the progress of an interrupted walk; undefined without one, and when it has another shape. */
export const readWalk = async (store: Reader, ref: EntityRef, root: string): Promise<WalkProgress | undefined> =>
  (await readCheckpoint(store, ref, nameWalk(root))) as WalkProgress | undefined // only `toWalkCheckpoint` writes it

/** Converts a state to a checkpoint. */
export const toStateCheckpoint = (state: EntityState): Checkpoint => ({ name: statePart, value: writeCheckpoint(state) })
