/** Interfaces of the syncs: what surfaces may call, and the worker that fills the context store. */
import type { Kind } from 'ferrule/definition'
import type * as wire from 'ferrule/wire'
import type { ConnectorAccess, ConnectorRef, OwnKind, Principal, PrincipalView } from '../values/access.ts'
import type { CallReport, RunReport } from '../values/metric-types.ts'
import type { ContextStore } from './store/store.ts'
import type { RecheckTask } from './sync/walk/recheck.ts'
import type { SyncTask } from './sync/walk/types.ts'

/** Ids of a run and its connector; any strings. */
export interface RunIds {
  readonly connectorId: string
  readonly runId: string
}

/** How old a copy may be, and how long to wait for a younger one. */
export interface RefreshWait {
  /** Maximum age of the copy, in seconds. */
  readonly maxAgeSeconds: number
  /** Timeout in milliseconds, accurate to about a second. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal
}

/** Options of a refresh. */
export interface RefreshOptions extends RefreshWait {
  readonly entity: string
}

/** Status of the copy of one entity. */
export interface CopyStatus {
  /** State of the copy, for example `ready`, `updating` or `loading`. */
  readonly status: wire.SyncState
  /** The copy contains what was new or changed up to this time, in milliseconds since 1970; null before the first sync. */
  readonly syncedAt: number | null
  /** Time of the last comparison with everything that the vendor had, in milliseconds since 1970. */
  readonly verifiedAt: number | null
  /** True when the last walk read every part. */
  readonly complete: boolean
  /** First day whose figures can still change, YYYY-MM-DD; undefined for records without days of figures. */
  readonly mayChangeFrom?: string | undefined
  /** Why no copy exists and waiting does not help; null while a copy exists or is being filled. */
  readonly obstacle: string | null
  /** Error of the last sync; null after a success. */
  readonly error: string | null
  /** Suggested wait before the next request, in milliseconds. */
  readonly retryAfterMs: number
}

/** A copy of a connector's entity for a search over many. */
export interface SearchedEntity {
  readonly entity: string
  /** As `CopyStatus.syncedAt`. */
  readonly syncedAt: number | null
  /** Why the copy cannot be searched now; null where it can. */
  readonly reason: string | null
}

/** A connector for a search over many. */
export interface SearchedConnector {
  readonly ref: ConnectorRef
  readonly name: string
  readonly kind: Kind
  /** The kind as the store finds it, where an organization brought it. */
  readonly own: OwnKind | undefined
  readonly configuration: Readonly<Record<string, unknown>>
  /** Entities that have a copy, in the order of the documents. */
  readonly entities: readonly SearchedEntity[]
}

/** Reports the status of copies, and refreshes them. */
export interface Copies {
  /** Returns a count of the changes of this process that affect statuses. */
  countChanges(): number
  readStatus(access: ConnectorAccess, entity: string): Promise<CopyStatus>
  /** Lists the entities of a connector that can be searched without `allow_partial`, in the order of the documents. */
  listFilled(access: ConnectorAccess): Promise<readonly string[]>
  /**
   * Lists the connectors of a view that are in active workspaces, in the order of their creation, with the state of their copies. Four statements.
   * @param wanted `workspaceId`: only those of one workspace; `most`: maximum number of connectors
   */
  listSearched(
    view: PrincipalView,
    wanted: { readonly workspaceId?: string | undefined; readonly most: number },
  ): Promise<readonly SearchedConnector[]>
  /** Reads only the times of a copy, with one statement. */
  readTimes(access: ConnectorAccess, entity: string): Promise<Pick<CopyStatus, 'syncedAt' | 'verifiedAt'>>
  /**
   * Refreshes the copy of an entity.
   * @returns when the copy is young enough, or after the timeout
   */
  refresh(access: ConnectorAccess, entity: string, wait: RefreshWait): Promise<void>
  /** Moves an entity to the front of the connector's unfinished runs, on whichever node they are. */
  moveToFront(access: ConnectorAccess, entity: string): Promise<void>
}

/**
 * Syncs of the principal's organization. Methods with a connector's id throw `connector_not_found` for anything that the principal does not
 * see; methods with a run's id also throw `sync_not_found`. Reading needs the scope connectors:read, everything else connectors:write.
 */
export interface Syncs {
  /**
   * Requests a run, or widens the waiting run that has done nothing yet.
   * @param body `{ mode? ('incremental' | 'full', default incremental), entities? (names; default all) }`. Entities that are read together
   *   with the given ones are included
   * @throws FerruleError `validation_failed` (an entity that is not synced, a kind without such entities), `workspace_inactive`
   */
  request(principal: Principal, connectorId: string, body: unknown): Promise<wire.SyncRunRecord>
  /**
   * Lists runs, newest first.
   * @param query `{ state?, limit? (1..100, default 20), cursor? }`
   * @throws FerruleError `validation_failed`, `invalid_cursor`
   */
  list(principal: Principal, connectorId: string, query: unknown): Promise<wire.Page<wire.SyncRunRecord>>
  /**
   * Lists the queued and running runs of all connectors, newest first.
   * @param query `{ state?, workspace_id?, limit? (1..100, default 20), cursor? }`
   * @throws FerruleError `validation_failed`, `invalid_cursor`
   */
  listUnfinished(principal: Principal, query: unknown): Promise<wire.Page<wire.UnfinishedRunRecord>>
  /**
   * Lists connectors with the state of their copies at a glance.
   * @param query as the list of connectors
   * @throws FerruleError `validation_failed`, `invalid_cursor`, `connector_type_not_found`
   */
  listOverviews(principal: Principal, query: unknown): Promise<wire.Page<wire.ConnectorOverview>>
  get(principal: Principal, connectorId: string, runId: string): Promise<wire.SyncRunRecord>
  /** Cancels a run; a finished run stays unchanged. Written records stay. */
  cancel(principal: Principal, connectorId: string, runId: string): Promise<wire.SyncRunRecord>
  /**
   * Changes a schedule.
   * @param body `{ interval_seconds? (60 to 2,592,000; null for the default, or with `entity` to remove its own interval), paused?, entity?
   *   }`
   * @returns all schedules of the connector
   * @throws FerruleError `validation_failed`
   */
  setSchedule(principal: Principal, connectorId: string, body: unknown): Promise<readonly wire.SyncScheduleRecord[]>
  /**
   * Empties the copy of a connector or of some entities, cancels active runs, and queues a full run.
   * @param body `{ entities? }`, or undefined
   * @throws FerruleError `validation_failed`, `workspace_inactive`
   */
  reset(principal: Principal, connectorId: string, body: unknown): Promise<wire.SyncRunRecord>
  status(principal: Principal, connectorId: string): Promise<wire.SyncStatusRecord>
  /**
   * Yields the run now and after each change, at most about once a second, until the run ends.
   * @throws the reason of `signal`; `overloaded`
   */
  watchRun(principal: Principal, run: RunIds, signal: AbortSignal): AsyncGenerator<wire.SyncRunRecord, void, undefined>
  /** Yields the status now and after each change of a run, at most about once a second, without end. @throws as `watchRun` */
  watchStatus(principal: Principal, connectorId: string, signal: AbortSignal): AsyncGenerator<wire.SyncStatusRecord, void, undefined>
  /** Waits for the end of a run and returns the run. @throws as `watchRun` */
  waitFor(principal: Principal, run: RunIds, signal: AbortSignal): Promise<wire.SyncRunRecord>
  /** Returns how fresh the copy of an entity is. The caller has checked the scope. @throws FerruleError `connector_not_found` */
  freshness(view: PrincipalView, connectorId: string, entity: string): Promise<wire.SyncFreshness>
  /**
   * Refreshes the copy of an entity, by a run if necessary. The caller has checked the scope.
   * @returns whether the copy is young enough now
   * @throws FerruleError `connector_not_found`, `workspace_inactive`, `overloaded`; the signal's reason
   */
  refresh(view: PrincipalView, connectorId: string, options: RefreshOptions): Promise<boolean>
  /**
   * Adds records that entered or left copies outside of runs to the status, until the next run counts again. Never throws.
   * @param change number of records by entity
   */
  addRecords(ref: ConnectorRef, change: ReadonlyMap<string, number>): Promise<void>
  /** Copies for searches, whose callers hold an access already. */
  readonly copies: Copies
  /** Queues full runs of all connectors, or of one kind, after a loss of the copies. @returns the number of connectors */
  refill(kind?: string): Promise<number>
  /** Deletes runs that expired at `now` (milliseconds). @returns the number */
  purgeExpired(now: number): Promise<number>
}

/** The methods of the store that a walk uses. */
export type WalkStore = SyncTask['store'] & RecheckTask['store']

/** Services that a worker needs. */
export interface SyncServices {
  readonly store: WalkStore & Pick<ContextStore, 'deleteAll' | 'moveRows' | 'removeConnector'>
  /** Maximum number of concurrent runs; defaults to the settings. */
  readonly atOnce?: number
  /** Called after every vendor call. Must not throw. */
  readonly onCall?: (report: CallReport) => void
  /** Called after every attempt of a run. Must not throw. */
  readonly onRun?: (report: RunReport) => void
}
