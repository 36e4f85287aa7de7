import { fail } from '../../../errors.ts'
import type { OpenRoute } from '../route.ts'

const ok = { json: { status: 'ok' } } as const

/** The process answers; nothing else is asked. */
export const live: OpenRoute = {
  method: 'GET',
  path: '/health/live',
  auth: 'none',
  document: {
    id: 'getLiveness',
    tag: 'service',
    summary: 'Tell whether the process answers',
    answer: { about: 'It does', schema: 'Health' },
    problems: [],
  },
  answer: () => ok,
}

/** Requests can be sent: the database answers and the service does not stop. */
export const ready: OpenRoute = {
  method: 'GET',
  path: '/health/ready',
  auth: 'none',
  document: {
    id: 'getReadiness',
    tag: 'service',
    summary: 'Tell whether requests can be sent',
    answer: { about: 'They can', schema: 'Health' },
    problems: ['unavailable'],
  },
  async answer(_exchange, { platform, stopping }) {
    if (stopping.isLeaving) throw fail('unavailable', { reason: 'it is stopping' })
    await platform.ready()
    return ok
  },
}

/** Numbers of the process for Prometheus. */
export const metrics: OpenRoute = {
  method: 'GET',
  path: '/metrics',
  auth: 'none',
  document: {
    id: 'getMetrics',
    tag: 'service',
    summary: 'Read the metrics of the process',
    answer: { about: "Prometheus' text format", schema: { type: 'string' }, type: 'text/plain' },
    problems: [],
  },
  answer: (_exchange, services) => services.metrics.text(),
}
