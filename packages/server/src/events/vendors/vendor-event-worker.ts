/**
 * Works on the events of vendors on each node. Rows and leases are the only state, so a node that dies loses nothing
 * (docs/decisions/webhooks.md).
 */

import { writeJson } from 'ferrule/engine'
import { asFerruleError, errorConsequences, type WebhookEvent } from 'ferrule/internal'
import type { Connectors } from '../../connectors/connector-types.ts'
import { findOAuthClientById } from '../../connectors/sql/oauth-clients.ts'
import type { Folds } from '../../copies/folds.ts'
import { emptyCopies, queueAndNotify, withConnector } from '../../copies/queue/queue.ts'
import type { Searcher } from '../../copies/searcher.ts'
import { listCopies } from '../../copies/sql/sync-copies.ts'
import type { ContextStore } from '../../copies/store/store.ts'
import { listCopiedEntities } from '../../copies/sync/walk/plan.ts'
import type { Syncs } from '../../copies/sync-types.ts'
import type { Parts } from '../../main/parts.ts'
import { type ConnectorAccess, type ConnectorRef, viewOrganization } from '../../values/access.ts'
import { firstId, newId } from '../../values/ids.ts'
import type { CallReport, VendorEventReport } from '../../values/metric-types.ts'
import { Ticks, waitForWork } from '../../values/ticks.ts'
import * as sql from '../sql/vendor-events.ts'
import { type Applied, type ApplyServices, applyVendorEvent, forgetWaiting } from './apply-event.ts'
import { listConnectorAccounts } from './sources.ts'
import { openVendorEvent } from './vendor-seals.ts'
import { chooseNewest } from './versions.ts'

// Works on the events of one connector that a node has leased: each record is read once, however many events name it.

interface OpenedEvent {
  readonly row: sql.LeasedEvent
  readonly event: WebhookEvent
}

/** What became of events. `not tried`: others failed before, or the time was over. */
interface WorkedGroup {
  readonly rows: readonly sql.LeasedEvent[]
  /** Undefined for all entities. */
  readonly entity: string | undefined
  readonly end: Applied | 'failed' | 'not tried'
  readonly thrown?: unknown
}

/** Records that are read at a time. */
const atOnce = 4
/** Time after which the rest of the events is left to the next lease, in milliseconds. */
const longestMs = 60_000

/** Events that one call serves share a name. */
function nameEvent({ does, entity, key, under, read }: WebhookEvent): string {
  return writeJson(does === 'changed' && read !== undefined ? [does, entity, read] : [does, entity, key ?? under ?? null])
}

