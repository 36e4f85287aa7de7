/** Input and results of a sync. */
import type { ErrorCode } from 'ferrule'
import type { Kind } from 'ferrule/definition'
import type { RecordKey } from 'ferrule/engine'
import type { OwnKind } from '../../../values/access.ts'
import type { ContextStore } from '../../store/store.ts'

/** A token of changes: the vendor's word for what was read so far. */
export type Token = string | number | bigint

/** One page of an entity's records, or its single record. */
export interface Answered {
  readonly rows: readonly unknown[]
  /** Merged into the parameters for the next page; null on the last page. */
  readonly next: Readonly<Record<string, unknown>> | null
  /** The token of changes that the page names. */
  readonly token?: Token | undefined
  /** Records that the vendor marks as hidden, and that were left out. */
  readonly hidden?: readonly RecordKey[] | undefined
  /** Why the answer may be incomplete; records missing from it may still exist. */
  readonly doubt?: string | undefined
}

/** Calls the vendor. Interactive calls take precedence. */
export type Ask = (call: {
  readonly entity: string
  readonly action: 'list' | 'get'
  readonly params: Readonly<Record<string, unknown>>
}) => Promise<Answered>

/** Progress of a run with one entity. */
export interface EntityProgress {
  readonly entity: string
  /** Records returned by the vendor. */
  readonly records: number
  readonly pages: number
  readonly written: number
  /** Written records that are new. */
  readonly created: number
  readonly removed: number
  /** Records without a key, which cannot be stored. */
  readonly withoutKey: number
}

/** How far a walk has come with an entity, where the number of its calls can be estimated. */
export interface EntityShare {
  readonly entity: string
  /** Number of finished records of its root, or of its parents where it is called for per record. */
  readonly done: number
  /** Estimated number of all these records; undefined while unknown. */
  readonly total: number | undefined
}

/** No progress. */
export const noProgress = { records: 0, pages: 0, written: 0, created: 0, removed: 0, withoutKey: 0 } as const

/** Takes the progress of walks. Must not throw. */
export interface ProgressNotes {
  /** Adds a page or written rows. */
  note(progress: EntityProgress): void
  /** Notes how far a walk is with an entity. */
  noteShare(share: EntityShare): void
}

/** Input of the walks of a run. */
export interface SyncTask {
  readonly kind: Kind
  /** UUID of the connector. */
  readonly connector: string
  /** The kind as the store finds it, where an organization brought it. */
  readonly own?: OwnKind | undefined
  readonly configuration: Readonly<Record<string, unknown>>
  readonly store: Pick<
    ContextStore,
    | 'getTable'
    | 'writeBatch'
    | 'findKnownKeys'
    | 'forgetRecords'
    | 'beginPass'
    | 'hasUnseen'
    | 'sweep'
    | 'abandonPass'
    | 'readCheckpoints'
    | 'saveCheckpoints'
  >
  readonly ask: Ask
  /** `full`: complete passes of everything, which delete missing records. `incremental`: only changes, where the vendor offers them. */
  readonly mode: 'incremental' | 'full'
  /**
   * Id of the run, the same when the run is resumed. A full run resumes only its own walks: records read by an earlier run may have
   * changed before this one was requested. Omitted: resumes every walk.
   */
  readonly run?: string
  readonly clock: () => number
  readonly signal: AbortSignal
  readonly progress?: ProgressNotes
  /** Called with the number of records by entity that are deleted because the vendor says so. */
  readonly onLost?: (lost: ReadonlyMap<string, number>) => Promise<void>
}

/** How a run ended for one entity. */
export interface EntityResult {
  readonly entity: string
  /**
   * `complete`: everything was read. `changes`: the changes were read. `partial`: a part could not be read, and nothing was deleted.
   * `skipped`: the credentials or the vendor do not offer it. `failed`: nothing of it could be read.
   */
  readonly state: 'complete' | 'changes' | 'partial' | 'skipped' | 'failed'
  /** Reason of `partial`, `skipped` and `failed`. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
}
