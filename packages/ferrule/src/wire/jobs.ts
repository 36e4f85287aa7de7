/** Jobs on the wire. */
import { oneOf, time } from '../definition/index.ts'
import { record, uuid, type Wire } from './words.ts'

/** Types of jobs. */
export const jobTypes = ['connector_delete'] as const
/** Type of a job. */
export type JobType = (typeof jobTypes)[number]
/** Statuses of a job. */
export const jobStatuses = ['succeeded'] as const
/** Status of a job. */
export type JobStatus = (typeof jobStatuses)[number]

export const jobReference = record('JobReference', { job_id: uuid('Job id') }, 'A job that was started')
/** The id of a job that was started. */
export type JobReference = Wire<typeof jobReference>

export const jobRecord = record(
  'Job',
  {
    id: uuid('Job id'),
    type: oneOf('Type of the job', ...jobTypes),
    status: oneOf('Status', ...jobStatuses),
    connector_id: uuid('Connector id'),
    created_at: time('Time of the request'),
    finished_at: time('Time of the end'),
  },
  'A job',
)
/** A job. */
export type JobRecord = Wire<typeof jobRecord>