/** Works on some events, each on its own: an event that fails stops no other one, unless the vendor refuses all. */
async function workOnEvents(
  services: ApplyServices,
  { access, events, signal }: { readonly access: ConnectorAccess; readonly events: readonly OpenedEvent[]; readonly signal: AbortSignal },
): Promise<readonly WorkedGroup[]> {
  const groups = [...Map.groupBy(events, ({ event }) => nameEvent(event)).values()]
  const ends: WorkedGroup[] = []
  const until = services.clock() + longestMs
  let isOver = false
  let forgetting: Promise<void> | undefined
  const forget = (): Promise<void> => {
    const redacting = events.map(({ event }) => event).filter(({ does }) => does === 'redact')
    forgetting ??= forgetWaiting({ services, access }, redacting)
    return forgetting
  }
  const work = async (): Promise<void> => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const first = chooseNewest(group)
      if (first === undefined) continue
      const about = { rows: group.map(({ row }) => row), entity: first.event.entity }
      isOver ||= signal.aborted || services.clock() > until
      if (isOver) {
        ends.push({ ...about, end: 'not tried' })
        continue
      }
      try {
        if (first.event.does === 'redact') await forget()
        ends.push({ ...about, end: await applyVendorEvent({ services, access, event: first.event, signal }) })
      } catch (thrown) {
        isOver ||= errorConsequences[asFerruleError(thrown).code].syncRun !== 'continue' // it would meet all others too
        ends.push({ ...about, end: signal.aborted ? 'not tried' : 'failed', thrown })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return ends
}

/** Shortest time from the beginning of a sync to the next one that events ask for, in milliseconds. */
const restMs = 60_000

/**
 * Asks for a sync of the changes of an entity.
 * @param entity undefined for all entities
 * @returns undefined when nothing is left to do; else the time at which to ask again, in milliseconds since 1970
 */
async function askForSync(
  parts: Pick<Parts, 'database' | 'source' | 'kinds' | 'events'>,
  { ref }: Pick<ConnectorAccess, 'ref'>,
  entity: string | undefined,
): Promise<number | undefined> {
  const copies = await listCopies(parts.database.db, ref, entity)
  const syncedAt = copies.flatMap(({ synced_at }) => synced_at ?? [])
  if (syncedAt.length === 0) return undefined // the first sync reads everything
  const next = Math.max(...syncedAt) + restMs
  if (next > parts.source.clock()) return next
  const wish = { mode: 'incremental', cause: 'webhook', entities: entity === undefined ? null : [entity] } as const
  try {
    await queueAndNotify(parts, { view: viewOrganization(ref.organizationId), id: ref.connectorId }, wish)
  } catch (thrown) {
    // The connector does not copy the entity, or was deleted.
    if (!['validation_failed', 'connector_not_found', 'workspace_inactive'].includes(asFerruleError(thrown).code)) throw thrown
  }
  return undefined
}

/** Connectors that a node works on at a time, and events of one of them. */
const [mostBatches, eventsAtOnce] = [16, 100]
/** Time after which another node takes events over, in milliseconds: five times what a batch takes. */
const leaseMs = 300_000
/** Waits after failed attempts, in milliseconds; after the last one the event is given up, and a sync reads its entity. */
const delaysMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000] as const
/** Rows per query. */
const rowsAtOnce = 500

/** Services that the worker needs beside those of the platform. */
export interface VendorEventServices {
  readonly store: ContextStore
  readonly searcher: Pick<Searcher, 'readRecords'>
  readonly folds: Pick<Folds, 'takes' | 'fold'>
  readonly syncs: Pick<Syncs, 'addRecords'>
  /** Called after every call of a vendor. Must not throw. */
  readonly onCall?: (report: CallReport) => void
  /** Called at the end of the work on every event. Must not throw. */
  readonly onEvent?: (report: VendorEventReport) => void
}

/** Access to connectors, and what calls say of their credentials. */
export type EventConnectors = Pick<Connectors, 'readAccess' | 'markAuthError' | 'markHealthy'>

/** Works on the events of all organizations. */
export class VendorEventWorker {
  readonly #parts: Parts
  readonly #connectors: EventConnectors
  readonly #apply: ApplyServices
  readonly #onEvent: VendorEventServices['onEvent']
  readonly #working = new Map<string, Promise<void>>()
  readonly #abort = new AbortController()
  readonly #ticks: Ticks<'arrived'>

