/** What is remembered between runs, and within one: checkpoints of the store, as JSON with exact integers. */
import { isObject } from '../../definition/object.ts'
import { parseJson, writeJson } from '../../engine/json.ts'
import type { ErrorCode } from '../../errors.ts'
import type { ContextStore } from '../store/types.ts'
import type { Checkpoint } from '../store/writes.ts'

/** Why a part of an entity could not be read. */
export interface Flaw {
  readonly code: ErrorCode
  readonly message: string
  /** None of it can be read, as far as was tried. */
  readonly skipped: boolean
}

/** What is known of an entity after a run. All moments are milliseconds since 1970, of this side's clock. */
export interface EntityState {
  /** When the last complete pass ended. */
  readonly fullAt?: number
  /** When the last attempt at one ended, whatever came of it. */
  readonly triedAt?: number
  /** Digest of the configuration that the last attempt was made with. */
  readonly configured?: string
  /** Calls of the last complete walk of the root, with all that hangs on it. Kept with the first entity of a walk. */
  readonly calls?: number
  /** Until this moment of the vendor everything was met, ISO 8601. Kept with the first entity of a walk. */
  readonly latest?: string
  /** Last day of the windows that were read, by the key of the parent. */
  readonly through?: Readonly<Record<string, string>>
  /** What could not be read, until a walk finds it mended. */
  readonly flaw?: Flaw
  /** Pass of the walk that is under way. A table that was made anew has forgotten it, and the walk begins again. */
  readonly walking?: string
  /** Pass of the last walk that ended. */
  readonly ended?: string
}

/** Where a walk stands within a page. */
export interface ChildPlace {
  /** Digest of the page's parents: on a page that is another by now, all children are asked for again. */
  readonly page: string
  /** The child that is asked for; '' when all are done. */
  readonly entity: string
  /** The last parent that is done. */
  readonly after?: string
  /** First day of the windows of the next parent, and the last one that is done. */
  readonly window?: { readonly first: string; readonly last: string }
}

/** Where a walk stands. */
export interface WalkProgress {
  /** Id of the passes of this walk. */
  readonly pass: string
  /** Id of the run that began it. */
  readonly run?: string
  /** Digest of the configuration. */
  readonly configured: string
  /** Whether the walk meets every record of its root. */
  readonly full: boolean
  /** Entities whose windows are read from the first day. */
  readonly fullWindows: readonly string[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Parameters of the next page; undefined for the first. */
  readonly position?: Readonly<Record<string, unknown>>
  /** All pages were met. */
  readonly met?: true
  /** Entities that are walked a second time, because what was not met may only have been passed over. */
  readonly confirming?: readonly string[]
  /** The moment from which changes are asked for. */
  readonly since?: string
  /** Until this moment of the vendor everything will have been met. */
  readonly latest?: string
  readonly child?: ChildPlace
  /** Calls so far. */
  readonly calls: number
  /** Days of windows that were read in this walk, by entity and parent. */
  readonly through: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Children that were read for at least one parent. */
  readonly reached: readonly string[]
  /** Entities of which a part could not be read, with the reason. */
  readonly flawed: Readonly<Record<string, Flaw>>
}

const statePart = 'state'
const walkPart = (root: string): string => `walk:${root}`

type Reader = Pick<ContextStore, 'checkpoints'>
/** An entity of a connector. */
interface Place {
  readonly connector: string
  readonly kind: string
  readonly entity: string
}

async function read(store: Reader, place: Place, part: string): Promise<Record<string, unknown> | undefined> {
  const text = (await store.checkpoints(place)).get(part)
  const value = text === undefined ? undefined : parseJson(text)
  return isObject(value) ? value : undefined
}

/** What is known of an entity; empty before its first run. The store holds only what `stateCheckpoint` made. */
export const readState = async (store: Reader, place: Place): Promise<EntityState> =>
  ((await read(store, place, statePart)) ?? {}) as EntityState

/** Where an interrupted walk stands; undefined when there is none. */
export const readWalk = async (store: Reader, place: Place, root: string): Promise<WalkProgress | undefined> =>
  (await read(store, place, walkPart(root))) as WalkProgress | undefined // only what `walkCheckpoint` made

/** The state as a checkpoint. */
export const stateCheckpoint = (state: EntityState): Checkpoint => ({ part: statePart, value: writeJson(state) })

/** A walk as a checkpoint; undefined forgets it. */
export const walkCheckpoint = (root: string, progress: WalkProgress | undefined): Checkpoint => ({
  part: walkPart(root),
  value: progress === undefined ? null : writeJson(progress),
})
