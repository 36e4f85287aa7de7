import { isReading } from '../../values/methods.ts'
import type { CheckResult } from '../../wire/checks.ts'
import type { ConnectLinkInput, ConnectLinkSecret } from '../../wire/connect/links.ts'
import type { ConnectorInput, ConnectorPatch, ConnectorQuery, ConnectorUpdate } from '../../wire/connector-inputs.ts'
import type { ConnectorOverview, ConnectorRecord, ConnectorSummary, JobRecord, JobReference } from '../../wire/connectors.ts'
import type { Inspection } from '../../wire/context-store.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { MediaAddress, MediaInput, Validation, ValidationInput } from '../../wire/execute-request.ts'
import type { Page } from '../../wire/paging.ts'
import type { VendorAnswer, VendorRequest } from '../../wire/vendor-request.ts'
import type { ConnectorWebhooks, ConnectorWebhooksInput } from '../../wire/vendor-webhooks.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { createLink } from './links.ts'
import { addWorkspaceName, readPage, walkPages } from './pages.ts'

/** Options of a creation. */
export interface CreateOptions extends RequestOptions {
  /** Key of the creation, for another process that repeats it within 24 hours; default: a new key, kept over the attempts. */
  readonly idempotencyKey?: string | undefined
}

const address = { endpoint: endpoints.listConnectors } as const
const overviewAddress = { endpoint: endpoints.listConnectorOverviews } as const
const slots = (id: string) => ({ connector_id: id })

