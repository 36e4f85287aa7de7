/** What the engine needs from one connector: its kind, configuration, credentials and origins. */
import type { Kind } from '../definition/connector.ts'
import type { CredentialSource, KeptProof } from './credentials/source.ts'
import type { OriginOverride } from './http/origin.ts'
import type { WriteClaims } from './writes/claims.ts'

/**
 * A notice of the vendor beside an answer. `api_version`: another API version answered than requested. `deprecated`: the entity uses
 * something deprecated, with the vendor's reason (at most 500 characters).
 */
export type VendorNotice =
  | { readonly type: 'api_version'; readonly asked: string; readonly answered: string }
  | { readonly type: 'deprecated'; readonly entity: string; readonly reason: string }

/** One connector, as the engine uses it. */
export interface Connection {
  readonly kind: Kind
  readonly configuration: Readonly<Record<string, unknown>>
  readonly credentials: CredentialSource
  readonly origin?: OriginOverride | undefined
  /** As in `OriginSource`. */
  readonly usesOther?: true
  /** Secret that binds the cursors of lists to this connector. Absent: they end with the process. */
  readonly cursorKey?: Uint8Array
  /** Receives the vendor's notices, once per answer that carries one. An exception fails the call. */
  readonly notice?: (notice: VendorNotice) => void
  /** Absent: a proof lasts as long as the process. */
  readonly proof?: KeptProof
  /** Absent for credentials under trial, which write nothing. */
  readonly writes?: WriteClaims
}
