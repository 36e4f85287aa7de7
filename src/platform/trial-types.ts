/** How surfaces have credentials tried. */
import type { Connection } from '../engine/connection.ts'

/** How credentials are tried before they are stored. */
export interface CredentialTrial {
  /** Calls the vendor with credentials that are not stored. Left out: nothing is tried, and they count as checked. */
  readonly check?: (connection: Connection) => Promise<void>
  /** The header Idempotency-Key: what a trial renewed is kept under it, and a repeat gets the connector that was made. */
  readonly idempotencyKey?: string | undefined
  /** Told when the answer is that of an earlier creation under the same key. */
  readonly replayed?: () => void
}
/** A connector that gets new credentials, and how they are tried; its id alone: they are not. */
export interface TriedTarget {
  readonly id: string
  readonly trial: CredentialTrial
}
