/** Reads what is stored of a connector's syncs, and keeps its indexes: the status never waits long for the store. */
import { BoundedMap } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import type { OwnKind } from '../../values/access.ts'
import { within } from '../../values/within.ts'
import { type CopyRow, listCopies } from '../sql/sync-copies.ts'
import { listSchedules, listUnfinishedRuns, type RunRow, type ScheduleRow } from '../sql/sync-runs.ts'
import type { IndexRecord } from '../store/indexes/types.ts'
import type { ContextStore } from '../store/store.ts'
import type { SyncedConnector } from './groups.ts'

/** Services that reading a status needs. */
export interface StatusParts extends Parts {
  readonly knownIndexes: KnownIndexes
}

/** What is stored of a connector's syncs. */
export interface StatusFacts {
  readonly connector: SyncedConnector
  readonly copies: ReadonlyMap<string, CopyRow>
  /** Automatic indexes of the copies, as far as known. */
  readonly indexes: ReadonlyMap<string, readonly IndexRecord[]>
  /** Unfinished runs. */
  readonly runs: readonly RunRow[]
  readonly schedules: readonly ScheduleRow[]
  readonly now: number
}

/** Reads the facts of all entities or of one. The indexes are read for all entities only. */
export async function readStatusFacts(parts: StatusParts, connector: SyncedConnector, entity?: string): Promise<StatusFacts> {
  const { db } = parts.database
  const [copies, indexes, runs, schedules] = await Promise.all([
    listCopies(db, connector.ref, entity),
    entity === undefined ? parts.knownIndexes.read(connector.row.id, connector.own) : none,
    listUnfinishedRuns(db, connector.ref),
    listSchedules(db, connector.ref),
  ])
  const byEntity = new Map(copies.map((copy) => [copy.entity, copy]))
  return { connector, copies: byEntity, indexes, runs, schedules, now: parts.source.clock() }
}

const none: Indexes = new Map()

type Indexes = ReadonlyMap<string, readonly IndexRecord[]>
type Store = Pick<ContextStore, 'status' | 'indexes'> | undefined

/** Longest wait for the store, in milliseconds. */
const longestWaitMs = 100
/** Maximum number of connectors in the cache. */
const mostRemembered = 10_000
/** Maximum number of concurrent queries; more would delay searches. */
const mostAsking = 4

/** Indexes of copies by entity. */
export class KnownIndexes {
  readonly #store: Store
  readonly #told = new BoundedMap<string, Indexes>(mostRemembered)
  readonly #asking = new Map<string, Promise<void>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Returns the indexes of a connector within 100 ms, from the cache if necessary. Does not open a closed store. */
  async read(connector: string, own?: OwnKind): Promise<Indexes> {
    const status = this.#store?.status()
    if (status === undefined || (status.engine === 'embedded' && !status.opened)) return none
    const asking = this.#asking.get(connector) ?? this.#ask(connector, own)
    await within(longestWaitMs, asking, () => undefined)
    return this.#told.get(connector) ?? none
  }

  async #ask(connector: string, own: OwnKind | undefined): Promise<void> {
    if (this.#store === undefined || this.#asking.size >= mostAsking) return undefined
    const asking = this.#store.indexes
      .listByEntity(connector, own)
      .then((indexes) => void this.#told.set(connector, indexes))
      .catch(() => undefined) // the cached indexes stay
      .finally(() => this.#asking.delete(connector))
    this.#asking.set(connector, asking)
    return asking
  }
}
