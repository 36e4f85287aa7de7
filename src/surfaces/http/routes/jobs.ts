import { type PrincipalRoute, slot } from '../route.ts'

/** One job. */
export const getJob: PrincipalRoute = {
  method: 'GET',
  path: '/api/v1/jobs/{job_id}',
  auth: 'principal',
  document: {
    id: 'getJob',
    tag: 'jobs',
    summary: 'Read a job',
    about: 'Jobs are kept for 30 days.',
    scope: 'connectors:read',
    answer: { about: 'The job', schema: 'Job' },
    problems: ['job_not_found'],
  },
  answer: async (exchange, { platform }) => ({ json: await platform.jobs.get(exchange.who, slot(exchange, 'job_id')) }),
}
