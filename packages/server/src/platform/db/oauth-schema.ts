/** Declares the table of the authorization server. */

/** Registrations, authorizations in progress, codes and refresh tokens. */
export interface OAuthRecordTable {
  /** SHA-256 of type and id, base64url: the id is a secret. */
  digest: string
  type: string
  /** Row of `mcp_tokens` that a code or refresh token belongs to. */
  grant_id: string | null
  /** Encrypted content; only the id decrypts it. */
  sealed: Uint8Array
  /** Time of the only use of a code or refresh token. */
  consumed_at: number | null
  created_at: number
  expires_at: number
}
