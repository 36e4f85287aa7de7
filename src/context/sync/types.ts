/** What a sync is given and what it tells. */
import type { Kind } from '../../definition/connector.ts'
import type { RecordKey } from '../../engine/outcome.ts'
import type { ErrorCode } from '../../errors.ts'
import type { ContextStore } from '../store/types.ts'

/** One page of an entity's records, or its one record. */
export interface Answered {
  readonly rows: readonly unknown[]
  /** What to merge into the parameters for the next page; null at the last. */
  readonly next: Readonly<Record<string, unknown>> | null
  /** Records that the vendor flags as hidden, and that were left out. */
  readonly hidden?: readonly RecordKey[]
  /** Why it is not known whether this is all that there is: what is not among it need not be gone. */
  readonly doubt?: string
}

/** Asks the vendor. Interactive calls go before it. */
export type Ask = (call: {
  readonly entity: string
  readonly action: 'list' | 'get'
  readonly params: Readonly<Record<string, unknown>>
}) => Promise<Answered>

/** How far a run has come with one entity. */
export interface EntityProgress {
  readonly entity: string
  /** Records that the vendor gave. */
  readonly records: number
  readonly pages: number
  readonly written: number
  /** Those of the written that are new. */
  readonly created: number
  readonly removed: number
  /** Records without their key, which cannot be stored. */
  readonly withoutKey: number
}

/** Nothing that is new. */
export const noProgress = { records: 0, pages: 0, written: 0, created: 0, removed: 0, withoutKey: 0 } as const

/** What a run needs. */
export interface SyncTask {
  readonly kind: Kind
  /** The connector's UUID. */
  readonly connector: string
  readonly configuration: Readonly<Record<string, unknown>>
  readonly store: Pick<
    ContextStore,
    'tableOf' | 'write' | 'beginPass' | 'unseen' | 'sweep' | 'sweepSpan' | 'abandonPass' | 'checkpoints' | 'keep'
  >
  readonly ask: Ask
  /** Whether an entity is to be kept. */
  readonly wanted: (entity: string) => boolean
  /** `full`: complete passes of everything, so that what is gone is removed; `incremental`: what changed, where that is known. */
  readonly mode: 'incremental' | 'full'
  /**
   * Id of the run, the same when it is taken up again. A full run goes on with what it began itself only: what an earlier run has read
   * may have changed before this one was wished for. Left out: every walk is gone on with.
   */
  readonly run?: string
  /** A complete pass that is older is made anew by an incremental run, in milliseconds. */
  readonly fullEvery: number
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly signal: AbortSignal
  /** Told after each page. Must not throw. */
  readonly onProgress?: (progress: EntityProgress) => void
}

/** How a run ended for one entity. */
export interface EntityResult {
  readonly entity: string
  /**
   * `complete`: everything was met; `changes`: what changed was met; `partial`: a part could not be read, nothing was removed;
   * `skipped`: the credentials or the vendor do not offer it.
   */
  readonly state: 'complete' | 'changes' | 'partial' | 'skipped'
  /** Why, for `partial` and `skipped`. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
}

/** What a run brought. */
export interface SyncResult {
  readonly entities: readonly EntityResult[]
  /** Some entity can be read again and has to be filled: another run should follow at once. */
  readonly again: boolean
}
