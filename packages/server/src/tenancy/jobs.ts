/** Reads jobs, which clients started. */
import { fail } from 'ferrule/internal'
import type { JobRecord } from 'ferrule/wire'
import type { Parts } from '../main/parts.ts'
import { type Principal, requireScope } from '../values/access.ts'
import { asId, iso } from '../values/ids.ts'
import { findJob, type JobRow } from './sql/organizations.ts'

const toRecord = ({ id, type, status, connector_id, created_at, finished_at }: JobRow): JobRecord => ({
  id,
  type,
  status,
  connector_id,
  created_at: iso(created_at),
  finished_at: iso(finished_at),
})

/** Jobs of the principal's organization; kept for 30 days. */
export interface Jobs {
  /** Reads a job. Scope connectors:read. @throws FerruleError `job_not_found` */
  get(principal: Principal, id: string): Promise<JobRecord>
}

/** Builds the service. */
export const createJobs = ({ database }: Pick<Parts, 'database'>): Jobs => ({
  get: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const id = asId(given)
    const row = id === undefined ? undefined : await findJob(database.db, principal, id)
    if (row === undefined) throw fail('job_not_found', {})
    return toRecord(row)
  },
})
