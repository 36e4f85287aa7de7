/** Interface of the context store for the rest of the service. */
import type { OwnKind } from '../../values/access.ts'
import type { EntityRef } from '../entity-ref.ts'
import type { SearchTable } from '../search/columns.ts'
import type { Batch, BatchResult, Checkpoint } from './batch.ts'
import type { ContextDatabase, EngineName, ReadOptions, Session } from './database/database.ts'
import type { SetAsideDatabase } from './database/embedded/folder.ts'
import type { ContextStoreSettings } from './database/settings.ts'
import type { Removal } from './forget.ts'
import type { OnDemandIndexes } from './indexes/on-demand.ts'
import type { IndexChange, IndexRules } from './indexes/types.ts'
import type { ChangeCause, ChangeCounts, LogPage, LogPosition, LogRules, LogState, LogWait } from './log.ts'
import type { Span } from './passes.ts'
import type { OnTableChange, SearchableKind } from './registry.ts'
import type { ReplicaChange, ReplicaRules, ReplicaStatus, SearchRoute } from './replicas/types.ts'
import type { StoredRecord } from './row-encoder.ts'
import type { KeyPage } from './state.ts'

export type { Link, Removal } from './forget.ts'
export type { ChangeCounts, LoggedChange, LogPage, LogPosition, LogState, LogWait } from './log.ts'
export { findOwnMoves, type OwnMove } from './moves.ts'
export type { Span } from './passes.ts'
export type { SearchableKind } from './registry.ts'

/** Waits some milliseconds, at most until the signal. */
type Rest = (ms: number, signal: AbortSignal) => Promise<void>

/** Options of a store. */
export interface ContextStoreOptions {
  readonly settings: ContextStoreSettings
  /** Kinds with tables for their searchable entities; `ensureKind` adds more. */
  readonly kinds?: readonly SearchableKind[]
  readonly clock?: () => number
  /** Rules of the logs of changes that differ from the usual ones. */
  readonly log?: Partial<LogRules>
  /** Called after a damaged embedded database was set aside and an empty one created: everything must be filled again. */
  readonly onSetAside?: (aside: SetAsideDatabase) => void
  /** Called after a table was created, extended or recreated. Its checkpoints are deleted, so it is filled from the start. */
  readonly onTableChange?: OnTableChange
  /** Called when upkeep of the database fails; it is tried again later. */
  readonly onUpkeepError?: (error: unknown) => void
  /** Waits while Citus moves shards, instead of the default. */
  readonly rest?: Rest
  /** Rules of automatic indexes that differ from the defaults. */
  readonly indexRules?: Partial<IndexRules>
  /** Called after an automatic index was created, or could not be created. */
  readonly onIndex?: (change: IndexChange) => void
  /** Rules of read replicas that differ from the usual ones. */
  readonly replicaRules?: Partial<ReplicaRules>
  /** Called when a replica is used, or left with a reason. */
  readonly onReplica?: (change: ReplicaChange) => void
}

/** An entity whose log somebody follows, and how far. */
export interface Followed {
  readonly ref: EntityRef
  readonly from: LogPosition
}

/** Runs the statements of a search, which name the connector by its number. */
export type SearchWork<T> = (session: Session, number: number) => Promise<T>
/** Statements about several entities, by the numbers of their connectors. */
export type SeveralWork<T> = (session: Session, numbers: readonly (number | undefined)[]) => Promise<T>

/** Options of a search. */
export interface SearchReadOptions extends ReadOptions {
  /** Names of further tables that the search reads: a replica must have their state too. */
  readonly related?: readonly string[]
}

/** Status of the copy. */
export interface StoreStatus {
  readonly engine: EngineName
  /** True after the first use since the start. */
  readonly opened: boolean
  /** Taken slots, and waiting requests, over searches and writes. */
  readonly running: number
  readonly waiting: number
  /** The newest damaged database that was set aside since the start. */
  readonly setAside: SetAsideDatabase | undefined
  /** Read replicas, in the order of the setting. */
  readonly replicas: readonly ReplicaStatus[]
  /** Bytes of changes that the consumer furthest behind has not read in an entity, at the last `purgeExpired`. */
  readonly consumerLag: number
  /** Number of statements of searches by where they ran, since the start. */
  readonly searches: ReadonlyMap<SearchRoute, number>
}

/**
 * The synced copy of records. The database opens when it is first needed; reading from an embedded store without data opens nothing. Every
 * call may throw FerruleError `context_store_unavailable`, `context_store_timeout` or `overloaded`. The first call also throws
 * `setting_invalid` when the database is not usable.
 */