  constructor(parts: Parts, connectors: EventConnectors, { store, searcher, folds, syncs, onCall, onEvent }: VendorEventServices) {
    this.#parts = parts
    this.#connectors = connectors
    this.#onEvent = onEvent
    this.#apply = {
      connectors,
      onCall,
      onBackgroundError: parts.onBackgroundError,
      engine: parts.engine,
      store,
      searcher,
      folds,
      memory: parts.admission.memory,
      clock: parts.source.clock,
      addRecords: (ref, change) => syncs.addRecords(ref, change),
      ...createForgetting(parts),
    }
    const { events, onBackgroundError: onError } = parts
    this.#ticks = new Ticks<'arrived'>({ events, names: ['arrived'], work: () => this.#claim(), onError })
  }

  /** Begins to look for events. */
  start(): void {
    this.#ticks.start()
  }

  /** Works on what is due, until nothing is. */
  async run(): Promise<void> {
    for (;;) {
      await this.#ticks.tick()
      if (this.#working.size === 0) return
      await Promise.all(this.#working.values())
    }
  }

  /** Ends. Running work gets a few seconds; another node takes over what is left. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('the node stops'))
    await this.#ticks.stop()
    await waitForWork(Promise.all(this.#working.values()))
  }

  /** Begins to work where events are due. Each connector has its own share, so a slow vendor delays no other one. */
  async #claim(): Promise<void> {
    const { database, source } = this.#parts
    for (const due of await sql.listDueEvents(database.db, source.clock(), mostBatches)) {
      const name = due.connectorId ?? due.sourceId
      if (this.#working.size >= mostBatches || this.#abort.signal.aborted) return
      if (this.#working.has(name)) continue
      const now = source.clock()
      const lease = { owner: newId(source), now, until: now + leaseMs, limit: eventsAtOnce }
      const events = await database.transaction((db) => sql.leaseVendorEvents(db, due, lease))
      if (events.length > 0) this.#begin(name, () => this.#work(due, events))
    }
  }

  #begin(name: string, work: () => Promise<void>): void {
    const working = work()
      .catch(this.#parts.onBackgroundError)
      .finally(() => {
        this.#working.delete(name)
        this.#ticks.look()
      })
    this.#working.set(name, working)
  }

  async #work({ connectorId }: sql.DueEvents, rows: readonly sql.LeasedEvent[]): Promise<void> {
    const events = await this.#open(rows)
    if (connectorId === null) return this.#dispatch(events)
    const [first] = rows
    const access = first === undefined ? undefined : await this.#readAccess(first.organization_id, connectorId, rows)
    if (access === undefined) return
    const { signal } = this.#abort
    const done: sql.LeasedEvent[] = []
    for (const group of await workOnEvents(this.#apply, { access, events, signal }))
      if (await this.#isOver(access, group)) done.push(...group.rows)
    await this.#finish(done, false) // one transaction: each waits for the disk
  }

  /** Opens what events say. An event that cannot be opened is given up. */
  async #open(rows: readonly sql.LeasedEvent[]): Promise<readonly OpenedEvent[]> {
    const opened: OpenedEvent[] = []
    for (const row of rows) {
      try {
        opened.push({ row, event: openVendorEvent(this.#parts, row) })
      } catch (thrown) {
        this.#parts.onBackgroundError(thrown)
        await this.#finish([row], true)
      }
    }
    return opened
  }

  /** Opens the connector; undefined where its events have nothing to do, or wait. */
  async #readAccess(organizationId: string, id: string, rows: readonly sql.LeasedEvent[]): Promise<ConnectorAccess | undefined> {
    try {
      return await this.#connectors.readAccess(viewOrganization(organizationId), id)
    } catch (thrown) {
      // A connector that was deleted, or whose workspace is inactive: a sync reads everything when it is back.
      if (errorConsequences[asFerruleError(thrown).code].syncRun === 'cancel') await this.#finish(rows, true)
      else await this.#fail(rows, thrown)
      return undefined
    }
  }

  /** Hands events of an OAuth client to the connectors of their accounts. */
  async #dispatch(events: readonly OpenedEvent[]): Promise<void> {
    const [first] = events
    if (first === undefined) return
    const { database, source } = this.#parts
    const reached = await this.#findReached(first.row, new Set(events.flatMap(({ event }) => event.account ?? [])))
    const copies = events.flatMap(({ row, event }) =>
      (reached.get(event.account ?? '') ?? []).map(
        (connector_id): sql.VendorEventRow => ({
          ...row,
          id: newId(source),
          connector_id,
          digest: null,
          next_at: source.clock(),
          lease_owner: null,
        }),
      ),
    )
    const rows = events.map(({ row }) => row)
    await database.transaction((db) => sql.dispatchVendorEvents(db, rows, { copies, now: source.clock() }))
  }

  /** Finds the connectors of some accounts, among those that were made through the OAuth client. */
  async #findReached(row: sql.LeasedEvent, accounts: ReadonlySet<string>): Promise<ReadonlyMap<string, readonly string[]>> {
    const { database, kinds } = this.#parts
    const reached = new Map<string, string[]>()
    const organizationId = row.organization_id
    const oauthClientId = (await sql.findSource(database.db, row.source_id))?.oauth_client_id ?? null
    const oauthClient = oauthClientId === null ? undefined : await findOAuthClientById(database.db, organizationId, oauthClientId)
    const kind = oauthClient === undefined ? undefined : await kinds.find(oauthClient)
    if (oauthClient === undefined || kind === undefined) return reached
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const owner = { organizationId, oauthClientId: oauthClient.id }
      const page = await sql.listReachedConnectors(database.db, owner, { after, limit: rowsAtOnce })
      for (const connector of page)
        for (const account of listConnectorAccounts(kind, connector))
          if (accounts.has(account)) reached.set(account, [...(reached.get(account) ?? []), connector.id])
      after = page.length === rowsAtOnce ? page.at(-1)?.id : undefined
    }
    return reached
  }

  /** Puts events off that are not over. @returns whether they are */
  async #isOver(access: ConnectorAccess, { rows, entity, end, thrown }: WorkedGroup): Promise<boolean> {
    const { database, source } = this.#parts
    if (end === 'done') return true
    if (end === 'failed') {
      await this.#fail(rows, thrown, { access, entity })
      return false
    }
    const nextAt = end === 'sync' ? await askForSync(this.#parts, access, entity) : source.clock() + delaysMs[0]
    if (nextAt !== undefined) await sql.putOffVendorEvents(database.db, rows, { nextAt, isFailed: false })
    return nextAt === undefined
  }

  async #finish(rows: readonly sql.LeasedEvent[], isGivenUp: boolean): Promise<void> {
    const { database, source } = this.#parts
    const now = source.clock()
    await database.transaction((db) => sql.endVendorEvents(db, rows, { now, isGivenUp }))
    const outcome = isGivenUp ? 'given_up' : 'worked'
    for (const { received_at } of rows) this.#onEvent?.({ outcome, seconds: Math.max(0, now - received_at) / 1_000 })
  }

  /** Puts events off that failed. One that failed too often is given up, and a sync reads its entity. */
  async #fail(
    rows: readonly sql.LeasedEvent[],
    thrown: unknown,
    about?: { readonly access: ConnectorAccess; readonly entity: string | undefined },
  ) {
    const { database, source, onBackgroundError } = this.#parts
    const error = asFerruleError(thrown)
    if (error !== thrown) onBackgroundError(thrown) // a fault of this service
    const isFinal = !error.retryable && errorConsequences[error.code].syncRun === 'continue'
    const waiting = isFinal ? [] : rows.filter(({ attempts }) => attempts < delaysMs.length)
    for (const some of Map.groupBy(waiting, ({ attempts }) => attempts).values()) {
      const delay = Math.max(delaysMs[some[0]?.attempts ?? 0] ?? 0, error.retryAfterMs ?? 0)
      await sql.putOffVendorEvents(database.db, some, { nextAt: source.clock() + delay, isFailed: true })
    }
    const over = rows.filter((row) => !waiting.includes(row))
    if (over.length === 0) return
    if (about !== undefined) await askForSync(this.#parts, about.access, about.entity)
    await this.#finish(over, true)
  }
}

function createForgetting(parts: Parts): Pick<ApplyServices, 'forgetAll' | 'forgetEvents'> {
  const { db } = parts.database

  /** Deletes events that wait for a connector. The one that says so is worked on, and keeps its row until its end. */
  async function deleteWaiting(ref: ConnectorRef, isMeant: (event: ReturnType<typeof openVendorEvent>) => boolean): Promise<void> {
    for (let after: string | undefined = firstId; after !== undefined; ) {
      const rows = await sql.listWaitingEvents(db, ref, { after, limit: rowsAtOnce })
      const meant = rows.filter((row) => {
        const event = openVendorEvent(parts, row)
        return event.does !== 'redact' && isMeant(event)
      })
      await sql.deleteVendorEvents(
        db,
        ref.organizationId,
        meant.map(({ id }) => id),
      )
      after = rows.length === rowsAtOnce ? rows.at(-1)?.id : undefined
    }
  }
  return {
    forgetAll: async (ref) => {
      await deleteWaiting(ref, () => true)
      await withConnector(parts, { view: viewOrganization(ref.organizationId), id: ref.connectorId }, (database, { row, kind }) =>
        emptyCopies(parts, database, { row, entities: kind === undefined ? [] : listCopiedEntities(kind.definition) }),
      )
      parts.events.emit('queued')
    },
    forgetEvents: deleteWaiting,
  }
}
