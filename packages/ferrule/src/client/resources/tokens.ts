import { endpoints } from '../../wire/endpoints.ts'
import type { ScopedToken, ScopedTokenInfo, ScopedTokenRequest } from '../../wire/tokens.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { addWorkspaceName } from './workspace-name.ts'

/** Tokens for others. The client gets its own tokens by itself. */
export class ScopedTokens {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Makes a token of 20 minutes for one workspace: the given one, which is created if its name is new, else the client's. */
  create(body: ScopedTokenRequest = {}, options: RequestOptions = {}): Promise<ScopedToken> {
    return this.#transport.json(endpoints.createScopedToken, { body: addWorkspaceName(this.#transport, body), ...options })
  }

  /** Reads the organization and the workspace of the client's own scoped token. */
  info(options: RequestOptions = {}): Promise<ScopedTokenInfo> {
    return this.#transport.json(endpoints.getScopedTokenInfo, options)
  }
}
