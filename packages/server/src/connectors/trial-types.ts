/** Types of trials of credentials. */
import type { Connection } from 'ferrule/engine'

/** Options of a trial. */
export interface CredentialTrial {
  /**
   * Calls the vendor with credentials that are not stored. `left out`: no trial is made, and the credentials count as unchecked.
   * @returns the account behind the credentials, as JSON; undefined when nothing proves it
   */
  readonly check: ((connection: Connection) => Promise<string | undefined>) | 'left out'
  /** Header Idempotency-Key. Renewed tokens are stored under the key, and a repeat gets the connector of the first request. */
  readonly idempotencyKey?: string | undefined
  /** Called when the answer is that of an earlier request under the same key. */
  readonly replayed?: () => void
  /** What the hint of a refusal says in place of the member `check`, which not every caller has. */
  readonly forceHint?: string
}
/** A connector for new credentials, and the options of their trial. */
export interface TriedTarget {
  readonly id: string
  readonly trial: CredentialTrial
}
