import { endpoints } from '../../wire/endpoints.ts'
import type { ScopedToken, ScopedTokenInfo, ScopedTokenRequest } from '../../wire/tokens.ts'
import type { RequestOptions, Transport } from '../transport.ts'

/** Tokens for others. The client gets its own tokens by itself. */
export class ScopedTokens {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Makes a token of 20 minutes for one workspace; a new name creates a workspace. */
  create(body: ScopedTokenRequest, options: RequestOptions = {}): Promise<ScopedToken> {
    return this.#transport.json(endpoints.createScopedToken, { body, ...options })
  }

  /** Reads the organization and the workspace of the client's own scoped token. */
  info(options: RequestOptions = {}): Promise<ScopedTokenInfo> {
    return this.#transport.json(endpoints.getScopedTokenInfo, options)
  }
}
