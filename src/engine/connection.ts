/** What the engine needs to know of one connector: its kind, its configuration, its credentials and where to send. */
import type { Kind } from '../definition/connector.ts'
import type { Secret } from './secret.ts'

/** Credential fields by name, as the kind's schemes declare them. */
export type CredentialValues = Readonly<Record<string, string>>

/** Credentials at one moment. */
export interface OpenedCredentials {
  readonly values: Secret<CredentialValues>
  /** Changes with every replacement of the credentials. */
  readonly version: string
}

/** Where credentials come from: the vault of the platform, or the memory of the library. */
export interface CredentialSource {
  /** The current credentials. @throws FerruleError `credentials_unreadable` */
  open(): Promise<OpenedCredentials>
  /**
   * Replaces credentials that the vendor no longer takes; one exchange at a time for a connector, across all nodes.
   * When the current version is not `stale` any more, the current credentials are returned and `exchange` is not called.
   * What `exchange` returns is stored durably before this resolves.
   * @throws what `exchange` throws; after `upstream_auth_failed` the connector is marked
   */
  renew(stale: string, exchange: (current: Secret<CredentialValues>) => Promise<Secret<CredentialValues>>): Promise<OpenedCredentials>
}

/** Origins that replace those of the definition: for egress proxies, regional hosts, recorded replays and the sandbox. */
export interface OriginOverride {
  readonly api: string
  /** Default: `api`. */
  readonly oauth?: string
  /** When given, file links of the vendor's answers are sent to this origin. */
  readonly media?: string
}

/**
 * Something that the vendor tells beside an answer: `api_version`, another version of its API answered than the one that was asked
 * for; `deprecated`, what an entity uses is deprecated, with the vendor's reason (500 characters at most).
 */
export type VendorNotice =
  | { readonly type: 'api_version'; readonly asked: string; readonly answered: string }
  | { readonly type: 'deprecated'; readonly entity: string; readonly reason: string }

/** What is known of a request id that was claimed. */
export interface Claim {
  /**
   * The id was claimed before, for the same write: an earlier submission may have reached the vendor, so this one is sent as its
   * repetition (Snowflake: `retry=true`), never as a first one.
   */
  readonly repeated: boolean
  /** When it was claimed last before this, in milliseconds since 1970; with `repeated`. */
  readonly previous?: number
}

/** Which write each vendor request id stands for. */
export interface WriteClaims {
  /**
   * Binds a request id to one write of the connector, durably, before anything of it is sent; kept for 7 days after the last
   * claim. The same write may claim its id again.
   * @param requestId the id that the vendor knows the write by; the case of a UUID's letters does not matter
   * @param fingerprint what the write is: a hash of everything that changes what the vendor does, such as statement and context
   * @throws FerruleError `request_id_conflict` when another write has the id; `unavailable`
   */
  claim(requestId: string, fingerprint: string): Promise<Claim>
}

/** One connector, as the engine uses it. */
export interface Connection {
  readonly kind: Kind
  readonly configuration: Readonly<Record<string, unknown>>
  readonly credentials: CredentialSource
  readonly origin?: OriginOverride
  /** Takes notices of the vendor, with every answer that carries one. What it throws fails the call. */
  readonly notice?: (notice: VendorNotice) => void
  /** Absent for credentials that are only tried: they write nothing. */
  readonly writes?: WriteClaims
}
