import { fail } from 'ferrule/internal'
import { endpoints, health } from 'ferrule/wire'
import { type OpenRoute, openRoute } from '../route.ts'

const ok = { json: { status: 'ok' } } as const

export const live = openRoute('getLiveness', {
  tag: 'service',
  summary: 'Check liveness of the process',
  about: 'The answer comes from the process alone; no database is asked. A probe that fails means: restart the process.',
  returns: { about: 'The process answers', schema: health },
  answer: () => ok,
})

/** Requests can be sent: the databases answer and take writes, and the service is not stopping. */
export const ready = openRoute('getReadiness', {
  tag: 'service',
  summary: 'Check readiness for requests',
  about: 'The databases answer and the process is not stopping. A probe that fails means: send requests elsewhere for now.',
  returns: { about: 'Requests can be sent', schema: health },
  problems: ['unavailable', 'context_store_unavailable'],
  async answer(_exchange, { platform, stopping }) {
    if (stopping.isLeaving) throw fail('unavailable', { reason: 'it is stopping' })
    await platform.ready()
    return ok
  },
})

/** Numbers of the process for Prometheus. */
export const metrics: OpenRoute = {
  ...endpoints.getMetrics,
  auth: 'none',
  document: {
    id: 'getMetrics',
    tag: 'service',
    summary: 'Read the metrics of the process',
    about: 'Counters, gauges and histograms of this process. No label names a tenant. /docs/operations explains each metric.',
    answer: { about: "Prometheus' text format", types: ['text/plain'] },
    problems: [],
  },
  answer: (_exchange, services) => services.metrics.text(),
}
