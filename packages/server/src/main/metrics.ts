/** Metrics of the process in Prometheus' text format. No label names a tenant. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { deliveryStatuses } from 'ferrule/wire'
import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Backlogs } from '../events/sql/backlogs.ts'
import { labelKind } from '../values/ids.ts'
import { type Metrics, vendorEventOutcomes } from '../values/metric-types.ts'
import { within } from '../values/within.ts'
import type { Platform } from './platform-types.ts'

/** Upper bounds of the duration buckets, in seconds: from a cached answer to a slow vendor. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Returns an object member of a message of undici; undefined for any other value. */
const findMember = (message: unknown, name: string): object | undefined => {
  const part: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, name) : undefined
  return typeof part === 'object' && part !== null ? part : undefined
}

const readStatus = (message: unknown): string => {
  const response = findMember(message, 'response')
  const status: unknown = response === undefined ? undefined : Reflect.get(response, 'statusCode')
  return typeof status === 'number' ? String(status) : 'unknown'
}

/** Counts the HTTP requests of this process by undici's diagnostics channels (`undici:request:*`). @returns a function that stops it */
function countVendorRequests(registry: Registry): () => void {
  const registers = [registry]
  const running = new Gauge({ name: 'ferrule_vendor_requests_in_flight', help: 'Requests to vendors that have not ended', registers })
  const total = new Counter({ name: 'ferrule_vendor_requests_total', help: 'Requests to vendors', labelNames: ['status'], registers })
  /** Requests without an announced end: undici announces an aborted request twice when its connection fails later. */
  const open = new WeakSet<object>()
  const isTunnel = (request: object): boolean => Reflect.get(request, 'method') === 'CONNECT' // to a forward proxy
  const begin = (message: unknown) => {
    const request = findMember(message, 'request')
    if (request === undefined || isTunnel(request)) return
    open.add(request)
    running.inc()
  }
  const end = (message: unknown) => {
    const request = findMember(message, 'request')
    if (request !== undefined && open.delete(request)) running.dec()
  }
  const listeners: Readonly<Record<string, (message: unknown) => void>> = {
    'undici:request:create': begin,
    'undici:request:headers': (message) => {
      if (!isTunnel(findMember(message, 'request') ?? {})) total.inc({ status: readStatus(message) })
    },
    'undici:request:trailers': end,
    'undici:request:error': end,
  }
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener)
  return () => {
    for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener)
  }
}

function buildStoreCounters(registers: Registry[]): Pick<Metrics, 'syncCall' | 'sync' | 'fold'> {
  const calls = new Counter({
    name: 'ferrule_sync_calls_total',
    help: 'Calls to vendors from syncs, by their outcome: ok, aborted, or an error code',
    labelNames: ['kind', 'entity', 'code'],
    registers,
  })
  const runs = new Counter({
    name: 'ferrule_syncs_total',
    help: 'Attempts of syncs that ended, by the state of the run (queued: it resumes later) and ok or an error code',
    labelNames: ['kind', 'mode', 'state', 'code'],
    registers,
  })
  const folded = new Counter({
    name: 'ferrule_folded_records_total',
    help: 'Records that were read live, by outcome: folded into the copy, dropped because the queue was full, or failed',
    labelNames: ['kind', 'entity', 'outcome'],
    registers,
  })
  return {
    syncCall: ({ kind, entity, code }) => calls.inc({ ...labelKind({ kind, entity }), code }),
    sync: ({ kind, mode, state, code }) => runs.inc({ ...labelKind({ kind }), mode, state, code }),
    fold: ({ kind, entity, outcome, records }) => folded.inc({ ...labelKind({ kind, entity }), outcome }, records),
  }
}

/** Upper bounds of the time from an event's arrival to the end of its work, in seconds: from a read at once to the last repeat. */
const workBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 14_400]

