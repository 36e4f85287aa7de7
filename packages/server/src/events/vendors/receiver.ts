/**
 * Takes what vendors send, on any node: verifies it, stores the events that it names, and answers. A worker reads their records later
 * (docs/decisions/webhooks.md).
 */
import { createHmac } from 'node:crypto'
import type { CredentialValues, Secret } from 'ferrule/engine'
import { BoundedMap, readWebhook, type WebhookEvent, type WebhookReading, type WebhookRequest } from 'ferrule/internal'
import { buildSourceUrl, type SourceOwnerName } from '../../connectors/links/addresses.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { Parts } from '../../main/parts.ts'
import { GroupedLooks } from '../../values/grouped-looks.ts'
import { digestText, newId } from '../../values/ids.ts'
import { type ArrivalEnd, insertArrivals, offerSecret, type SourceRow, updateSource, type VendorEventRow } from '../sql/vendor-events.ts'
import { createSourceFinder, type KnownSource } from './sources.ts'
import { sealOfferedSecret, sealVendorEvent } from './vendor-seals.ts'

/** A request to an address of webhooks. */
export interface ArrivedRequest extends Omit<WebhookRequest, 'url'> {
  readonly of: SourceOwnerName
  readonly id: string
  /** Query with its question mark; empty without one. */
  readonly query: string
}

/** What became of requests. */
export const receivedOutcomes = ['taken', 'challenge', 'refused', 'full'] as const
/** What became of a request. `full`: too many events wait. */
export type ReceivedOutcome = (typeof receivedOutcomes)[number]

/** The answer to a request. */
export type Received =
  | { readonly outcome: 'taken' | 'refused' | 'full' }
  | { readonly outcome: 'challenge'; readonly answer: Pick<Extract<WebhookReading, { type: 'challenge' }>, 'status' | 'headers' | 'body'> }

/** Services that the receiver needs. */
export type ReceiverParts = Pick<
  Parts,
  'database' | 'source' | 'settings' | 'kinds' | 'vault' | 'masterSeals' | 'events' | 'unfinished' | 'onBackgroundError'
>

/** Events that may wait at one address. */
export const mostWaiting = 10_000
/** Longest time for which an event is kept, in milliseconds. */
const keptMs = 7 * 24 * 3_600_000
/** Interval at which a node notes that requests of an address are refused, in milliseconds. */
const refusalNoteMs = 60_000
const mostNoted = 1_000

interface Arriving {
  readonly source: SourceRow
  readonly events: readonly WebhookEvent[]
}

/** Waits until all requests that have arrived are read: with SQLite nothing else would let a second one join a group. */
const gather = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Takes requests of vendors. */
export class VendorEventReceiver {
  /** Counts requests since the start, by what became of them. */
  readonly counts = new Map<ReceivedOutcome, number>(receivedOutcomes.map((outcome) => [outcome, 0]))
  readonly #parts: ReceiverParts
  readonly #find: ReturnType<typeof createSourceFinder>
  readonly #finds: GroupedLooks<Pick<ArrivedRequest, 'of' | 'id'>, { readonly found: KnownSource | undefined }>
  /** Requests that arrive together are stored together. */
  readonly #arrivals: GroupedLooks<Arriving, ArrivalEnd>
  readonly #refusals = new BoundedMap<string, number>(mostNoted)
  /** Verifies for addresses that do not exist, so that their refusal takes as long. */
  readonly #idleKey: Buffer
  #number = 0

  constructor(parts: ReceiverParts) {
    this.#parts = parts
    this.#find = createSourceFinder(parts)
    this.#idleKey = parts.source.randomBytes(32)
    this.#arrivals = new GroupedLooks((group) => this.#store(group), gather)
    this.#finds = new GroupedLooks((group) => Promise.all(group.map((each) => this.#findSource(each))))
  }

  async receive(request: ArrivedRequest): Promise<Received> {
    const received = await this.#receive(request)
    this.counts.set(received.outcome, (this.counts.get(received.outcome) ?? 0) + 1)
    return received
  }

