/** Interface of jobs. */

import type { JobRecord } from 'ferrule/wire'
import type { Principal } from '../values/access.ts'

/** Jobs of the principal's organization; kept for 30 days. */
export interface Jobs {
  /** Reads a job. Scope connectors:read. @throws FerruleError `job_not_found` */
  get(principal: Principal, id: string): Promise<JobRecord>
}
