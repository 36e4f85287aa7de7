/** The service from code: what its HTTP interface offers, as typed methods. */

import { parseFilter } from '../values/filter/parse.ts'
import { type Endpoint, endpoints } from '../wire/endpoints.ts'
import type { Health, NodeRecord, ServiceRecord } from '../wire/overview/node.ts'
import type { SearchInput, SearchResult } from '../wire/overview/search.ts'
import type { UsageQuery, UsageReport } from '../wire/overview/usage.ts'
import { type AnyAnswer, type AnyRequest, requestAny } from './any-route.ts'
import { Applications } from './resources/applications.ts'
import { Connectors, Jobs } from './resources/connectors.ts'
import { Consumers } from './resources/consumers.ts'
import { ContextStore } from './resources/context-store.ts'
import { Definitions } from './resources/definitions.ts'
import { Kinds } from './resources/kinds.ts'
import { Links, OAuthCredentials } from './resources/links.ts'
import { McpTokens, ScopedTokens } from './resources/mcp-tokens.ts'
import { Organizations } from './resources/organizations.ts'
import { Syncs } from './resources/syncs.ts'
import { Events, WebhookEndpoints } from './resources/webhooks.ts'
import { Workspaces } from './resources/workspaces.ts'
import { searchEverything } from './search-everything.ts'
import type { Include } from './search-types.ts'
import { readServiceSettings, type ServiceOptions } from './settings.ts'
import { type RequestOptions, Transport } from './transport.ts'

/** Reads the transport of a client. The class sets it, because the transport is private. */
let readTransport: (client: Ferrule) => Transport

/** A search over all connectors; the filter can be text. */
export interface EverySearch extends Omit<SearchInput, 'filter' | 'include'> {
  readonly filter?: string | SearchInput['filter']
  /** Fields of related records, for entities that have the reference: `{ primaryUserId: ['firstName'] }`. */
  readonly include?: Include
}

/**
 * A client of one service. Bodies and answers have the names of the HTTP interface.
 *
 * Reads are repeated after a failure that can pass. Writes are sent once, unless their route takes an Idempotency-Key. Every method throws
 * a FerruleError.
 */
export class Ferrule {
  readonly applications: Applications
  readonly organizations: Organizations
  readonly workspaces: Workspaces
  readonly connectors: Connectors
  readonly syncs: Syncs
  readonly contextStore: ContextStore
  readonly consumers: Consumers
  readonly definitions: Definitions
  readonly kinds: Kinds
  readonly tokens: ScopedTokens
  readonly mcpTokens: McpTokens
  readonly links: Links
  readonly oauthCredentials: OAuthCredentials
  readonly webhooks: WebhookEndpoints
  readonly events: Events
  readonly jobs: Jobs
  readonly #transport: Transport

  static {
    readTransport = (client) => client.#transport
  }

  /**
   * @param options address and identity; what is left out comes from the environment
   * @throws FerruleError `validation_failed`, `setting_invalid`
   */
  constructor(options: ServiceOptions = {}) {
    const transport = new Transport(readServiceSettings(options))
    this.#transport = transport
    this.applications = new Applications(transport)
    this.organizations = new Organizations(transport)
    this.workspaces = new Workspaces(transport)
    this.connectors = new Connectors(transport)
    this.syncs = new Syncs(transport)
    this.contextStore = new ContextStore(transport)
    this.consumers = new Consumers(transport)
    this.definitions = new Definitions(transport)
    this.kinds = new Kinds(transport)
    this.tokens = new ScopedTokens(transport)
    this.mcpTokens = new McpTokens(transport)
    this.links = new Links(transport)
    this.oauthCredentials = new OAuthCredentials(transport)
    this.webhooks = new WebhookEndpoints(transport)
    this.events = new Events(transport)
    this.jobs = new Jobs(transport)
  }

  /** Asks whether the service can be used: its databases answer and it is not stopping. @throws FerruleError `unavailable` */
  health(options: RequestOptions = {}): Promise<Health> {
    return this.#transport.json(endpoints.getReadiness, { isOpen: true, ...options })
  }

  /** Reads what every client may know of the service: its version, and whether it has a sandbox. */
  service(options: RequestOptions = {}): Promise<ServiceRecord> {
    return this.#transport.json(endpoints.getService, options)
  }

  /** Reads what the answering node runs with, for the operator. @throws FerruleError `operator_required` */
  node(options: RequestOptions = {}): Promise<NodeRecord> {
    return this.#transport.json(endpoints.getNode, options)
  }

  /**
   * Searches all connectors that the token reaches: `await ferrule.search({ text: 'acme renewal' })`. `meta.cursor` is the `cursor` of the next page.
   * @param search `text`, `filter` as conditions or as text, or both; `kinds`, `entities`, `connectors` and `workspace_id` narrow it; `include`
   *   adds fields of related records
   */
  search({ filter, ...search }: EverySearch, options: RequestOptions = {}): Promise<SearchResult> {
    const body = { ...search, ...(filter === undefined ? {} : { filter: typeof filter === 'string' ? parseFilter(filter) : filter }) }
    return searchEverything(this.#transport, body, options)
  }

  /** Reads calls, errors and latency over time. */
  usage(query: UsageQuery = {}, options: RequestOptions = {}): Promise<UsageReport> {
    return this.#transport.json(endpoints.getUsage, { query, ...options })
  }

  /**
   * Sends a request to any route, with the client's token.
   * @param method GET is repeated after a failure that can pass; the others only with `idempotencyKey`
   * @param path from the service's address on, for example `/api/v1/organizations`
   * @throws FerruleError `validation_failed` when the path leads away from the service
   */
  request(method: Endpoint['method'], path: string, request: AnyRequest = {}): Promise<AnyAnswer> {
    return requestAny(this.#transport, { method, path }, request)
  }
}

/** Returns the way to the service of a client, for other code of this package. */
export const findTransport = (client: Ferrule): Transport => readTransport(client)
