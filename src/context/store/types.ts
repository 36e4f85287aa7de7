/** What the context store offers to the rest of the service. */
import type { ConnectorDefinition } from '../../definition/connector.ts'
import type { Secret } from '../../engine/secret.ts'
import type { OnDemandIndexes } from '../indexes/on-demand.ts'
import type { IndexChange, IndexRules } from '../indexes/types.ts'
import type { SearchTable } from '../query/columns.ts'
import type { Answer, ContextDatabase, EngineName, QueryOptions, Row, Statement } from './database.ts'
import type { SetAside } from './embedded-folder.ts'
import type { Gone } from './forget.ts'
import type { KeysFrom } from './reads.ts'
import type { OnChange } from './registry.ts'
import type { Rest } from './renewal.ts'
import type { Span } from './spans.ts'
import type { StoredRecord } from './writer.ts'
import type { Batch, Checkpoint, Written } from './writes.ts'

export type { Gone, Link } from './forget.ts'
export type { Span } from './spans.ts'

/** The part of a kind's definition that the store reads. */
export type SearchableKind = Pick<ConnectorDefinition, 'kind' | 'entities'>

/** Where the copy is kept, and how much it may take. Made from the settings of the process. */
export type ContextStoreSettings = {
  /** Searches, and writes, that may wait on this node. */
  readonly waiting: number
  /** Seconds until a search is stopped. */
  readonly searchSeconds: number
  /** Indexes that are made on demand at most, over all connectors; left out: 64. */
  readonly indexes?: number
} & (
  | {
      readonly engine: 'embedded'
      /** Folder that belongs to the store alone. */
      readonly folder: string
      /** Megabytes for the database's buffers. */
      readonly memoryMb: number
    }
  | {
      readonly engine: 'postgres'
      readonly url: Secret<string>
      /** Connections of this node for searches. */
      readonly searches: number
      /** Connections of this node for writes. */
      readonly writers: number
    }
)

/** What a store is opened with. */
export interface ContextStoreOptions {
  readonly settings: ContextStoreSettings
  /** Kinds whose searchable entities have tables; `ensureKind` adds more. */
  readonly kinds?: readonly SearchableKind[]
  /** Milliseconds since 1970. */
  readonly clock?: () => number
  /** A damaged embedded database was put away and an empty one made: everything must be filled again. */
  readonly onSetAside?: (aside: SetAside) => void
  /** A table was made, has new columns, or was made anew: its progress is forgotten, so it is filled from the start. */
  readonly onTableChange?: OnChange
  /** Checkpoints, or removal of dead rows, failed; they are tried again later. */
  readonly onUpkeepError?: (error: unknown) => void
  /** Waits between batches while words are made anew after an upgrade, where that is not as usual. */
  readonly rest?: Rest
  /** When indexes are made on demand, where that is not as usual. */
  readonly indexRules?: Partial<IndexRules>
  /** An index was made on demand, or could not be made. */
  readonly onIndex?: (change: IndexChange) => void
}

/** An entity of a connector. */
export interface EntityPlace {
  /** The connector's UUID. */
  readonly connector: string
  readonly kind: string
  readonly entity: string
}

/** A search, made when the table and the connector's number are known. */
export type Compile = (table: SearchTable, number: number) => Statement

/** The copy's own state. */
export interface StoreStatus {
  readonly engine: EngineName
  /** Whether it was used since the start. */
  readonly opened: boolean
  /** Turns that are taken, and how many wait, over searches and writes. */
  readonly running: number
  readonly waiting: number
  /** The newest damaged database that was put away since the start. */
  readonly setAside: SetAside | undefined
}

/**
 * The synced copy of records. Nothing is opened before it is needed: reading from an embedded store that was never written to opens
 * nothing. Every call may throw FerruleError `context_store_unavailable`, `context_store_timeout`, `overloaded`, and on the first one
 * `setting_invalid`, when the database is not one that can be used.
 */
export interface ContextStore {
  /** Makes the searchable entities of a kind known. Their tables come into being with the first write. */
  ensureKind(definition: SearchableKind): void
  /** Opens the database and looks whether it can be used. For the start of a service with PostgreSQL. */
  check(): Promise<void>
  /** The columns of a searchable entity. */
  tableOf(kind: string, entity: string): SearchTable
  /** The same as a connector's copy is searched now: by old token rules until its words were made anew. */
  searchedTable(place: EntityPlace): Promise<SearchTable>
  /** Entities of a connector that are searched by old token rules until their words were made anew; known without asking the database. */
  renewals(connector: string): ReadonlySet<string>
  /**
   * Writes a batch of one entity with its progress, all or nothing. Unchanged rows are passed over. One run at a time writes an entity.
   * @throws FerruleError `connector_not_found` when the connector was removed; `unavailable` when another complete pass has begun
   */
  write(place: EntityPlace, batch: Batch): Promise<Written>
  /**
   * Folds in records that were read live. Nothing happens when the entity was never written by a sync.
   * @param asked when they were asked for, in milliseconds since 1970
   */
  fold(place: EntityPlace, records: readonly StoredRecord[], asked: number): Promise<Written | undefined>
  /**
   * Removes records that are known to be gone, with all that hangs on them; nothing that was asked for before brings them back.
   * @returns how many records each entity lost
   */
  forget(gone: Gone): Promise<ReadonlyMap<string, number>>
  /** Keys of an entity in their order, behind one of them. */
  keys(place: EntityPlace, from: KeysFrom): Promise<readonly string[]>
  /** Those of some keys that are stored. */
  known(place: EntityPlace, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Begins a pass, or goes on with the one of this id: it remembers the keys that are written with it. */
  beginPass(place: EntityPlace, pass: string): Promise<void>
  /** Ends a complete pass: what it did not see is removed. After a kill, call it again. @returns how many rows were removed */
  sweep(place: EntityPlace, pass: string): Promise<number>
  /** Whether a sweep would remove something: of everything, or of a span. False when the pass is over. */
  unseen(place: EntityPlace, pass: string, span?: Span): Promise<boolean>
  /**
   * Ends a pass that met the records of a span only: those of them that it did not see are removed. @returns how many rows were removed
   * @throws FerruleError `unavailable` when the pass is over
   */
  sweepSpan(place: EntityPlace, pass: string, span: Span): Promise<number>
  /** Ends a pass that was not complete: nothing is removed. */
  abandonPass(place: EntityPlace, pass: string): Promise<void>
  /** Removes all rows and the progress of an entity; the connector stays. */
  empty(place: EntityPlace): Promise<void>
  /** Removes everything of a connector, for good. After a kill, call it again, or `finishRemovals`. */
  remove(connector: string): Promise<void>
  /** Goes on with removals that were interrupted. */
  finishRemovals(): Promise<void>
  /** Runs a search; undefined when nothing of the entity was ever written. */
  search<R = Row>(place: EntityPlace, compile: Compile, options?: QueryOptions): Promise<Answer<R> | undefined>
  /** Records of each entity of a connector. */
  counts(connector: string): Promise<ReadonlyMap<string, number>>
  /** Progress of an entity by its parts, as JSON. */
  checkpoints(place: EntityPlace): Promise<ReadonlyMap<string, string>>
  /** Keeps progress without records. */
  keep(place: EntityPlace, checkpoints: readonly Checkpoint[]): Promise<void>
  status(): StoreStatus
  /** Indexes that are made on demand. */
  readonly indexes: OnDemandIndexes
  /** The database itself. */
  database(): Promise<ContextDatabase>
  /** Waits for what runs and closes everything. */
  close(): Promise<void>
}
