import { endpoints } from '../../wire/endpoints.ts'
import type { Page } from '../../wire/paging.ts'
import type { SyncInput, SyncQuery, SyncRunRecord, UnfinishedRunQuery, UnfinishedRunRecord } from '../../wire/syncs.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { watchEvents } from '../watch.ts'
import { readPage, walkPages } from './pages.ts'

const address = (id: string) => ({ endpoint: endpoints.listSyncs, slots: { connector_id: id } })
const unfinishedAddress = { endpoint: endpoints.listUnfinishedSyncs } as const
const slots = (connectorId: string, syncId: string) => ({ connector_id: connectorId, sync_id: syncId })

/** Runs that bring the copy of a connector up to date. */
export class Syncs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Queues a run, or joins the one that waits. */
  start(connectorId: string, body: SyncInput = {}, options: RequestOptions = {}): Promise<SyncRunRecord> {
    return this.#transport.json(endpoints.requestSync, { slots: { connector_id: connectorId }, body, ...options })
  }

  /** Yields the runs of a connector, page by page, the newest first. */
  list(connectorId: string, query: SyncQuery = {}, options: RequestOptions = {}): AsyncGenerator<SyncRunRecord, void, undefined> {
    return walkPages(this.#transport, { address: address(connectorId), query }, options)
  }

  /** Reads one page. @param from a query, or `next` of the page before */
  page(connectorId: string, from: SyncQuery | string = {}, options: RequestOptions = {}): Promise<Page<SyncRunRecord>> {
    return readPage(this.#transport, { address: address(connectorId), from }, options)
  }

  /** Yields the queued and running runs of all connectors, page by page, the newest first. */
  unfinished(query: UnfinishedRunQuery = {}, options: RequestOptions = {}): AsyncGenerator<UnfinishedRunRecord, void, undefined> {
    return walkPages(this.#transport, { address: unfinishedAddress, query }, options)
  }

  /** Reads one page of unfinished runs. @param from a query, or `next` of the page before */
  unfinishedPage(from: UnfinishedRunQuery | string = {}, options: RequestOptions = {}): Promise<Page<UnfinishedRunRecord>> {
    return readPage(this.#transport, { address: unfinishedAddress, from }, options)
  }

  /** Reads a run. */
  get(connectorId: string, syncId: string, options: RequestOptions = {}): Promise<SyncRunRecord> {
    return this.#transport.json(endpoints.getSync, { slots: slots(connectorId, syncId), ...options })
  }

  /** Cancels a run. Written records stay; a finished run does not change. */
  cancel(connectorId: string, syncId: string, options: RequestOptions = {}): Promise<SyncRunRecord> {
    return this.#transport.json(endpoints.cancelSync, { slots: slots(connectorId, syncId), ...options })
  }

  /**
   * Yields the run now and after every change, until it has ended. Reconnects when the stream breaks off.
   * `deadlineMs` limits each connection's start, not the run.
   */
  watch(connectorId: string, syncId: string, options: RequestOptions = {}): AsyncGenerator<SyncRunRecord, void, undefined> {
    const { deadlineMs } = options
    return watchEvents<SyncRunRecord>({
      url: this.#transport.settings.url,
      type: 'run',
      open: (headers, signal) =>
        this.#transport.open(endpoints.watchSync, { slots: slots(connectorId, syncId), headers, signal, deadlineMs }),
      isLast: ({ finished_at }) => finished_at !== null,
      signal: options.signal,
    })
  }
}
