/** Adds what is counted about webhooks, out and in. What waits is read from the database at each scrape, the same on each node. */
import type { Logger } from 'pino'
import type { Backlogs } from '../events/sql/backlogs.ts'
import type { Metrics } from '../values/metric-types.ts'
import type { Platform } from './platform-types.ts'

/** Longest wait of a scrape for the database, in milliseconds; then it has none of these numbers. */
const longestMs = 2_000

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
    const late = Promise.withResolvers<typeof noValues>()
    const timer = setTimeout(() => late.resolve(noValues), longestMs)
    const found = readShared().then(choose, (err: unknown) => {
      logger.warn({ err }, 'cannot count the events that wait')
      return noValues
    })
    return Promise.race([found, late.promise]).finally(() => clearTimeout(timer))
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
