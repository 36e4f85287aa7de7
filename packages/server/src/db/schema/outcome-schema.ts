/** Declares the tables of what writes and statements answered. */
import type { Bytes, Moment } from './column-types.ts'

/** Answers of writes and statements that agents read on from, on any node. */
export interface KeptAnswerTable {
  organization_id: string
  /** SHA-256 of the id, base64url. */
  digest: string
  /** Encrypted with a key of the id, which only the agent's handle has. */
  sealed: Bytes
  expires_at: Moment
}

/** Writes of vendor request ids. */
export interface RequestClaimTable {
  organization_id: string
  connector_id: string
  request_id: string
  /** Digest of the engine's fingerprint of the write. */
  fingerprint: string
  /** Time of the last claim. */
  claimed_at: Moment
  /** Call of the last claim, and the end of its hold. */
  owner: string
  busy_until: Moment
}
