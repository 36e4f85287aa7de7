/** Reads jobs, which clients started. */

import { fail } from 'ferrule/internal'
import type { JobRecord } from 'ferrule/wire'
import type { Parts } from '../main/parts.ts'
import { asId, iso } from '../values/ids.ts'
import { requireScope } from '../values/scopes.ts'
import type { Jobs } from './job-types.ts'
import { findJob, type JobRow } from './sql/workspaces.ts'

const toRecord = ({ id, type, status, connector_id, created_at, finished_at }: JobRow): JobRecord => ({
  id,
  type,
  status,
  connector_id,
  created_at: iso(created_at),
  finished_at: iso(finished_at),
})

/** Builds the service. */
export const createJobs = ({ database }: Parts): Jobs => ({
  get: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const id = asId(given)
    const row = id === undefined ? undefined : await findJob(database.db, principal, id)
    if (row === undefined) throw fail('job_not_found', {})
    return toRecord(row)
  },
})
