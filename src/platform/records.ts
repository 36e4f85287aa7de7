/** What the services answer, in wire form: records can be sent as they are. All moments are ISO 8601 in UTC. */

/** An organization, with the caller's role in it. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  readonly role: 'admin'
  readonly created_at: string
}

/** An application: a client id with a hashed secret. */
export interface ApplicationRecord {
  readonly id: string
  readonly client_id: string
  readonly name: string
  readonly organization_ids: readonly string[]
  readonly created_at: string
}

/** An organization and who reaches it, for the operator. */
export interface OrganizationReach {
  readonly id: string
  readonly name: string
  /** Client ids of the applications that were granted in it. */
  readonly client_ids: readonly string[]
}

/** A workspace in wire form. */
export interface WorkspaceRecord {
  readonly id: string
  readonly name: string
  readonly organization_id: string
  readonly status: 'active' | 'inactive'
  readonly cache_enabled: boolean | null
  readonly tombstone: boolean
  readonly visibility: 'shared' | 'private'
  readonly color: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** State of a connector. */
export type ConnectorStatus = 'active' | 'auth_error' | 'disabled'

/** Entities that a connector is limited to, as clients send them. */
export interface EntitySelection {
  readonly entity: string
  readonly modes?: readonly ('read' | 'write')[]
}

/** The kind of a connector, in the shape that existing clients read. */
export interface SourceTemplate {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly source_definition_id: string
  readonly user_config_spec: { readonly connectionSpecification: unknown }
  readonly partial_default_config: Readonly<Record<string, never>>
  readonly tags: readonly string[]
  readonly mode: 'DIRECT'
  readonly is_experimental: boolean
  readonly runtime_mode: 'direct_only' | 'direct_and_context_store'
  readonly supports_context_store: boolean
}

/** The kind of a connector in lists, in the shape that existing clients read. */
export interface SummarizedSourceTemplate {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly actor_definition_id: string
  readonly connector_name: string
  readonly organization_id: string
  readonly tags: readonly string[]
  readonly mode: 'DIRECT'
  readonly runtime_mode: 'direct_only' | 'direct_and_context_store'
  readonly supports_context_store: boolean
}

/** What records and summaries of connectors share. */
export interface ConnectorCommon {
  readonly id: string
  readonly name: string
  readonly replication_config: Readonly<Record<string, unknown>>
  readonly entities: readonly EntitySelection[]
  readonly created_at: string
  readonly updated_at: string
  readonly workspace_id: string
  readonly workspace_name: string
  readonly organization_id: string
  /** Slug of the kind. */
  readonly connector_type: string
  readonly definition_id: string
  readonly status: ConnectorStatus
  /** Why it is not active, and what to do. */
  readonly status_reason: string | null
  readonly credential_scheme: string
  /** Names of the stored credential fields; never their values. */
  readonly credential_fields: readonly string[]
  readonly environment: { readonly sandbox: boolean }
  /** What the vendor told beside its answers: another version of its API answered, something is deprecated. */
  readonly notices: readonly ConnectorNotice[]
}

/** Something that a vendor told beside an answer. */
export interface ConnectorNotice {
  readonly type: 'api_version' | 'deprecated'
  readonly message: string
  /** When it was told first, ISO 8601. */
  readonly since: string
}

/** A connector in wire form. */
export interface ConnectorRecord extends ConnectorCommon {
  readonly source_template: SourceTemplate
}

/** A connector in lists. */
export interface ConnectorSummary extends ConnectorCommon {
  readonly summarized_source_template: SummarizedSourceTemplate
}

/** A piece of work that was asked for. */
export interface JobRecord {
  readonly id: string
  readonly type: 'connector_delete'
  readonly status: 'succeeded'
  readonly connector_id: string
  readonly created_at: string
  readonly finished_at: string
}

/** A kind in the list of definitions. */
export interface DefinitionSummary {
  readonly sourceDefinitionId: string
  readonly name: string
  readonly connector_type: string
  readonly description: string
  readonly iconUrl: string | null
  readonly custom: boolean
  readonly supportLevel: 'certified'
}

/** An action of an entity, with the JSON Schema of its parameters. */
export interface ActionDocument {
  readonly action: string
  readonly description: string
  readonly params: unknown
}

/** An entity with everything that a caller needs to use it. */
export interface EntityDocument {
  readonly entity: string
  readonly description: string
  readonly key: readonly string[]
  readonly actions: readonly ActionDocument[]
  /** JSON Schema of a record; null for entities that are files. */
  readonly record: unknown
  /** JSON Schema of the searchable fields; null where there is no search. */
  readonly searchable: unknown
}

/** One way to authenticate, with the JSON Schema of its fields. */
export interface CredentialSchemeDocument {
  readonly scheme: string
  readonly title: string
  readonly schema: unknown
}

/** A kind in full. */
export interface DefinitionRecord {
  readonly id: string
  readonly definition: DefinitionSummary & {
    readonly spec: { readonly documentationUrl: string; readonly connectionSpecification: unknown }
  }
  readonly example_questions: { readonly direct: readonly string[]; readonly search: readonly string[] }
  readonly credentials: readonly CredentialSchemeDocument[]
  /** JSON Schema of `replication_config`. */
  readonly configuration: unknown
  readonly check: { readonly entity: string; readonly action: string }
  readonly entities: readonly EntityDocument[]
}

/** Answer of the token endpoint (RFC 6749 section 5.1 plus the organization). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'bearer'
  /** Seconds. */
  readonly expires_in: number
  /** null: the token reaches several organizations and each request names one. */
  readonly organization_id: string | null
  /** Present when the request narrowed the scope. */
  readonly scope?: string
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[]
  /** Opaque cursor of the next page, or null at the end. The HTTP surface makes a URL of it. */
  readonly next: string | null
}