export interface ContextStore {
  /** Adds the searchable entities of a kind. Their tables are created with the first write. */
  ensureKind(definition: SearchableKind): void
  /** Opens the database and checks it. Used at the start of a service with PostgreSQL. */
  checkDatabase(): Promise<void>
  /** Resolves when a PostgreSQL server answers and takes writes, within two seconds; an embedded database is not asked. */
  ready(): Promise<void>
  /**
   * Returns the table of a searchable entity.
   * @param own the kind, where an organization brought it
   */
  getTable(kind: string, entity: string, own?: OwnKind): SearchTable
  /**
   * Writes a batch of one entity with its checkpoints, all or nothing. Unchanged rows are skipped. Only one run at a time writes an
   * entity.
   * @throws FerruleError `connector_not_found` when the connector was deleted; `unavailable` when another complete pass has begun
   */
  writeBatch(ref: EntityRef, batch: Batch): Promise<BatchResult>
  /**
   * Updates the copy with records that were read outside of a sync. Does nothing when no sync has written the entity.
   * @param asked time of the request, in milliseconds since 1970
   * @param cause default: a client's read
   */
  foldLive(ref: EntityRef, records: readonly StoredRecord[], asked: number, cause?: ChangeCause): Promise<BatchResult | undefined>
  /**
   * Reads how often the rows of an entity have changed, on any node. While the count is the `storedAt` of a batch, each record of the batch
   * is stored as it was. Undefined when no sync has written the entity.
   */
  readChanges(ref: EntityRef): Promise<bigint | undefined>
  /** Returns the same count at once if an embedded database was asked before and nothing was written since; else undefined. */
  peekChanges(ref: EntityRef): bigint | undefined
  /**
   * Deletes records that no longer exist, with their descendants. Responses to earlier requests do not restore them.
   * @returns the number of deleted records by entity
   */
  forgetRecords(gone: Removal): Promise<ReadonlyMap<string, number>>
  /** Reads keys of an entity in their order, after a given key. */
  readKeys(ref: EntityRef, from: KeyPage): Promise<readonly string[]>
  /** Finds which of some keys are stored. */
  findKnownKeys(ref: EntityRef, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Begins or resumes the pass of this id, which remembers the keys written with it. */
  beginPass(ref: EntityRef, pass: string): Promise<void>
  /**
   * Ends a complete pass and deletes what it did not see. Call it again after a kill.
   * @returns the number of deleted rows
   */
  sweep(ref: EntityRef, pass: string): Promise<number>
  /** Returns whether a sweep would delete rows, of everything or of a span. False when the pass is over. */
  hasUnseen(ref: EntityRef, pass: string, span?: Span): Promise<boolean>
  /**
   * Ends a pass over the records of a span, and deletes those that it did not see.
   * @returns the number of deleted rows
   * @throws FerruleError `unavailable` when the pass is over
   */
  sweepSpan(ref: EntityRef, pass: string, span: Span): Promise<number>
  /** Ends an incomplete pass without deleting anything. */
  abandonPass(ref: EntityRef, pass: string): Promise<void>
  /**
   * Deletes all rows and checkpoints of an entity; the connector stays. Rows of a kind of an organization are found without the kind, of
   * any version.
   */
  deleteAll(ref: EntityRef): Promise<void>
  /**
   * Moves the rows of a connector from one version of its organization's kind to another (`findOwnMoves`). Rows of entities that are stored
   * alike stay as they are. Others lose their checkpoints, so they are read again. Call it again after a kill. No run may write meanwhile.
   */
  moveRows(connector: string, from: OwnKind, to: OwnKind): Promise<void>
  /** Deletes everything of a connector for good. After a kill, call it again, or `finishRemovals`. */
  removeConnector(connector: string): Promise<void>
  /** Resumes interrupted deletions. */
  finishRemovals(): Promise<void>
  /**
   * Begins the log of the changes of an entity, or notes that it is still read.
   * @param organizationId whose reader it is; left out: it counts for none
   * @throws FerruleError `validation_failed` when the organization keeps as many logs as it may
   */
  followChanges(ref: EntityRef, organizationId?: string): Promise<void>
  /** Reads changes of an entity after a position, in the order of their commits. */
  readLog(ref: EntityRef, from: { readonly after: bigint; readonly limit: number }): Promise<LogPage>
  readLogStates(refs: readonly EntityRef[]): Promise<readonly LogState[]>
  /** Counts the records of an entity that changed between two positions. */
  countChanges(ref: EntityRef, span: { readonly after: bigint; readonly upTo: bigint }): Promise<ChangeCounts>
  /**
   * Waits until the log of one of some entities of a connector is elsewhere than at its position.
   * @returns false when the time is over
   * @throws the reason of the signal
   */
  waitForChange(followed: readonly Followed[], wait: LogWait): Promise<boolean>
  /**
   * Notes from where on consumers need the changes of an entity: those are kept beyond their days, and the log does not end.
   * @param findNeeded reads where all consumers are. It may run again, and never waits for the store
   */
  keepChanges(ref: EntityRef, findNeeded: () => Promise<readonly LogPosition[]>): Promise<void>
  /**
   * Deletes changes whose days are over, also of entities that nothing writes any more.
   * @param own days of connectors with a value of their own, by their ids
   */
  purgeExpired(now: number, own?: ReadonlyMap<string, number>): Promise<void>
  /** Runs a search in one slot; undefined when no record of the entity was ever written. */
  search<T>(ref: EntityRef, work: SearchWork<T>, options?: SearchReadOptions): Promise<T | undefined>
  /** Returns whether a search can read an entity: its table exists. */
  hasRows(ref: EntityRef): Promise<boolean>
  /** Returns whether a statement may be about several connectors: their rows are in one database. */
  canJoinConnectors(): Promise<boolean>
  /**
   * Runs statements about several entities in one slot, on the primary. Where connectors cannot be joined: entities of one.
   * @param work gets the numbers of their connectors, undefined where nothing of the entity was ever written
   */
  searchSeveral<T>(refs: readonly EntityRef[], work: SeveralWork<T>, options?: ReadOptions): Promise<T>
  countRecords(connector: string): Promise<ReadonlyMap<string, number>>
  /** Reads the checkpoints of an entity, as JSON by name. */
  readCheckpoints(ref: EntityRef): Promise<ReadonlyMap<string, string>>
  /** Saves checkpoints without records. */
  saveCheckpoints(ref: EntityRef, checkpoints: readonly Checkpoint[]): Promise<void>
  status(): StoreStatus
  readonly indexes: OnDemandIndexes
  openDatabase(): Promise<ContextDatabase>
  /** Waits for running work and closes everything. */
  close(): Promise<void>
}
