/** The way from tools to systems. A client of the service, connections of this process and the service itself implement it. */
import type { EntityDocument } from '../wire/definitions.ts'
import type { ChangesPage } from '../wire/feed/changes.ts'
import type { SearchInput, SearchResult } from '../wire/overview/search.ts'

/** A connected system. */
export interface AgentConnector {
  readonly id: string
  readonly name: string
  /** Slug of the kind. */
  readonly kind: string
  /** Version of the kind, if it is one of the organization. */
  readonly version?: number | undefined
  /** Name of the workspace; null: the connector is in none. */
  readonly workspace: string | null
  /** `active`, or why calls would fail: `auth_error`, `disabled`. */
  readonly state: string
  /** Why the connector is not active, or why its syncs wait, and what to do. */
  readonly reason: string | null
}

/** Which connectors a page lists. */
export interface ConnectorWish {
  /** Only connectors of this workspace. */
  readonly workspace?: string | undefined
  /** `next` of the page before. */
  readonly cursor?: string | undefined
}

/** One page of connectors. */
export interface ConnectorPage {
  readonly connectors: readonly AgentConnector[]
  /** Position of the next page; null on the last. */
  readonly next: string | null
}

/** How fresh the searchable copy of an entity is. */
export interface EntityFreshness {
  readonly entity: string
  /** State of the copy, for example `ready`. */
  readonly state: string
  /** True: searches are answered. */
  readonly searchable: boolean
  readonly records: number
  /** The copy holds what was new or changed until this time; null: no sync has finished. */
  readonly syncedAt: string | null
}

/** A kind, as far as tools use it. */
export interface AgentKind {
  /** Slug. */
  readonly kind: string
  /** Name of the vendor. */
  readonly title: string
  readonly description: string
  readonly entities: readonly EntityDocument[]
}

/** An operation of a connector. */
export interface AgentRequest {
  readonly entity: string
  /** An action of the entity, `context_store_search`, `context_store_aggregate` or `changes`. */
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
  /** Paths of the fields that records keep; undefined: all. */
  readonly fields?: readonly string[] | undefined
  /** Maximum age of the copy in seconds, for a search and an aggregate. */
  readonly maxAge?: number | undefined
  /** Key of a write that must happen once; undefined: each call is its own write. */
  readonly idempotencyKey?: string | undefined
}

/** Which changes of a copy to read. */
export interface ChangesWish {
  readonly entity: string
  /** Where an earlier page ended, or `now`; undefined: all records come first. */
  readonly after?: string | undefined
  /** Maximum number of entries. */
  readonly limit: number
}

/** How long a request may take. */
export interface RequestLimits {
  readonly signal?: AbortSignal | undefined
  /** Timeout in milliseconds. */
  readonly deadlineMs?: number | undefined
}

/** The systems that tools can reach. Every method throws a FerruleError, or the reason of an aborted signal. */
export interface AgentSource {
  /** Lists the connectors that the caller may use, in a stable order. */
  listConnectors(wish: ConnectorWish, limits: RequestLimits): Promise<ConnectorPage>
  /** Reads a connector by its id; undefined: it does not exist, or the caller may not use it. */
  getConnector(id: string, limits: RequestLimits): Promise<AgentConnector | undefined>
  /** Reads how fresh the copies of a connector are. A source without copies has no such method. */
  readFreshness?(connector: AgentConnector, limits: RequestLimits): Promise<readonly EntityFreshness[]>
  /** Reads a page of the changes of a copy, without waiting for one. A source without copies has no such method. */
  readChanges?(connector: AgentConnector, wish: ChangesWish, limits: RequestLimits): Promise<ChangesPage>
  /** Searches all connectors at once. A source without copies has no such method. */
  searchAll?(search: SearchInput, limits: RequestLimits): Promise<SearchResult>
  /** Describes the kind of a connector. */
  readKind(connector: AgentConnector, limits: RequestLimits): Promise<AgentKind>
  /**
   * Runs an operation.
   * @returns `{ data, meta }`; with `context_store` for a search and an aggregate; a file with a `stream` for a download
   */
  execute(connector: AgentConnector, request: AgentRequest, limits: RequestLimits): Promise<unknown>
}