  async #receive(request: ArrivedRequest): Promise<Received> {
    const { found } = await this.#finds.look(`${request.of} ${request.id}`, request)
    if (found === undefined) {
      createHmac('sha256', this.#idleKey).update(request.body).digest()
      return { outcome: 'refused' }
    }
    const reading = this.#read(found, request)
    if (reading.type === 'challenge') {
      if (reading.secret !== undefined) await this.#keepOffered(found, reading.secret)
      return { outcome: 'challenge', answer: reading }
    }
    if (reading.type === 'refused') {
      this.#noteRefusal(found.row)
      return { outcome: 'refused' }
    }
    const events = reading.events.filter((event) => isForSource(found, event))
    if (events.length === 0) return { outcome: 'taken' }
    this.#number += 1
    const end = await this.#arrivals.look(String(this.#number), { source: found.row, events })
    return { outcome: end === 'stored' ? 'taken' : end === 'full' ? 'full' : 'refused' }
  }

  /** Deletes events that are over. @returns the number */
  purgeExpired(now: number): Promise<number> {
    return deleteEnded(this.#parts.database.db, { table: 'vendor_events', key: ['id'], end: 'ends_at' }, now)
  }

  #read({ kind, secrets }: KnownSource, { of, id, query, ...request }: ArrivedRequest): WebhookReading {
    const url = `${buildSourceUrl(this.#parts.settings, of, id) ?? ''}${query}`
    return readWebhook(kind, { ...request, url }, secrets, this.#parts.source.clock())
  }

  /** Finds an address once for all requests that wait for it. */
  async #findSource({ of, id }: Pick<ArrivedRequest, 'of' | 'id'>): Promise<{ readonly found: KnownSource | undefined }> {
    const found = await this.#find(of, id).catch(this.#parts.onBackgroundError)
    return { found: found ?? undefined }
  }

  async #store(group: readonly Arriving[]): Promise<readonly ArrivalEnd[]> {
    const { database, source, events } = this.#parts
    const ends = await database.transaction((db) => {
      const now = source.clock()
      const arrivals = group.map(({ source, events }) => ({ source, rows: events.map((event) => this.#buildRow(source, event, now)) }))
      return insertArrivals(db, arrivals, { most: mostWaiting, now })
    })
    setImmediate(() => events.emit('arrived')) // the answers go first
    return ends
  }

  #buildRow(source: SourceRow, event: WebhookEvent, now: number): VendorEventRow {
    return {
      id: newId(this.#parts.source),
      source_id: source.id,
      organization_id: source.organization_id,
      connector_id: source.connector_id,
      digest: event.id === undefined ? null : digestText(event.id),
      ...sealVendorEvent(this.#parts, source, event),
      attempts: 0,
      next_at: now,
      lease_owner: null,
      received_at: now,
      ends_at: now + keptMs,
    }
  }

  /** Keeps a secret that the vendor states, for people to confirm. The newest counts: vendors state it again when they are asked. */
  async #keepOffered({ row, kind }: KnownSource, secret: Secret<CredentialValues>): Promise<void> {
    const name = kind.definition.webhooks?.signature.secret ?? ''
    const offered = row.connector_id === null ? undefined : sealOfferedSecret(this.#parts, row, { name, secret })
    if (offered !== undefined) await offerSecret(this.#parts.database.db, row, offered)
  }

  /** Notes that requests are refused, for the status of the connector. At most once in a while: anybody can send them. */
  #noteRefusal(row: SourceRow): void {
    const now = this.#parts.source.clock()
    if (now - (this.#refusals.get(row.id) ?? 0) < refusalNoteMs) return
    this.#refusals.set(row.id, now)
    const { database, unfinished, onBackgroundError } = this.#parts
    void unfinished.add(updateSource(database.db, row, { last_refused_at: now }).catch(onBackgroundError))
  }
}

/** Returns whether an event says something, and does not name another account than that of the connector. */
const isForSource = ({ row, accounts }: KnownSource, { does, account }: WebhookEvent): boolean =>
  does !== undefined && (row.connector_id === null || account === undefined || accounts.length === 0 || accounts.includes(account))
