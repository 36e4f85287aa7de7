/** What is remembered between runs, and within one: checkpoints of the store, as JSON with exact integers. */
import { isObject } from '../../definition/object.ts'
import { parseJson, writeJson } from '../../engine/json.ts'
import type { ErrorCode } from '../../errors.ts'
import type { ContextStore } from '../store/types.ts'
import type { Checkpoint } from '../store/writes.ts'

/** What is known of an entity after a run. */
export interface EntityState {
  /** When the last complete pass ended, in milliseconds since 1970. */
  readonly fullAt?: number
  /** The latest moment that was met, as the vendor wrote it. */
  readonly latest?: string
  /** Last day of the windows that were read, by the key of the parent. */
  readonly through?: Readonly<Record<string, string>>
  /** It could not be read at all. */
  readonly skipped?: true
  /** Pass of the walk that is under way. A table that was made anew has forgotten it, and the walk begins again. */
  readonly walking?: string
  /** Pass of the last walk that ended. */
  readonly ended?: string
}

/** Why a part of an entity could not be read. */
export interface Flaw {
  readonly code: ErrorCode
  readonly message: string
  /** None of it can be read, as far as was tried. */
  readonly skipped: boolean
}

/** Where a walk stands. */
export interface WalkProgress {
  /** Id of the complete passes of this walk. */
  readonly pass: string
  /** Whether the walk meets every record of its root. */
  readonly full: boolean
  /** Entities whose windows are read from the first day. */
  readonly fullWindows: readonly string[]
  readonly startedAt: number
  /** Parameters of the next page; undefined for the first. */
  readonly position?: Readonly<Record<string, unknown>>
  /** All pages were met. */
  readonly met?: true
  /** The moment from which changes are asked for. */
  readonly since?: string
  /** The latest moment that was met. */
  readonly latest?: string
  /** Within the page: the child that is asked for, and the parents that are done. */
  readonly child?: { readonly entity: string; readonly after?: string; readonly window?: string }
  /** Days of windows that were read in this walk, by entity and parent. */
  readonly through: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Entities of which a part could not be read, with the reason. */
  readonly flawed: Readonly<Record<string, Flaw>>
}

const statePart = 'state'
const walkPart = (root: string): string => `walk:${root}`

type Keeper = Pick<ContextStore, 'checkpoints' | 'keep'>
/** An entity of a connector. */
interface Place {
  readonly connector: string
  readonly kind: string
  readonly entity: string
}

async function read(store: Keeper, place: Place, part: string): Promise<Record<string, unknown> | undefined> {
  const text = (await store.checkpoints(place)).get(part)
  const value = text === undefined ? undefined : parseJson(text)
  return isObject(value) ? value : undefined
}

/** What is known of an entity; empty before its first run. The store holds only what `stateCheckpoint` made. */
export const readState = async (store: Keeper, place: Place): Promise<EntityState> =>
  ((await read(store, place, statePart)) ?? {}) as EntityState

/** Where an interrupted walk stands; undefined when there is none. */
export const readWalk = async (store: Keeper, place: Place, root: string): Promise<WalkProgress | undefined> =>
  (await read(store, place, walkPart(root))) as WalkProgress | undefined // only what `walkCheckpoint` made

/** The state as a checkpoint. */
export const stateCheckpoint = (state: EntityState): Checkpoint => ({ part: statePart, value: writeJson(state) })

/** A walk as a checkpoint; undefined forgets it. */
export const walkCheckpoint = (root: string, progress: WalkProgress | undefined): Checkpoint => ({
  part: walkPart(root),
  value: progress === undefined ? null : writeJson(progress),
})