/** Builds the metrics of webhooks, out and in. Every outcome exists from the start, so that its first event is an increase. */
function buildEventCounters(registers: Registry[]): Pick<Metrics, 'delivery' | 'vendorEvent'> {
  const attempts = new Histogram({
    name: 'ferrule_webhook_attempt_duration_seconds',
    help: 'Time of attempts to deliver webhooks, by what they leave: delivered, waiting (it is tried again), or failed (given up)',
    labelNames: ['outcome'],
    buckets,
    registers,
  })
  const worked = new Histogram({
    name: 'ferrule_vendor_event_duration_seconds',
    help: 'Time from the arrival of an event of a vendor to the end of the work on it: worked, or given_up',
    labelNames: ['outcome'],
    buckets: workBuckets,
    registers,
  })
  for (const outcome of deliveryStatuses) attempts.zero({ outcome })
  for (const outcome of vendorEventOutcomes) worked.zero({ outcome })
  return {
    delivery: ({ outcome, seconds }) => attempts.observe({ outcome }, seconds),
    vendorEvent: ({ outcome, seconds }) => worked.observe({ outcome }, seconds),
  }
}

const buildReadMetrics = (registers: Registry[]): Pick<Metrics, 'gauge' | 'counters'> => ({
  gauge: ({ name, help, label, read }) => {
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers,
      async collect() {
        const value = await read()
        if (typeof value === 'number') return this.set(value)
        this.reset()
        for (const [of, each] of value) if (label !== undefined) this.set({ [label]: of }, each)
      },
    })
  },
  counters: ({ name, help, label, read }) => {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const [of, count] of read()) this.inc({ [label]: of }, count)
      },
    })
  },
})

/** Builds the metrics of one server. Servers share no metric. */
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
  const tools = new Counter({
    name: 'ferrule_mcp_tool_calls_total',
    help: 'Calls of tools over MCP by their outcome: ok, aborted, or an error code',
    labelNames: ['tool', 'code'],
    registers,
  })
  const close = countVendorRequests(registry)
  let hasProcessMetrics = false
  return {
    request: ({ route, method, status, seconds }) => requests.observe({ route, method, status }, seconds),
    call: ({ kind, entity, action, code }) => calls.inc({ ...labelKind({ kind, entity }), action, code }),
    tool: ({ tool, code }) => tools.inc({ tool, code }),
    ...buildStoreCounters(registers),
    ...buildEventCounters(registers),
    ...buildReadMetrics(registers),
    async text() {
      if (!hasProcessMetrics) collectDefaultMetrics({ register: registry }) // from the first scrape: without one, the process does not pay for them
      hasProcessMetrics = true
      return { content: await registry.metrics(), type: registry.contentType }
    },
    close,
  }
}

// What waits in webhooks is read from the database at each scrape: the number is the same on each node.

/** Longest wait of a scrape for the database, in milliseconds; then it has none of these numbers. */
const longestScrapeMs = 2_000

const noValues: ReadonlyMap<string, number> = new Map()

/** Adds the gauges. */
export function addEventMetrics(metrics: Metrics, platform: Pick<Platform, 'readBacklogs' | 'clock'>, logger: Logger): void {
  let running: Promise<Backlogs> | undefined
  /** Gauges of one scrape share a statement. */
  const readShared = () => {
    running ??= platform.readBacklogs().finally(() => {
      running = undefined
    })
    return running
  }
  const read = async (choose: (backlogs: Backlogs) => ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> => {
    const found = readShared().then(choose, (err: unknown) => {
      logger.warn({ err }, 'cannot count the events that wait')
      return noValues
    })
    return within(longestScrapeMs, found, () => noValues)
  }
  metrics.gauge({
    name: 'ferrule_events_due',
    help: 'What the workers of events have not begun, though its time has come; 10,000 at most: deliveries of webhooks, or events of vendors',
    label: 'queue',
    read: () => read(({ deliveries, vendorEvents }) => toQueues(deliveries.due, vendorEvents.due)),
  })
  metrics.gauge({
    name: 'ferrule_events_due_seconds',
    help: 'Time for which the first of them has been due',
    label: 'queue',
    read: () =>
      read(({ deliveries, vendorEvents }) => {
        const seconds = (since: number | null) => (since === null ? 0 : Math.max(0, platform.clock() - since) / 1_000)
        return toQueues(seconds(deliveries.since), seconds(vendorEvents.since))
      }),
  })
  metrics.gauge({
    name: 'ferrule_webhook_endpoints',
    help: 'Endpoints of webhooks by status; only disabled ones are counted, which get nothing any more',
    label: 'endpoint_status',
    read: () => read(({ disabledEndpoints }) => new Map([['disabled', disabledEndpoints]])),
  })
}

const toQueues = (deliveries: number, vendorEvents: number) =>
  new Map([
    ['deliveries', deliveries],
    ['vendor_events', vendorEvents],
  ])
