import type { SyncState, SyncStatusRecord, WatchQuery } from '../../wire/context-store.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { ResetInput, ScheduleInput, ScheduleList, SyncRunRecord, SyncScheduleRecord } from '../../wire/syncs.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { watchEvents } from '../watch.ts'

const slots = (id: string) => ({ connector_id: id })

/** States of a copy whose first sync has not ended. */
const filling: readonly SyncState[] = ['loading', 'building_preview', 'preview']

/** Copies of connectors' records, which searches read. */
export class ContextStore {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Reads the status of the copy of a connector. */
  status(connectorId: string, options: RequestOptions = {}): Promise<SyncStatusRecord> {
    return this.#transport.json(endpoints.getContextStore, { slots: slots(connectorId), ...options })
  }

  /**
   * Yields the status now and after every change: without end, or with `until: 'filled'` until the first sync of every entity has ended.
   * Reconnects when the stream breaks off. `deadlineMs` limits each connection's start.
   */
  watch(connectorId: string, query: WatchQuery = {}, options: RequestOptions = {}): AsyncGenerator<SyncStatusRecord, void, undefined> {
    const { deadlineMs } = options
    return watchEvents<SyncStatusRecord>({
      url: this.#transport.settings.url,
      type: 'status',
      open: (headers, signal) =>
        this.#transport.open(endpoints.watchContextStore, { slots: slots(connectorId), query, headers, signal, deadlineMs }),
      isLast: ({ state }) => query.until === 'filled' && !filling.includes(state),
      signal: options.signal,
    })
  }

  /** Sets a schedule, and returns all schedules of the connector. */
  async schedule(connectorId: string, body: ScheduleInput, options: RequestOptions = {}): Promise<readonly SyncScheduleRecord[]> {
    const parts = { slots: slots(connectorId), body, ...options }
    return (await this.#transport.json<ScheduleList>(endpoints.setSchedule, parts)).data
  }

  /** Empties the copy, or the given entities of it, and returns the run that fills it again. Nothing changes at the vendor. */
  reset(connectorId: string, { entities }: ResetInput = {}, options: RequestOptions = {}): Promise<SyncRunRecord> {
    const query = { entities: entities?.join(',') }
    return this.#transport.json(endpoints.resetContextStore, { slots: slots(connectorId), query, ...options })
  }
}
