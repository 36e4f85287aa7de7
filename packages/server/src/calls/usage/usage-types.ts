/** Interface of the counted calls. */
import type { UsageReport } from 'ferrule/wire'
import type { ConnectorPlace, Principal } from '../../values/access.ts'
import type { CallCode } from '../../values/metric-types.ts'

/** Calls over time, of each organization, workspace and connector. */
export interface Usage {
  /** Counts a call of a client that has ended. Never throws. @param durationMs milliseconds until its answer began */
  count(place: ConnectorPlace, code: CallCode, durationMs: number): void
  /**
   * Reads the calls of the principal's organization, or of the workspaces and connectors that it sees. Scope connectors:read. Calls of
   * other nodes are missing for some seconds.
   * @param query `{ from?, to?, step? ('5m' | '1h' | '1d'), connector_id?, workspace_id? }`
   * @throws FerruleError `validation_failed`, `connector_not_found`
   */
  read(principal: Principal, query: unknown): Promise<UsageReport>
  /** Deletes counts that expired at `now` (milliseconds). @returns the number of buckets */
  purgeExpired(now: number): Promise<number>
  /** Stores what was counted, and waits for it. */
  store(): Promise<void>
}
