/** Interfaces of connectors and of their kinds. */

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import type { Connection } from 'ferrule/engine'
import { isCertified } from 'ferrule/internal'
import type { ConnectorRecord, ConnectorSummary, DefinitionSummary, JobReference, Page } from 'ferrule/wire'
import type { ArrivingCall } from '../calls/admission.ts'
import { listCopiedEntities } from '../copies/sync/walk/plan.ts'
import type { Db } from '../db/database.ts'
import type { ConnectorAccess, OwnKind, Principal, PrincipalView } from '../values/access.ts'

/** What is known of a kind without its definition. */
export interface KindSummary extends Pick<ConnectorDefinition, 'kind' | 'id' | 'title' | 'about'> {
  /** Whether connectors of the kind have a copy. */
  readonly copied: boolean
}

interface OwnVersion extends OwnKind {
  readonly version: number
  /** Hosts that it leads to. */
  readonly hosts: readonly string[]
  /** Reads the text of its recordings; undefined without recordings. */
  readonly readRecordings: (() => Promise<string>) | undefined
}

/** A kind of this service. */
export interface ServedKind extends Kind {
  /** Given where the definition is read when it is first used. */
  readonly summary?: KindSummary
  /** Whether the kind came with the service. */
  readonly ships?: boolean
  /** Path of its recordings. The sandbox plays the kind from them. */
  readonly recordings?: string
  /** Given for a version of a kind that an organization brought. */
  readonly own?: OwnVersion
  /** URL of the operator's rules, for threads: functions cannot be sent to them. */
  readonly rulesModule?: string
}

/** Returns what lists show of a definition. */
export const summarizeDefinition = (definition: ConnectorDefinition): KindSummary => {
  const { kind, id, title, about } = definition
  return { kind, id, title, about, copied: listCopiedEntities(definition).length > 0 }
}

/** What is stored of a version of an organization's kind, beside its definition and its files. */
export interface VersionSummary extends Pick<KindSummary, 'title' | 'about' | 'copied'> {
  readonly entities: number
  /** Hosts that people and credentials are sent to. */
  readonly hosts: readonly string[]
  /** Whether the version has recordings. */
  readonly sandbox: boolean
  /** True: an operator gave its entities tables of their own. */
  readonly promoted?: true
}

/** Reads a stored summary: JSON that this service wrote. */
export const parseVersionSummary = ({ summary }: { readonly summary: string }): VersionSummary => JSON.parse(summary)

/** Compresses a checked definition: to a twentieth of what it takes as an object. */
export const packDefinition = (definition: ConnectorDefinition): Buffer => deflateRawSync(JSON.stringify(definition))

/** Returns the JSON of a compressed definition. */
export const unpackDefinition = (packed: Uint8Array): string => inflateRawSync(packed).toString('utf8')

/** Returns what lists show of a kind. It reads no definition that is read at its first use. */
export const summarize = (kind: ServedKind): KindSummary => kind.summary ?? summarizeDefinition(kind.definition)

/** Returns whether a kind is one of the library's own, not a file. */
export const isOfLibrary = (kind: ServedKind): boolean => isCertified(summarize(kind))

/** What a surface knows of a request that stores credentials. None of it leaves out their check: only `check: false` in the body does. */
export interface CredentialTrial extends Omit<ArrivingCall, 'organizationId'> {
  /** Header Idempotency-Key. Renewed tokens are stored under the key, and a repeat gets the connector of the first request. */
  readonly idempotencyKey?: string | undefined
  /** Called when the answer is that of an earlier request under the same key. */
  readonly replayed?: () => void
}

/**
 * Connectors of the principal's organization. Methods with an id throw `connector_not_found` for anything that the principal does not see:
 * an unknown id, an id of another organization, a malformed id.
 */
