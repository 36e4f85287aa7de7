/** The context store of a process: its database, what searches it, and the worker that fills it. */
import type { Logger } from 'pino'
import { openContextStore } from '../context/store/store.ts'
import type { ContextStore } from '../context/store/types.ts'
import type { Kind } from '../definition/connector.ts'
import { clocks } from '../engine/clocks.ts'
import type { Engine } from '../engine/execute.ts'
import type { BodyMemory } from '../engine/memory.ts'
import type { RunReport, SyncWorker } from '../platform/syncs/types.ts'
import type { Platform, Settings } from '../platform/types.ts'
import { type CopyServices, createCopyServices } from './copy-services.ts'
import type { Metrics } from './metrics.ts'

/** What the store tells and where its numbers go. */
export interface ContextOptions {
  readonly settings: Settings
  readonly kinds: readonly Kind[]
  readonly logger: Logger
  /** The platform, once it is open: what the store has lost is filled again through it. */
  readonly platform: () => Platform | undefined
}

/** Opens the store of a process; the database itself is opened when it is first needed. */
export function openContext({ settings, kinds, logger, platform }: ContextOptions): ContextStore {
  const refill = (kind?: string): void => {
    platform()
      ?.syncs.refill(kind)
      .catch((err: unknown) => logger.error({ err }, 'connectors could not be queued to be filled again'))
  }
  return openContextStore({
    settings: settings.context,
    kinds: kinds.map(({ definition }) => definition),
    clock: () => platform()?.clock() ?? Math.floor(clocks.steady()),
    onSetAside: (aside) => {
      logger.error(aside, 'the context database was damaged: it was put away, and everything is read again')
      refill()
    },
    onTableChange: ({ kind, entity }, change) => {
      if (change === 'created') return
      logger.info({ kind, entity, change }, 'the searchable fields of an entity have changed: it is read again')
      refill(kind)
    },
    onIndex: (change) =>
      change.change === 'ready'
        ? logger.info(change, 'slow searches have an index now')
        : logger.warn(change, 'an index for slow searches could not be made'),
    onUpkeepError: (err) => logger.error({ err }, 'the upkeep of the context database failed'),
  })
}

/** What works over an open store. */
export interface ContextServices {
  readonly copies: CopyServices
  /** Absent in a process that only answers requests. */
  readonly worker: SyncWorker | undefined
}

/** What it is made of. */
export interface ContextServiceOptions {
  readonly store: ContextStore
  readonly platform: Platform
  readonly engine: Pick<Engine, 'run'>
  /** What the answers of vendors are counted in. */
  readonly memory?: BodyMemory
  readonly settings: Settings
  readonly metrics: Metrics
  readonly logger: Logger
  /** Milliseconds since 1970; default: those of stored times. */
  readonly clock?: () => number
}

const stateOfLog = ({ state, code }: RunReport): 'debug' | 'warn' =>
  state === 'failed' || (state === 'queued' && code !== 'ok') ? 'warn' : 'debug'

/** Makes what searches and fills the store. The worker is not started. */
export function createContextServices(options: ContextServiceOptions): ContextServices {
  const { store, platform, engine, memory, settings, metrics, logger, clock = platform.clock } = options
  const onError = (err: unknown): void => logger.warn({ err }, 'records that were read live could not be kept')
  const copies = createCopyServices({ store, platform, settings, clock, onFold: metrics.fold, onError })
  const onRun = (report: RunReport): void => {
    metrics.sync(report)
    logger[stateOfLog(report)](report, 'a sync ended')
  }
  const worker = settings.role === 'api' ? undefined : platform.syncWorker({ engine, memory, store, onCall: metrics.syncCall, onRun })
  metrics.gauge({ name: 'ferrule_syncs_in_flight', help: 'Syncs that this node runs', read: () => worker?.running ?? 0 })
  metrics.gauge({
    name: 'ferrule_context_store_open',
    help: '1 while the context database is open',
    read: () => Number(store.status().opened),
  })
  metrics.gauge({ name: 'ferrule_context_store_running', help: 'Statements that run in it', read: () => store.status().running })
  metrics.gauge({
    name: 'ferrule_context_store_waiting',
    help: 'Searches and writes that wait for a turn in it',
    read: () => store.status().waiting,
  })
  metrics.gauge({
    name: 'ferrule_context_store_indexes',
    help: 'Indexes in it that were made on demand, as this node last saw',
    read: () => store.indexes.count,
  })
  return { copies, worker }
}
