import { endpoints, jobRecord } from 'ferrule/wire'
import { principalRoute, slot } from '../route.ts'

/** One job. */
export const getJob = principalRoute({
  ...endpoints.getJob,
  auth: 'principal',
  document: {
    id: 'getJob',
    tag: 'jobs',
    summary: 'Read a job',
    about: 'Jobs are kept for 30 days.',
    scope: 'connectors:read',
    answer: { about: 'The job', schema: jobRecord },
    problems: ['job_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.jobs.get(exchange.who, slot(exchange, 'job_id')) }),
})
