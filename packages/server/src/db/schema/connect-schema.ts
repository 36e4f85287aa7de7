/** Declares the tables of connect links, and of the operator's applications at vendors. */
import type { Bytes, Flag, Moment, NullableBytes, OptionalText } from './column-types.ts'

/** Columns of connectors that a consent made. */
export interface ConsentColumns {
  /** The operator's application that the credentials belong to; its fields are not among the encrypted ones. */
  vendor_application_id: OptionalText
  /** Digest of the token of a consent; connectors of one consent share it. */
  consent_digest: OptionalText
  /** JSON: account behind the credentials, as it was read with accepted ones. */
  account: OptionalText
}

/** Links, by which end users authorize connectors. */
export interface ConnectLinkTable {
  id: string
  organization_id: string
  /** Application that made the link; the link ends with it. */
  application_id: string
  workspace_id: string
  /** SHA-256 of the secret part, base64url. */
  digest: string
  /** JSON array of slugs. */
  kinds: string
  /** Connector whose credentials the link replaces; null for a new connector. */
  target_connector_id: string | null
  allow_other_account: Flag
  end_user_id: string
  end_user_name: string | null
  end_user_email: string | null
  name: string | null
  /** JSON: configuration values by slug. */
  defaults: string
  /** JSON: configuration values by slug. */
  locked: string
  redirect_url: string | null
  allowed_origin: string | null
  sandbox: Flag
  /** Authorizations that were begun. */
  attempts: number
  /** Connector that was authorized. */
  connector_id: string | null
  created_at: Moment
  expires_at: Moment
  used_at: Moment | null
  revoked_at: Moment | null
}

/** Sessions of the connect page. */
export interface ConnectSessionTable {
  /** SHA-256 of the cookie's value, base64url. */
  digest: string
  organization_id: string
  link_id: string
  created_at: Moment
  expires_at: Moment
}

/** Steps of an attempt. */
export type AttemptStatus = 'started' | 'exchanging' | 'choosing' | 'done' | 'failed'

/** Authorizations on a vendor's consent page. */
export interface ConnectAttemptTable {
  id: string
  organization_id: string
  link_id: string
  /** Session that began the attempt. */
  session_digest: string
  kind: string
  /** The operator's application that the consent was given to. */
  vendor_application_id: string
  /** SHA-256 of the parameter `state`, base64url. */
  state_digest: string
  /** SHA-256 of the cookie's value, base64url. The cookie binds the return to a browser, and decrypts `sealed`. */
  cookie_digest: string
  /** JSON: configuration values of the page. */
  configuration: string
  name: string | null
  status: AttemptStatus
  /** Credentials of the consent while accounts are chosen. */
  sealed: NullableBytes
  /** JSON: why it failed. */
  failure: string | null
  created_at: Moment
  expires_at: Moment
}

/** The operator's applications at vendors: client id and secret of a kind, in an organization. */
export interface VendorApplicationTable {
  id: string
  organization_id: string
  kind: string
  /** JSON array of names. */
  fields: string
  /** Encrypted with a master key. */
  sealed: Bytes
  master_key_id: string
  created_at: Moment
  updated_at: Moment
}

/** Tokens of deleted connectors that the vendor still has to end. A row outlives its workspace and its organization. */
export interface ConsentRevocationTable {
  id: string
  organization_id: string
  /** Deleted connector, to which `sealed` is bound. */
  connector_id: string
  kind: string
  configuration: string
  sandbox: Flag
  /** The operator's application. Its deletion deletes the row, since `sealed` has its secret. */
  vendor_application_id: string
  /** Credentials of the connector with those of the application, encrypted with a master key. */
  sealed: Bytes
  master_key_id: string
  failures: number
  /** Time of the next try, or end of the lease. */
  not_before: Moment
  created_at: Moment
}

/** The tables by name. */
export interface ConnectTables {
  connect_links: ConnectLinkTable
  connect_sessions: ConnectSessionTable
  connect_attempts: ConnectAttemptTable
  vendor_applications: VendorApplicationTable
  consent_revocations: ConsentRevocationTable
}
