import { endpoints } from '../../wire/endpoints.ts'
import type { ChangeConsumer, ChangeConsumerInput, ChangeConsumerList, ChangeConsumerRemoval } from '../../wire/feed/consumers.ts'
import type { RequestOptions, Transport } from '../transport.ts'

const slotsOf = (connectorId: string, name: string) => ({ slots: { connector_id: connectorId, name } })

/** Consumers of the changes of connectors: the service keeps their cursors. `connect(…).changes({ consumer })` reads with one. */
export class Consumers {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the consumers of a connector, each with how much it has not read. */
  async list(connectorId: string, options: RequestOptions = {}): Promise<readonly ChangeConsumer[]> {
    const { data }: ChangeConsumerList = await this.#transport.json(endpoints.listChangeConsumers, {
      slots: { connector_id: connectorId },
      ...options,
    })
    return data
  }

  /** Reads a consumer. @throws FerruleError `consumer_not_found` */
  get(connectorId: string, name: string, options: RequestOptions = {}): Promise<ChangeConsumer> {
    return this.#transport.json(endpoints.getChangeConsumer, { ...slotsOf(connectorId, name), ...options })
  }

  /**
   * Registers a consumer, or moves its cursor.
   * @param body empty: a new consumer begins with all records, and another one stays where it is
   * @throws FerruleError `consumer_moved` when its cursor is not `replaces` any more
   */
  save(connectorId: string, name: string, body: ChangeConsumerInput = {}, options: RequestOptions = {}): Promise<ChangeConsumer> {
    return this.#transport.json(endpoints.saveChangeConsumer, { ...slotsOf(connectorId, name), body, ...options })
  }

  /** Deletes a consumer. */
  delete(connectorId: string, name: string, options: RequestOptions = {}): Promise<ChangeConsumerRemoval> {
    return this.#transport.json(endpoints.deleteChangeConsumer, { ...slotsOf(connectorId, name), ...options })
  }
}
