/** State of syncs between runs and within one: checkpoints of the store, as JSON with exact integers. */
import type { ErrorCode } from 'ferrule'
import { parseJson, writeJson } from 'ferrule/engine'
import { isObject } from 'ferrule/internal'
import type { EntityRef } from '../../entity-ref.ts'
import type { Checkpoint } from '../../store/batch.ts'
import type { ContextStore } from '../../store/types.ts'
import type { Segments } from './newest.ts'
import type { Token } from './types.ts'
import type { UnreadList } from './unread.ts'

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
  /** Milliseconds since 1970. */
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
  /** Timestamp from which a sorted list continues, in place of its next page. */
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
  /** Number of calls so far. */
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

/** Converts the progress of a walk to a checkpoint; undefined deletes it. */
export const toWalkCheckpoint = (root: string, progress: WalkProgress | undefined): Checkpoint => ({
  name: nameWalk(root),
  value: progress === undefined ? null : writeCheckpoint(progress),
})
