import type {
  OAuthConsent,
  OAuthCredentialsInput,
  OAuthCredentialsList,
  OAuthCredentialsRecord,
  OAuthCredentialsRemoval,
  OAuthInitiateInput,
} from '../../wire/connect/credentials.ts'
import type { ConnectLinkInput, ConnectLinkQuery, ConnectLinkRecord, ConnectLinkSecret } from '../../wire/connect/links.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { Page } from '../../wire/paging.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { addWorkspaceName, readPage, walkPages } from './pages.ts'

const address = { endpoint: endpoints.listConnectLinks } as const

/** Adds the client's workspace to a link that names neither a workspace nor a connector. */
const addWorkspace = ({ settings }: Transport, body: ConnectLinkInput): ConnectLinkInput =>
  (body.workspace_name ?? body.workspace_id ?? body.connector_id) === undefined ? { workspace_name: settings.workspace, ...body } : body

/** Creates a link. Its address is in this answer only. */
export const createLink = (transport: Transport, body: ConnectLinkInput, options: RequestOptions): Promise<ConnectLinkSecret> =>
  transport.json(endpoints.createConnectLink, { body: addWorkspace(transport, body), ...options })

/** Connect links: with one, an end user authorizes a connector without anybody seeing the secret. */
export class Links {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Creates a link for an end user. @param body without a workspace or connector: for the client's workspace */
  create(body: ConnectLinkInput, options: RequestOptions = {}): Promise<ConnectLinkSecret> {
    return createLink(this.#transport, body, options)
  }

  /** Yields all links, page by page, without their addresses. */
  list(query: ConnectLinkQuery = {}, options: RequestOptions = {}): AsyncGenerator<ConnectLinkRecord, void, undefined> {
    return walkPages(this.#transport, { address, query }, options)
  }

  /** Reads one page. @param from a query, or `next` of the page before */
  page(from: ConnectLinkQuery | string = {}, options: RequestOptions = {}): Promise<Page<ConnectLinkRecord>> {
    return readPage(this.#transport, { address, from }, options)
  }

  /** Reads a link. Verify an authorization here, from a server: what a browser brings back proves nothing. */
  get(id: string, options: RequestOptions = {}): Promise<ConnectLinkRecord> {
    return this.#transport.json(endpoints.getConnectLink, { slots: { link_id: id }, ...options })
  }

  /** Revokes an open link. */
  revoke(id: string, options: RequestOptions = {}): Promise<ConnectLinkRecord> {
    return this.#transport.json(endpoints.revokeConnectLink, { slots: { link_id: id }, ...options })
  }
}

/** The operator's own OAuth clients at vendors. Their secrets are never returned. */
export class OAuthCredentials {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the applications of the organization. */
  list(options: RequestOptions = {}): Promise<OAuthCredentialsList> {
    return this.#transport.json(endpoints.listOAuthCredentials, options)
  }

  /** Stores the OAuth client of a kind, instead of an earlier one. Connectors that refer to it use the new one. */
  save(body: OAuthCredentialsInput, options: RequestOptions = {}): Promise<OAuthCredentialsRecord> {
    return this.#transport.json(endpoints.saveOAuthCredentials, { body, ...options })
  }

  /** Deletes the OAuth client of a kind. @param options `force`: also when connectors use it */
  delete(kind: string, options: RequestOptions & { readonly force?: boolean } = {}): Promise<OAuthCredentialsRemoval> {
    const { force = false, ...rest } = options
    const query = force ? { force: 'true' } : {}
    return this.#transport.json(endpoints.deleteOAuthCredentials, { slots: { connector_type: kind }, query, ...rest })
  }

  /** Starts an authorization in a browser: creates a connect link for one kind. */
  initiate(body: OAuthInitiateInput, options: RequestOptions = {}): Promise<OAuthConsent> {
    return this.#transport.json(endpoints.initiateOAuth, { body: addWorkspaceName(this.#transport, body), ...options })
  }
}