export interface Connectors {
  /**
   * Tries the credentials, then stores the connector. A failure stores nothing except tokens that the vendor issues once.
   * @param body `{ workspace_name (or its old names), create_workspace?, name, connector_type (or definition_id, source_template_id),
   *   credentials, check?, replication_config?, environment?, entities? }`; null counts as absent
   * @throws FerruleError the single problem, or `validation_failed` with several; `idempotency_key_conflict`; `idempotency_key_in_flight`; the error of the trial
   */
  create(principal: Principal, body: unknown, trial?: CredentialTrial): Promise<ConnectorRecord>
  /** Validates a body of `create` without storing it. The surface runs the kind's check operation over the connection. */
  trial(principal: Principal, body: unknown): Promise<Connection>
  /**
   * Lists connectors.
   * @param query `{ workspace_id?, workspace_name? (or its old names), definition_id?, connector_type?, limit? (1..100, default 20),
   *   cursor? }`
   * @throws FerruleError `validation_failed`, `invalid_cursor`
   */
  list(principal: Principal, query: unknown): Promise<Page<ConnectorSummary>>
  get(principal: Principal, id: string): Promise<ConnectorRecord>
  /**
   * Updates a connector.
   * @param body any of `{ name, replication_config, entities }`; replaces replication_config
   */
  update(principal: Principal, id: string, body: unknown): Promise<ConnectorRecord>
  /**
   * Changes a connector. Tries new credentials like `create`, and clears `auth_error`.
   * @param body like `update`, plus `credentials`. Merges objects as in RFC 7396 (null removes); credentials of another scheme replace the
   *   stored ones
   */
  patch(principal: Principal, id: string, body: unknown, trial?: CredentialTrial): Promise<ConnectorRecord>
  /** Deletes the connector and its credentials; the job has finished when this resolves. */
  remove(principal: Principal, id: string): Promise<JobReference>
  /**
   * Reads what the engine needs to run a call, in one statement. The credentials stay encrypted until the engine opens them.
   * @throws FerruleError `connector_not_found`, `workspace_inactive`
   */
  readAccess(view: PrincipalView, id: string): Promise<ConnectorAccess>
  /**
   * Reads the kind of a connector. It needs no sandbox and no credentials.
   * @throws FerruleError `connector_not_found`, `workspace_inactive`
   */
  readKind(view: PrincipalView, id: string): Promise<ServedKind>
  /**
   * Stores that the vendor refused this version of the credentials. Writes on change only, and leaves a newer version alone.
   * @param reason the vendor's message without secrets; the next step is added
   */
  markAuthError(access: ConnectorAccess, reason: string): Promise<void>
  /** Stores that a call succeeded, which clears `auth_error`. Writes on change only, so every call may use it. */
  markHealthy(access: ConnectorAccess): Promise<void>
}

/** What a stored row says of its kind. */
export interface KindOfRow {
  readonly organization_id: string
  readonly kind: string
}

/** Finds kinds. Inside a transaction, give its database. */
export interface Kinds {
  /** The kinds that this process serves, the same for everybody. */
  readonly served: Catalogue
  /**
   * Returns the kinds that an organization can name: the served ones, and the newest versions of its own.
   * @param names those that are looked for: if all are served ones, no other kind is read. Left out: all are read
   */
  of(organizationId: string, names?: readonly unknown[]): Promise<Catalogue>
  /**
   * Returns a version of a kind that an organization can name.
   * @param name slug, title or id
   * @param version undefined for the newest; kinds of the service have no others
   * @throws FerruleError `connector_type_not_found`, `kind_not_found`
   */
  getVersion(organizationId: string, name: string, version: number | undefined): Promise<ServedKind>
  /** Returns the kind of a row; undefined when this version of the service, or the organization, lacks it. */
  find(row: KindOfRow, db?: Db): ServedKind | undefined | Promise<ServedKind | undefined>
  /** As `find`. @throws FerruleError `connector_type_not_found` */
  get(row: KindOfRow, db?: Db): Promise<ServedKind>
  /** Reads the kinds of some rows, and returns what finds the kind of each. */
  findAll(rows: readonly KindOfRow[], db?: Db): Promise<(row: KindOfRow) => ServedKind | undefined>
}

/** Some kinds by their names. */
export interface Catalogue {
  readonly kinds: readonly ServedKind[]
  /** Lists the kinds. @param nameContains case-insensitive part of the title or slug */
  list(nameContains?: string): readonly DefinitionSummary[]
  /** Lists the slugs of kinds whose connectors have a copy. */
  listCopied(): readonly string[]
  /**
   * Returns the kind of a `connector_type`, title or definition id; ignores case, space, `_` and `-`.
   * @throws FerruleError `connector_type_not_found`
   */
  getKind(given: string): ServedKind
  /** Returns whether the sandbox plays the vendor of a kind. */
  hasStandIn(kind: ServedKind): boolean
  /** As `getKind`; undefined when this version of the service lacks the kind. */
  findKind(given: string): ServedKind | undefined
}
