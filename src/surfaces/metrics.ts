/** Numbers of the process in Prometheus' text format. No label ever names a tenant. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { FoldReport } from '../platform/folds.ts'
import type { CallReport } from '../platform/operations.ts'
import type { RunReport } from '../platform/syncs/types.ts'

/** Upper bounds of the duration buckets, in seconds: from a cached answer to a slow vendor. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** One answered request. */
export interface RequestReport {
  /** Pattern of the route, or `unmatched`. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly seconds: number
}

/** The metrics of one server. */
export interface Metrics {
  request(report: RequestReport): void
  call(report: CallReport): void
  /** A call that a sync made. */
  syncCall(report: CallReport): void
  /** An attempt of a sync has ended. */
  sync(report: RunReport): void
  /** Records that were read live were folded into the copy, or were not. */
  fold(report: FoldReport): void
  /** Adds a number that is looked up when it is scraped. */
  gauge(gauge: GaugeOptions): void
  /** The text that a scraper reads, with its media type. */
  text(): Promise<{ readonly content: string; readonly type: string }>
  /** Stops counting vendor requests. */
  close(): void
}

/** A member of what undici announces, when it is an object. */
const partOf = (message: unknown, name: string): object | undefined => {
  const part: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, name) : undefined
  return typeof part === 'object' && part !== null ? part : undefined
}

const statusOf = (message: unknown): string => {
  const response = partOf(message, 'response')
  const status: unknown = response === undefined ? undefined : Reflect.get(response, 'statusCode')
  return typeof status === 'number' ? String(status) : 'unknown'
}

/** Counts the requests that the HTTP client of this process makes, by what it announces (`undici:request:*`). */
function countVendorRequests(registry: Registry): () => void {
  const registers = [registry]
  const running = new Gauge({ name: 'ferrule_vendor_requests_in_flight', help: 'Requests to vendors that have not ended', registers })
  const total = new Counter({ name: 'ferrule_vendor_requests_total', help: 'Requests to vendors', labelNames: ['status'], registers })
  /** The end of an aborted request is announced a second time when its connection fails afterwards. */
  const open = new WeakSet<object>()
  const begin = (message: unknown) => {
    const request = partOf(message, 'request')
    if (request === undefined) return
    open.add(request)
    running.inc()
  }
  const end = (message: unknown) => {
    const request = partOf(message, 'request')
    if (request !== undefined && open.delete(request)) running.dec()
  }
  const listeners: Readonly<Record<string, (message: unknown) => void>> = {
    'undici:request:create': begin,
    'undici:request:headers': (message) => total.inc({ status: statusOf(message) }),
    'undici:request:trailers': end,
    'undici:request:error': end,
  }
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener)
  return () => {
    for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener)
  }
}

/** A number that is looked up. */
export interface GaugeOptions {
  readonly name: string
  readonly help: string
  readonly read: () => number
}

/** Counters of the context store. */
function storeCounters(registers: Registry[]): Pick<Metrics, 'syncCall' | 'sync' | 'fold'> {
  const calls = new Counter({
    name: 'ferrule_sync_calls_total',
    help: 'Calls of vendors that syncs made, by their outcome: ok, aborted, or an error code',
    labelNames: ['kind', 'entity', 'code'],
    registers,
  })
  const runs = new Counter({
    name: 'ferrule_syncs_total',
    help: 'Attempts of syncs that ended, by the state of the run (queued: it goes on later) and ok or an error code',
    labelNames: ['kind', 'mode', 'state', 'code'],
    registers,
  })
  const folded = new Counter({
    name: 'ferrule_folded_records_total',
    help: 'Records that were read live, by what became of them: folded into the copy, dropped because too much waited, or failed',
    labelNames: ['kind', 'entity', 'outcome'],
    registers,
  })
  return {
    syncCall: ({ kind, entity, code }) => calls.inc({ kind, entity, code }),
    sync: ({ kind, mode, state, code }) => runs.inc({ kind, mode, state, code }),
    fold: ({ kind, entity, outcome, records }) => folded.inc({ kind, entity, outcome }, records),
  }
}

/** Makes the metrics of one server; nothing is shared between servers. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'ferrule_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['route', 'method', 'status'],
    buckets,
    registers,
  })
  const calls = new Counter({
    name: 'ferrule_executes_total',
    help: 'Executed calls by their outcome: ok, aborted, or an error code',
    labelNames: ['kind', 'entity', 'action', 'code'],
    registers,
  })
  const close = countVendorRequests(registry)
  let hasProcessMetrics = false
  return {
    request: ({ route, method, status, seconds }) => requests.observe({ route, method, status }, seconds),
    call: ({ kind, entity, action, code }) => calls.inc({ kind, entity, action, code }),
    ...storeCounters(registers),
    gauge: ({ name, help, read }) => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    async text() {
      if (!hasProcessMetrics) collectDefaultMetrics({ register: registry }) // at the first scrape: a process that nobody scrapes does not pay
      hasProcessMetrics = true
      return { content: await registry.metrics(), type: registry.contentType }
    },
    close,
  }
}
