/** The context store of a process: its database, its searches, and the worker that fills it. */
import { clocks } from 'ferrule/internal'
import type { Logger } from 'pino'
import { type ServedKind, summarize } from '../connectors/connector-types.ts'
import { type CopyServices, createCopyServices } from '../copies/copy-services.ts'
import { replicaStates } from '../copies/store/replicas/types.ts'
import { ContextStore } from '../copies/store/store.ts'
import type { SyncWorker } from '../copies/sync/worker.ts'
import type { EventWorker } from '../events/event-worker.ts'
import type { VendorEventWorker } from '../events/vendors/vendor-event-worker.ts'
import type { Metrics, RunReport } from '../values/metric-types.ts'
import { addEventMetrics } from './metrics.ts'
import type { Platform } from './platform-types.ts'
import type { Settings } from './settings/settings.ts'

/** Options of the store. */
export interface ContextOptions {
  readonly settings: Settings
  readonly kinds: readonly ServedKind[]
  readonly logger: Logger
  /** The platform, once it is open: it queues syncs for records that the store has lost. */
  readonly platform: () => Platform | undefined
}

/** Opens the store of a process. Its database opens at the first use. */
export function openContext({ settings, kinds, logger, platform }: ContextOptions): ContextStore {
  const refill = (kind?: string): void => {
    platform()
      ?.syncs.refill(kind)
      .catch((err: unknown) => logger.error({ err }, 'cannot queue syncs of the connectors'))
  }
  return new ContextStore({
    settings: settings.context,
    log: { days: settings.changesDays, isAlwaysOn: settings.changesAlways, ofOrganization: settings.changesEntities },
    kinds: kinds.map((each) => ({
      kind: summarize(each).kind,
      get entities() {
        return each.definition.entities
      },
    })),
    clock: () => platform()?.clock() ?? Math.floor(clocks.steady()),
    onSetAside: (aside) => {
      logger.error(aside, 'the context database is damaged: it was moved aside, and all records are read again')
      refill()
    },
    onTableChange: ({ kind, entity }, change) => {
      if (change === 'created') return
      logger.info({ kind, entity, change }, 'the searchable fields of an entity have changed: its records are read again')
      refill(kind === '' ? undefined : kind) // without a kind: the table of all kinds of organizations
    },
    onIndex: (change) =>
      change.change === 'ready'
        ? logger.info(change, 'created an index for slow searches')
        : logger.warn(change, 'cannot create an index for slow searches'),
    onReplica: ({ state, ...change }) =>
      state === 'used'
        ? logger.info(change, 'searches go to a read replica')
        : logger.warn({ state, ...change }, 'searches do not go to a read replica'),
    onUpkeepError: (err) => logger.error({ err }, 'maintenance of the context database failed'),
  })
}

/** The services of an open store. */
export interface ContextServices {
  readonly copies: CopyServices
  /** Undefined in a process of the role `api`, as the next one. */
  readonly worker: SyncWorker | undefined
  readonly vendorEventWorker: VendorEventWorker | undefined
  readonly eventWorker: EventWorker | undefined
}

/** Parts of the services. */
export interface ContextServiceOptions {
  readonly store: ContextStore
  readonly platform: Platform
  readonly settings: Settings
  readonly metrics: Metrics
  readonly logger: Logger
  /** Returns milliseconds since 1970; default: the platform's clock. */
  readonly clock?: () => number
}

/** Builds the services that search and fill the store. The worker is not started. */
export function createContextServices(options: ContextServiceOptions): ContextServices {
  const { store, platform, settings, metrics, logger, clock = platform.clock } = options
  const onError = (err: unknown): void => logger.warn({ err }, 'cannot store records that were read live')
  const copies = createCopyServices({ store, platform, settings, clock, onFold: metrics.fold, onError })
  const onRun = (report: RunReport): void => {
    metrics.sync(report)
    logger[report.state === 'failed' || (report.state === 'queued' && report.code !== 'ok') ? 'warn' : 'debug'](report, 'a sync ended')
  }
  const isWorker = settings.role !== 'api'
  const worker = isWorker ? platform.syncWorker({ store, onCall: metrics.syncCall, onRun }) : undefined
  const { folds, searcher } = copies
  const vendorEventWorker = isWorker
    ? platform.vendorEventWorker({ store, searcher, folds, syncs: platform.syncs, onCall: metrics.syncCall, onEvent: metrics.vendorEvent })
    : undefined
  const eventWorker = isWorker ? platform.eventWorker({ logs: copies.recordLogs, onAttempt: metrics.delivery }) : undefined
  if (isWorker) addEventMetrics(metrics, platform, logger)
  metrics.gauge({ name: 'ferrule_syncs_in_flight', help: 'Syncs that this node runs', read: () => worker?.running ?? 0 })
  metrics.gauge({
    name: 'ferrule_context_store_open',
    help: '1 while the context database is open',
    read: () => Number(store.status().opened),
  })
  metrics.gauge({
    name: 'ferrule_context_store_running',
    help: 'Statements that run in the context database',
    read: () => store.status().running,
  })
  metrics.gauge({
    name: 'ferrule_context_store_waiting',
    help: 'Searches and writes that wait for the context database',
    read: () => store.status().waiting,
  })
  metrics.gauge({
    name: 'ferrule_context_store_indexes',
    help: 'Automatic indexes in the context database, as this node last read them',
    read: () => store.indexes.readyCount,
  })
  metrics.gauge({
    name: 'ferrule_change_consumer_lag_bytes',
    help: 'Bytes of changes that the consumer furthest behind has not read in an entity, as this node last looked',
    read: () => store.status().consumerLag,
  })
  addReplicaMetrics(metrics, store)
  return { copies, worker, vendorEventWorker, eventWorker }
}

/** Adds what is counted about read replicas. Replicas are named by their positions in the setting. */
function addReplicaMetrics(metrics: Metrics, store: ContextStore): void {
  metrics.counters({
    name: 'ferrule_context_store_searches_total',
    help: 'Statements of searches by where they ran: replica, or primary with the reason',
    label: 'search_route',
    read: () => store.status().searches,
  })
  metrics.gauge({
    name: 'ferrule_context_store_replicas',
    help: 'Read replicas by their state: used, gone, refused or unknown',
    label: 'replica_state',
    read: () => {
      const states = store.status().replicas.map(({ state }) => state)
      return new Map(replicaStates.map((state) => [state, states.filter((each) => each === state).length]))
    },
  })
  metrics.gauge({
    name: 'ferrule_context_store_replica_lag_bytes',
    help: 'Bytes of the log that a used read replica has not replayed, by its position in CONTEXT_READ_URLS',
    label: 'replica',
    read: () =>
      new Map(store.status().replicas.flatMap(({ position, lagBytes }) => (lagBytes === null ? [] : [[String(position), lagBytes]]))),
  })
}
