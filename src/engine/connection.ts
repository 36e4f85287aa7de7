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

/** The hold of one call on a request id. */
export interface Hold {
  /** Who holds it: another one for each call. */
  readonly owner: string
  /** From then on nothing of the call can be at work at the vendor, whatever becomes of this process. Whole milliseconds since 1970. */
  readonly until: number
}

/** What is known of a request id. */
export interface Claim {
  /**
   * Another call claimed the id before, for the same write: a submission of it may have reached the vendor, so this one is sent as its
   * repetition (Snowflake: `retry=true`), never as a first one.
   */
  readonly repeated: boolean
  /** Another call holds the id until then (milliseconds since 1970), so this one does not: nothing may be sent. */
  readonly busyUntil?: number
}

/** Which write each vendor request id stands for, and which call may send it. */
export interface WriteClaims {
  /**
   * Binds a request id to one write of the connector, durably, before anything of it is sent, and holds it for one call; kept for 7
   * days after the last claim. The same write may claim its id again once no other call holds it; its owner renews it by claiming.
   * @param requestId the id that the vendor knows the write by; the case of a UUID's letters does not matter
   * @param fingerprint what the write is: a hash of everything that changes what the vendor does, such as statement and context
   * @throws FerruleError `request_id_conflict` when another write has the id; `unavailable`
   */
  claim(requestId: string, fingerprint: string, hold: Hold): Promise<Claim>
  /**
   * The call has ended: its hold lasts until another moment, at once for one that has passed. Nothing happens where another call
   * holds the id. @throws FerruleError `unavailable`
   */
  settle(requestId: string, hold: Hold): Promise<void>
}

/** What is kept of credentials that proved themselves to the vendor: a keyed digest of them and of the budget that they share. */
export interface KeptProof {
  /** Whether these credentials proved themselves for the budget with this key. */
  holds(budget: string, values: Secret<CredentialValues>): boolean
  /** Keeps that the vendor took them, or ends what is kept. Nothing waits for it, and it does not throw. */
  keep(budget: string, values: Secret<CredentialValues>, taken: boolean): void
}

/** One connector, as the engine uses it. */
export interface Connection {
  readonly kind: Kind
  readonly configuration: Readonly<Record<string, unknown>>
  readonly credentials: CredentialSource
  readonly origin?: OriginOverride
  /** Takes notices of the vendor, with every answer that carries one. What it throws fails the call. */
  readonly notice?: (notice: VendorNotice) => void
  /** Absent: a proof lasts as long as the process. */
  readonly proof?: KeptProof
  /** Absent for credentials that are only tried: they write nothing. */
  readonly writes?: WriteClaims
}
