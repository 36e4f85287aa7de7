import { endpoints } from '../../wire/endpoints.ts'
import type { EventPage, EventQuery } from '../../wire/events.ts'
import type { Page } from '../../wire/paging.ts'
import type {
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookEndpoint,
  WebhookEndpointInput,
  WebhookEndpointList,
  WebhookEndpointPatch,
  WebhookEndpointRemoval,
  WebhookEndpointSecret,
  WebhookRedelivery,
  WebhookRedeliveryResult,
  WebhookRotation,
} from '../../wire/webhooks.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { readPage, walkPages } from './pages.ts'

const slotsOf = (id: string) => ({ slots: { endpoint_id: id } })
const addressOf = (id: string) => ({ endpoint: endpoints.listWebhookDeliveries, ...slotsOf(id) })

/** Endpoints that the service sends events to. Methods with an id throw `webhook_endpoint_not_found`. */
export class WebhookEndpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the endpoints of the organization. */
  async list(options: RequestOptions = {}): Promise<readonly WebhookEndpoint[]> {
    const { data }: WebhookEndpointList = await this.#transport.json(endpoints.listWebhookEndpoints, options)
    return data
  }

  /** Reads an endpoint. */
  get(id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#transport.json(endpoints.getWebhookEndpoint, { ...slotsOf(id), ...options })
  }

  /** Creates an endpoint and tests it. The secret, for `verifyWebhook`, is in this answer only. */
  create(body: WebhookEndpointInput, options: RequestOptions = {}): Promise<WebhookEndpointSecret> {
    return this.#transport.json(endpoints.createWebhookEndpoint, { body, ...options })
  }

  /** Changes an endpoint. @param body `status`: `paused` makes events wait, `active` sends them again */
  update(id: string, body: WebhookEndpointPatch, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#transport.json(endpoints.updateWebhookEndpoint, { ...slotsOf(id), body, ...options })
  }

  /** Deletes an endpoint with its deliveries. */
  delete(id: string, options: RequestOptions = {}): Promise<WebhookEndpointRemoval> {
    return this.#transport.json(endpoints.deleteWebhookEndpoint, { ...slotsOf(id), ...options })
  }

  /** Makes a new secret. @param body `overlap_seconds`: for so long the old secret signs too; default: a day */
  rotateSecret(id: string, body: WebhookRotation = {}, options: RequestOptions = {}): Promise<WebhookEndpointSecret> {
    return this.#transport.json(endpoints.rotateWebhookSecret, { ...slotsOf(id), body, ...options })
  }

  /** Sends `webhook.test`. The newest delivery shows what became of it. @throws FerruleError `rate_limited` above five in a minute */
  test(id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#transport.json(endpoints.testWebhookEndpoint, { ...slotsOf(id), ...options })
  }

  /** Yields the deliveries to an endpoint, the newest first. */
  deliveries(id: string, query: WebhookDeliveryQuery = {}, options: RequestOptions = {}): AsyncGenerator<WebhookDelivery, void, undefined> {
    return walkPages(this.#transport, { address: addressOf(id), query }, options)
  }

  /** Reads one page of deliveries. @param from a query, or `next` of the page before */
  deliveryPage(id: string, from: WebhookDeliveryQuery | string = {}, options: RequestOptions = {}): Promise<Page<WebhookDelivery>> {
    return readPage(this.#transport, { address: addressOf(id), from }, options)
  }

  /** Sends one event again, whatever became of it. @throws FerruleError `webhook_delivery_not_found` */
  retryDelivery(id: string, deliveryId: string, options: RequestOptions = {}): Promise<WebhookDelivery> {
    const slots = { endpoint_id: id, delivery_id: deliveryId }
    return this.#transport.json(endpoints.retryWebhookDelivery, { slots, ...options })
  }

  /** Sends again what was given up. @param body `since`: only what was queued since this time */
  retryDeliveries(id: string, body: WebhookRedelivery = {}, options: RequestOptions = {}): Promise<WebhookRedeliveryResult> {
    return this.#transport.json(endpoints.retryWebhookDeliveries, { ...slotsOf(id), body, ...options })
  }
}

/** Events of the organization: what webhooks carry, by polling. */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Reads events in their order. @param query `after`: `after` of the answer before @throws FerruleError `invalid_cursor` after 30 days */
  list(query: EventQuery = {}, options: RequestOptions = {}): Promise<EventPage> {
    return this.#transport.json(endpoints.listEvents, { query, ...options })
  }
}
