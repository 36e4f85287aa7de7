/** Filling the context store, as interfaces: what a surface may ask of it, and the worker that does it. */
import type { ContextStore } from '../../context/store/types.ts'
import type { Engine } from '../../engine/execute.ts'
import type { BodyMemory } from '../../engine/memory.ts'
import type { ErrorCode } from '../../errors.ts'
import type { CallReport } from '../operations.ts'
import type { Page } from '../records.ts'
import type { Copies } from '../searches.ts'
import type { ConnectorPlace, Principal, PrincipalView } from '../types.ts'
import type { WalkStore } from './fence.ts'
import type { SyncFreshness, SyncRunRecord, SyncScheduleRecord, SyncStatusRecord } from './records.ts'
import type { RunCause, RunMode, RunState } from './states.ts'

/** A run of a connector, by their ids; any texts. */
export interface RunIds {
  readonly connectorId: string
  readonly runId: string
}

/** How a copy is refreshed. */
export interface RefreshOptions {
  readonly entity: string
  /** The copy is young enough when everything that the vendor had so many seconds ago is in it. */
  readonly maxAgeSeconds: number
  /** Milliseconds until it is given up; to about a second. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal
}

/**
 * Syncs of the principal's organization. Methods with the id of a connector throw `connector_not_found` for whatever the principal does
 * not see; those with the id of a run then `sync_not_found`. Reading needs the scope connectors:read, everything else connectors:write.
 */
export interface Syncs {
  /**
   * Asks for a run, or joins the one that waits and has done nothing yet.
   * @param body `{ mode? ('incremental' | 'full', incremental), entities? (names; left out: all) }`. Entities that are read together
   *   with the given ones are synced with them
   * @throws FerruleError `validation_failed` (an entity that is not synced, a kind without any), `workspace_inactive`
   */
  request(principal: Principal, connectorId: string, body: unknown): Promise<SyncRunRecord>
  /** @param query `{ state?, limit? (1..100, 20), cursor? }`; the newest first. @throws FerruleError `validation_failed`, `invalid_cursor` */
  list(principal: Principal, connectorId: string, query: unknown): Promise<Page<SyncRunRecord>>
  get(principal: Principal, connectorId: string, runId: string): Promise<SyncRunRecord>
  /** Ends a run; one that has ended stays as it is. What was written stays. */
  cancel(principal: Principal, connectorId: string, runId: string): Promise<SyncRunRecord>
  /**
   * Sets when copies are brought up to date.
   * @param body `{ interval_seconds? (60 to 2,592,000; null: the default, or with `entity` no interval of its own), paused?, entity? }`
   * @returns all schedules of the connector
   * @throws FerruleError `validation_failed`
   */
  setSchedule(principal: Principal, connectorId: string, body: unknown): Promise<readonly SyncScheduleRecord[]>
  /**
   * Empties the copy of a connector, or of some entities, and queues a full run of them. What runs is cancelled.
   * @param body `{ entities? }`, or nothing
   * @throws FerruleError `validation_failed`, `workspace_inactive`
   */
  reset(principal: Principal, connectorId: string, body: unknown): Promise<SyncRunRecord>
  status(principal: Principal, connectorId: string): Promise<SyncStatusRecord>
  /** The run now and after every change, at most about once a second; it ends with the run. @throws the reason of `signal`; `overloaded` */
  watchRun(principal: Principal, run: RunIds, signal: AbortSignal): AsyncGenerator<SyncRunRecord, void, undefined>
  /** The status now and after every change of a run, at most about once a second, without end. @throws as `watchRun` */
  watchStatus(principal: Principal, connectorId: string, signal: AbortSignal): AsyncGenerator<SyncStatusRecord, void, undefined>
  /** The run when it has ended. @throws as `watchRun` */
  waitFor(principal: Principal, run: RunIds, signal: AbortSignal): Promise<SyncRunRecord>
  /** How fresh the copy of an entity is. Its caller has checked the scope. @throws FerruleError `connector_not_found` */
  freshness(view: PrincipalView, connectorId: string, entity: string): Promise<SyncFreshness>
  /**
   * Makes the copy of an entity young enough, by a run if need be. Its caller has checked the scope.
   * @returns whether it is young enough now
   * @throws FerruleError `connector_not_found`, `workspace_inactive`, `overloaded`; the signal's reason
   */
  refresh(view: PrincipalView, connectorId: string, options: RefreshOptions): Promise<boolean>
  /**
   * Records came into copies, or went, beside a run: the status counts them until the next run counts anew. Never fails.
   * @param change how many, by entity
   */
  addRecords(place: ConnectorPlace, change: ReadonlyMap<string, number>): Promise<void>
  /** What searches ask. Their callers have an access already. */
  readonly copies: Copies
  /** The copy was lost: all connectors, or those of one kind, are filled again. @returns how many */
  refill(kind?: string): Promise<number>
  /** Forgets runs whose time is over at `now` (milliseconds). @returns how many */
  purgeExpired(now: number): Promise<number>
}

/** How a run ended, for logs and metrics. */
export interface RunReport {
  readonly runId: string
  readonly connectorId: string
  readonly kind: string
  readonly mode: RunMode
  readonly cause: RunCause
  /** `queued`: it goes on later. */
  readonly state: RunState
  readonly code: ErrorCode | 'ok'
  readonly attempts: number
}

/** What a worker works with. */
export interface SyncServices {
  readonly engine: Pick<Engine, 'run'>
  /** What the answers of vendors are counted in while they are read. */
  readonly memory?: BodyMemory | undefined
  readonly store: WalkStore & Pick<ContextStore, 'empty' | 'remove'>
  /** Runs at one time; left out: as the settings say. */
  readonly atOnce?: number
  /** Told of every call of a vendor. Must not throw. */
  readonly onCall?: (report: CallReport) => void
  /** Told when an attempt of a run has ended. Must not throw. */
  readonly onRun?: (report: RunReport) => void
}

/** Does the work of the queue on this node. Any number of nodes work beside each other. */
export interface SyncWorker {
  /** Begins: looks for work about once a second, and at once when this node has queued some. */
  start(): void
  /** Keeps progress and leases, and takes what is due. Resolves when what was taken has begun. It is called by `start`. */
  turn(): Promise<void>
  /** Resolves when nothing is left of what this node has begun. */
  idle(): Promise<void>
  /** Runs that this node walks now. */
  readonly running: number
  /** Takes nothing more, ends walks at their next step, and gives their runs back, so that another node goes on at once. */
  stop(): Promise<void>
}
