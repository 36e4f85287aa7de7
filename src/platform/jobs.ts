/** Jobs: pieces of work that were asked for. */
import { fail } from '../errors.ts'
import { findJob, type JobRow } from './db/queries-workspaces.ts'
import { asId, iso } from './ids.ts'
import type { Parts } from './parts.ts'
import type { JobRecord } from './records.ts'
import { requireScope } from './scopes.ts'
import type { Jobs } from './types.ts'

const recordOf = ({ id, type, status, connector_id, created_at, finished_at }: JobRow): JobRecord => ({
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
    return recordOf(row)
  },
})
