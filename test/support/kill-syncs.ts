// A node that syncs, and sends its events, until it is killed. Its argument is JSON of `SyncerOptions`; standard output gets a line when a run has ended.

import type { Kind } from '../../packages/ferrule/src/definition/connector.ts'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { type CopyServices, createCopyServices } from '../../packages/server/src/copies/copy-services.ts'
import { ContextStore } from '../../packages/server/src/copies/store/store.ts'
import type { SyncWorker } from '../../packages/server/src/copies/sync/worker.ts'
import type { EventWorker } from '../../packages/server/src/events/event-worker.ts'
import type { VendorEventWorker } from '../../packages/server/src/events/vendors/vendor-event-worker.ts'
import { openPlatform } from '../../packages/server/src/main/platform.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { readSettings } from '../../packages/server/src/main/settings/settings.ts'
import { ledger } from '../platform/sync-kinds.ts'
import { principalOf } from './kill-writer.ts'

/** What the node is told. */
export interface SyncerOptions {
  readonly env: Readonly<Record<string, string>>
  readonly connectorId: string
  readonly mode: 'incremental' | 'full'
  /** Added to the clock, so that leases of killed nodes have run out. */
  readonly clockOffset: number
}

/** A node with everything that it works with. */
export interface SyncNode {
  readonly platform: Platform
  readonly store: ContextStore
  readonly worker: SyncWorker
  readonly copies: CopyServices
  /** Sends events to the endpoints of the organization. */
  readonly events: EventWorker
  /** Works on events of vendors. */
  readonly vendorEvents: VendorEventWorker
  /** What background tasks could not do. */
  readonly errors: readonly unknown[]
  close(): Promise<void>
}

/** How a node is opened. */
export interface NodeOptions {
  /** Told the state of a run after each attempt. */
  readonly ended?: (state: string) => void
  /** The ledger, with what a test adds. */
  readonly kind?: Kind
}

/**
 * Opens a node as it is after a number of killed ones.
 * @param now milliseconds since 1970
 */
export async function openNode(
  env: SyncerOptions['env'],
  now: () => number,
  { ended = () => undefined, kind = ledger }: NodeOptions = {},
): Promise<SyncNode> {
  const settings = readSettings(env, { kinds: ['ledger'] })
  const errors: unknown[] = []
  const onBackgroundError = (error: unknown) => void errors.push(error)
  const store = new ContextStore({ settings: settings.context, kinds: [kind.definition], clock: now })
  const engine = () => createEngine({ limits: false, random: () => 0 })
  const platform = await openPlatform({ settings, kinds: [kind], engine, contextStore: store, clock: now, onBackgroundError })
  const worker = platform.syncWorker({ store, onRun: ({ state }) => ended(state) })
  const copies = createCopyServices({ store, platform, settings, clock: now, onError: onBackgroundError })
  const events = platform.eventWorker()
  const vendorEvents = platform.vendorEventWorker({ store, searcher: copies.searcher, folds: copies.folds, syncs: platform.syncs })
  const close = async () => {
    await events.stop()
    await vendorEvents.stop()
    await worker.stop()
    await copies.folds.close()
    await copies.lostRecords.close()
    await platform.close()
    await store.close()
  }
  return { platform, store, worker, copies, events, vendorEvents, errors, close }
}

async function run({ env, connectorId, mode, clockOffset }: SyncerOptions): Promise<void> {
  const ended = (state: string) => void (state === 'queued' || process.stdout.write('done\n'))
  const { platform, worker, events } = await openNode(env, () => Date.now() + clockOffset, { ended })
  await platform.syncs.request(principalOf(platform), connectorId, { mode })
  events.start()
  worker.start()
  await new Promise((resolve) => setTimeout(resolve, 480_000)) // until it is killed
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}'))
