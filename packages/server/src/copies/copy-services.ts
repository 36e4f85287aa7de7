/** Builds the services over the copies, once for all surfaces of a process. */

import type { Platform } from '../main/platform-types.ts'
import type { Settings } from '../main/settings/settings.ts'
import type { ConnectorAccess } from '../values/access.ts'
import { Consumers } from './changes/consumers.ts'
import { Changes } from './changes/feed.ts'
import { createRecordLogs, type RecordLogs } from './changes/record-logs.ts'
import { Everything } from './everything/everything.ts'
import { type FoldOptions, Folds } from './folds.ts'
import { LostRecords } from './lost-records.ts'
import { Searcher } from './searcher.ts'
import { Searches } from './searches.ts'
import type { ContextStore } from './store/store.ts'

/** The services over the copies. */
export interface CopyServices {
  readonly searches: Searches
  readonly everything: Everything
  readonly searcher: Pick<Searcher, 'readRecords'>
  readonly changes: Changes
  readonly consumers: Consumers
  readonly recordLogs: RecordLogs
  readonly folds: Folds
  readonly lostRecords: LostRecords
}

/** Options of `createCopyServices`. */
export interface CopyServiceOptions extends Pick<FoldOptions, 'onFold' | 'onError'> {
  readonly store: ContextStore
  readonly platform: Pick<Platform, 'syncs' | 'cursorKey' | 'connectors' | 'consumerRows'>
  readonly settings: Settings
  readonly clock: () => number
}

/** Builds the services. Close `folds` and `lostRecords` before the store. */
export function createCopyServices({ store, platform, settings, clock, ...told }: CopyServiceOptions): CopyServices {
  const cursorKey = () => platform.cursorKey()
  const searcher = new Searcher(store, { cursorKey, clock })
  const { copies } = platform.syncs
  const searchMs = settings.context.searchSeconds * 1_000
  const searches = new Searches({
    searcher,
    copies,
    clock,
    searchMs,
    comparesStatus: settings.context.engine === 'postgres' && settings.context.replicas !== undefined,
  })
  const { onError } = told
  const { addRecords } = platform.syncs
  const onLost = ({ ref }: ConnectorAccess, lost: ReadonlyMap<string, number>): Promise<void> =>
    addRecords(ref, new Map([...lost].map(([entity, by]) => [entity, -by])))
  const { context } = settings
  // Half of the slots for searches stay for those of one entity.
  const atOnce = context.engine === 'postgres' ? Math.max(1, Math.floor(context.searches / 2)) : 1
  return {
    searches,
    everything: new Everything({ searcher, store, copies, connectors: platform.connectors, cursorKey, clock, searchMs, atOnce }),
    searcher,
    changes: new Changes({ store, searcher, copies, cursorKey, clock, timeoutMs: searchMs }),
    consumers: new Consumers({ store, rows: platform.consumerRows, cursorKey, clock }),
    recordLogs: createRecordLogs({ store, cursorKey, clock }),
    lostRecords: new LostRecords({ store, clock, onLost, onError }),
    folds: new Folds({ store, onCreated: ({ ref }, created) => addRecords(ref, created), onLost, ...told }),
  }
}
