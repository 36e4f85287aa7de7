/** What the syncs answer, in wire form: records can be sent as they are. All moments are ISO 8601 in UTC. */
import type { ErrorCode } from '../../errors.ts'
import type { RunCause, RunMode, RunState } from './states.ts'

/** Why something did not work, and what to do. */
export interface SyncError {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
}

/** How far a run has come with one entity. */
export interface SyncCounts {
  /** Records that the vendor gave. */
  readonly records: number
  readonly pages: number
  /** Calls of the vendor's API. */
  readonly calls: number
  /** Rows of the copy that are new or were replaced. */
  readonly written: number
  readonly removed: number
  /** Records without their key: they cannot be stored, so searches do not find them. */
  readonly without_key: number
}

/** How far a run has come with one entity, and when it will be done; null where nothing is known to reckon from. */
export interface SyncEntityProgress extends SyncCounts {
  readonly entity: string
  readonly estimated_end: string | null
}

/** How far a run has come. */
export interface SyncProgress extends SyncCounts {
  readonly estimated_end: string | null
  /** Entities that were begun; also those that are read only because others hang on them. */
  readonly entities: readonly SyncEntityProgress[]
}

/** How a run ended for one entity. */
export interface SyncEntityResult {
  readonly entity: string
  /**
   * `complete`: everything was met; `changes`: what changed was met; `partial`: a part could not be read; `skipped`: the credentials
   * or the vendor do not offer it; `failed`: it could not be read.
   */
  readonly state: 'complete' | 'changes' | 'partial' | 'skipped' | 'failed'
  readonly error: SyncError | null
}

/** A run that brings the copy of a connector up to date. */
export interface SyncRunRecord {
  readonly id: string
  readonly connector_id: string
  readonly workspace_id: string
  readonly state: RunState
  readonly mode: RunMode
  /** null: all entities of the connector. */
  readonly entities: readonly string[] | null
  readonly cause: RunCause
  /** How often it was begun or gone on with. */
  readonly attempts: number
  /** While it waits for its time: when it goes on at the earliest; null: at once, when it is its turn. */
  readonly not_before: string | null
  readonly progress: SyncProgress
  /** Entities that are done. */
  readonly results: readonly SyncEntityResult[]
  /** Why it failed, or why it waits. */
  readonly error: SyncError | null
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

/**
 * State of a copy: `loading`, nothing was read yet; `building_preview`, it is filled for the first time and nothing can be found yet;
 * `preview`, what was read so far can be found; `ready`; `updating`, it is brought up to date; `failed`, the last attempt did not work
 * (what was there before can be found); `disabled`, it is not synced.
 */
export type SyncState = 'loading' | 'building_preview' | 'preview' | 'ready' | 'updating' | 'failed' | 'disabled'

/** What a connector's and an entity's status share. */
interface StatusCommon {
  readonly state: SyncState
  /** Whether searches find anything. */
  readonly ready_for_search: boolean
  readonly records: number
  /**
   * What was new or had changed until this moment, as far as the vendor tells, is in the copy. What it does not tell (an old record that
   * was edited without a trace, added late, or deleted) is in step as of `verified_at`.
   */
  readonly synced_at: string | null
  /** The copy was compared with everything that the vendor had at this moment; of a connector: the earliest of its entities. */
  readonly verified_at: string | null
  /** Seconds since `synced_at`. */
  readonly lag_seconds: number | null
  readonly last_success_at: string | null
  readonly last_attempt_at: string | null
  readonly last_error: SyncError | null
  /** null while the schedule is paused and nothing waits. */
  readonly next_run_at: string | null
}

/** An index over a field of a copy, made because searches were slow without it. */
export interface SyncIndexRecord {
  readonly field: string
  /** `failed`: it could not be made; it is tried again after a pause, a few times. */
  readonly state: 'building' | 'ready' | 'failed'
  /** When it was ready; until then: when its making began. */
  readonly created_at: string
  /** When searches were seen to use it last, to about ten minutes; null: never. */
  readonly used_at: string | null
  readonly size_bytes: number
  /** Why it could not be made: a code of the table of errors, or PostgreSQL's SQLSTATE. */
  readonly error: string | null
}

/** What an incremental run asks for: what is new by a moment of the vendor's, and again what lies shortly before. */
export interface SyncIncremental {
  /** The entity whose records tell the moment: others hang on it. */
  readonly entity: string
  /** Field of the moment; null: days of figures. */
  readonly field: string | null
  /** So far before the latest known moment everything is asked for again, in seconds. */
  readonly lookback_seconds: number
}

/** Status of the copy of one entity. */
export interface SyncEntityStatus extends StatusCommon {
  readonly entity: string
  /** Whether no part was left unread: false before the first complete walk, and while a part cannot be read. It tells nothing of age. */
  readonly complete: boolean
  /** What runs between two comparisons ask for; null: every run compares everything. */
  readonly incremental: SyncIncremental | null
  /** Why it is disabled. */
  readonly reason: string | null
  readonly interval_seconds: number
  readonly paused: boolean
  /** While it runs. */
  readonly progress: SyncEntityProgress | null
  /** Indexes that were made on demand. */
  readonly indexes: readonly SyncIndexRecord[]
  /** `renewing`: after an upgrade its words are made anew, and until then it is searched by the rules of before. */
  readonly words: 'current' | 'renewing'
}

/** Status of the copy of a connector. */
export interface SyncStatusRecord extends StatusCommon {
  readonly connector_id: string
  readonly schedules: readonly SyncScheduleRecord[]
  /** The run that runs. */
  readonly running: SyncRunRecord | null
  /** The run that is next in the queue. */
  readonly queued: SyncRunRecord | null
  readonly entities: readonly SyncEntityStatus[]
}

/** When copies are brought up to date. */
export interface SyncScheduleRecord {
  /** Entities with an interval of their own, which are read together; null: all others. */
  readonly entities: readonly string[] | null
  readonly interval_seconds: number
  /** Whether the interval is the service's default. */
  readonly default: boolean
  readonly paused: boolean
  readonly next_run_at: string | null
}

/** How fresh the copy of one entity is. */
export interface SyncFreshness {
  readonly state: SyncState
  readonly synced_at: string | null
  readonly verified_at: string | null
  readonly complete: boolean
  /** Records as they were counted last; null when nothing was ever stored. */
  readonly records: number | null
}