/** Connectors of the organization. */
export class Connectors {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Yields all connectors, page by page. */
  list(query: ConnectorQuery = {}, options: RequestOptions = {}): AsyncGenerator<ConnectorSummary, void, undefined> {
    return walkPages(this.#transport, { address, query }, options)
  }

  /** Reads one page. @param from a query, or `next` of the page before */
  page(from: ConnectorQuery | string = {}, options: RequestOptions = {}): Promise<Page<ConnectorSummary>> {
    return readPage(this.#transport, { address, from }, options)
  }

  /** Yields all connectors with the state of their copies at a glance, page by page. */
  overview(query: ConnectorQuery = {}, options: RequestOptions = {}): AsyncGenerator<ConnectorOverview, void, undefined> {
    return walkPages(this.#transport, { address: overviewAddress, query }, options)
  }

  /** Reads one page of connectors at a glance. @param from a query, or `next` of the page before */
  overviewPage(from: ConnectorQuery | string = {}, options: RequestOptions = {}): Promise<Page<ConnectorOverview>> {
    return readPage(this.#transport, { address: overviewAddress, from }, options)
  }

  /** Reads a connector. */
  get(id: string, options: RequestOptions = {}): Promise<ConnectorRecord> {
    return this.#transport.json(endpoints.getConnector, { slots: slots(id), ...options })
  }

  /**
   * Creates a connector, once however often the request is sent. The credentials are checked at the vendor first.
   * @param body without the name of a workspace: for the client's workspace
   */
  create(body: ConnectorInput, options: CreateOptions = {}): Promise<ConnectorRecord> {
    return this.#transport.json(endpoints.createConnector, { body: addWorkspaceName(this.#transport, body), ...options })
  }

  /** Replaces the given members; credentials are changed by `patch`. */
  update(id: string, body: ConnectorUpdate, options: RequestOptions = {}): Promise<ConnectorRecord> {
    return this.#transport.json(endpoints.updateConnector, { slots: slots(id), body, ...options })
  }

  /** Merges the given members, credentials too: null deletes a key. */
  patch(id: string, body: ConnectorPatch, options: RequestOptions = {}): Promise<ConnectorRecord> {
    return this.#transport.json(endpoints.patchConnector, { slots: slots(id), body, ...options })
  }

  /** Checks a connector at the vendor; with changes, as it would be with them. Nothing is stored. */
  check(id: string, changes: ConnectorPatch = {}, options: RequestOptions = {}): Promise<CheckResult> {
    return this.#transport.json(endpoints.checkConnector, { slots: slots(id), body: changes, isRead: true, ...options })
  }

  /** Checks a connector that does not exist yet. Nothing is stored. */
  checkNew(body: ConnectorInput, options: RequestOptions = {}): Promise<CheckResult> {
    return this.#transport.json(endpoints.checkNewConnector, { body: addWorkspaceName(this.#transport, body), isRead: true, ...options })
  }

  /** Checks a call without sending anything to the vendor: entity, action, parameters, statements, filters of searches. */
  validate(id: string, body: ValidationInput, options: RequestOptions = {}): Promise<Validation> {
    return this.#transport.json(endpoints.validateCall, { slots: slots(id), body, isRead: true, ...options })
  }

  /**
   * Sends a request of the caller's own to the vendor, for what no operation offers. A GET or a HEAD may be repeated; others are sent once, and again
   * only with the same `idempotencyKey`.
   * @returns `data`, the vendor's JSON, and `meta` with its status and headers
   */
  request(id: string, body: VendorRequest, options: CreateOptions = {}): Promise<VendorAnswer> {
    return this.#transport.json(endpoints.requestVendor, { slots: slots(id), body, isRead: isReading(body.method), ...options })
  }

  /** Creates a link by which an end user authorizes a connector again: it replaces the credentials, and keeps copy, schedule and id. */
  link(id: string, body: Omit<ConnectLinkInput, 'connector_id'>, options: RequestOptions = {}): Promise<ConnectLinkSecret> {
    return createLink(this.#transport, { ...body, connector_id: id }, options)
  }

  /**
   * Asks for an address that a browser plays a download from, for five minutes. It answers to the session or application that asked.
   * @returns `url` with the address of the service in front
   */
  async media(id: string, body: MediaInput, options: RequestOptions = {}): Promise<MediaAddress> {
    const address = await this.#transport.json<MediaAddress>(endpoints.createMediaAddress, {
      slots: slots(id),
      body,
      isRead: true,
      ...options,
    })
    return { ...address, url: `${this.#transport.settings.url}${address.url}` }
  }

  /** Deletes a connector and its credentials, and returns the finished job. */
  delete(id: string, options: RequestOptions & { readonly wait: true }): Promise<JobRecord>
  /** Deletes a connector and its credentials, and returns the id of the job that does it. */
  delete(id: string, options?: RequestOptions & { readonly wait?: false }): Promise<JobReference>
  async delete(id: string, options: RequestOptions & { readonly wait?: boolean } = {}): Promise<JobReference | JobRecord> {
    const { wait = false, ...rest } = options
    const job = await this.#transport.json<JobReference>(endpoints.deleteConnector, { slots: slots(id), ...rest })
    // A job can be read only when it has succeeded: JobRecord has no other status.
    return wait ? this.#transport.json<JobRecord>(endpoints.getJob, { slots: { job_id: job.job_id }, ...rest }) : job
  }

  /** Reads what the vendor sends to a connector: the address, counts, and what is missing. */
  webhooks(id: string, options: RequestOptions = {}): Promise<ConnectorWebhooks> {
    return this.#transport.json(endpoints.getConnectorWebhooks, { slots: slots(id), ...options })
  }

  /** Makes the address that the vendor sends webhooks to, and sets the secret that verifies them. */
  setWebhooks(id: string, body: ConnectorWebhooksInput = {}, options: RequestOptions = {}): Promise<ConnectorWebhooks> {
    return this.#transport.json(endpoints.setConnectorWebhooks, { slots: slots(id), body, ...options })
  }

  /** Deletes the address that the vendor sends webhooks to. */
  removeWebhooks(id: string, options: RequestOptions = {}): Promise<ConnectorWebhooks> {
    return this.#transport.json(endpoints.removeConnectorWebhooks, { slots: slots(id), ...options })
  }

  /** Reads a connector and its copy at a glance. */
  inspect(id: string, options: RequestOptions = {}): Promise<Inspection> {
    return this.#transport.json(endpoints.inspectConnector, { slots: slots(id), ...options })
  }
}

/** Jobs that the service does after its answer. */
export class Jobs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Reads a job. Jobs are kept for 30 days. */
  get(id: string, options: RequestOptions = {}): Promise<JobRecord> {
    return this.#transport.json(endpoints.getJob, { slots: { job_id: id }, ...options })
  }
}
