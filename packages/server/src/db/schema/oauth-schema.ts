/** Declares the table of the authorization server. */
import type { Bytes, Moment } from './column-types.ts'

/** Registrations, authorizations in progress, codes and refresh tokens. */
export interface OAuthRecordTable {
  /** SHA-256 of type and id, base64url: the id is a secret. */
  digest: string
  type: string
  /** Row of `mcp_tokens` that a code or refresh token belongs to. */
  grant_id: string | null
  /** Encrypted content; only the id decrypts it. */
  sealed: Bytes
  /** Time of the only use of a code or refresh token. */
  consumed_at: Moment | null
  created_at: Moment
  expires_at: Moment
}
