import type {
  OAuthConsent,
  OAuthCredentialsInput,
  OAuthCredentialsList,
  OAuthCredentialsRecord,
  OAuthCredentialsRemoval,
  OAuthInitiateInput,
} from '../../wire/connect/credentials.ts'
import { endpoints } from '../../wire/endpoints.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { addWorkspaceName } from './workspace-name.ts'

/** The operator's own applications at vendors. Their secrets are never returned. */
export class OAuthCredentials {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Lists the applications of the organization. */
  list(options: RequestOptions = {}): Promise<OAuthCredentialsList> {
    return this.#transport.json(endpoints.listOAuthCredentials, options)
  }

  /** Stores the application of a kind, in place of an earlier one. Connectors that refer to it use the new one. */
  save(body: OAuthCredentialsInput, options: RequestOptions = {}): Promise<OAuthCredentialsRecord> {
    return this.#transport.json(endpoints.saveOAuthCredentials, { body, ...options })
  }

  /** Deletes the application of a kind. @param options `force`: also when connectors use it */
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
