/** Options, work and status of the context store. */
import type { EntityRef } from '../entity-ref.ts'
import type { EngineName, ReadOptions, Session } from './database/database.ts'
import type { SetAsideDatabase } from './database/embedded/folder.ts'
import type { ContextStoreSettings } from './database/settings.ts'
import type { IndexChange, IndexRules } from './indexes/types.ts'
import type { LogPosition, LogRules } from './log.ts'
import type { OnTableChange, SearchableKind } from './registry.ts'
import type { ReplicaChange, ReplicaRules, ReplicaStatus, SearchRoute } from './replicas/types.ts'

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
