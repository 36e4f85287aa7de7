import { endpoints } from '../../wire/endpoints.ts'
import type { McpTokenInput, McpTokenQuery, McpTokenRecord, McpTokenRemoval, McpTokenSecret } from '../../wire/mcp-tokens.ts'
import type { Page } from '../../wire/paging.ts'
import type { ScopedToken, ScopedTokenInfo, ScopedTokenRequest } from '../../wire/tokens.ts'
import type { RequestOptions, Transport } from '../transport.ts'
import { addWorkspaceName, readPage, walkPages } from './pages.ts'

const address = { endpoint: endpoints.listMcpTokens } as const

/** MCP tokens: for the settings of an agent, long-lived and revocable. */
export class McpTokens {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Yields all tokens of the organization, page by page, without their texts. */
  list(query: McpTokenQuery = {}, options: RequestOptions = {}): AsyncGenerator<McpTokenRecord, void, undefined> {
    return walkPages(this.#transport, { address, query }, options)
  }

  /** Reads one page. @param from a query, or `next` of the page before */
  page(from: McpTokenQuery | string = {}, options: RequestOptions = {}): Promise<Page<McpTokenRecord>> {
    return readPage(this.#transport, { address, from }, options)
  }

  /** Creates a token for the given workspaces, else for the client's. Its text is in this answer only. */
  create(body: McpTokenInput, options: RequestOptions = {}): Promise<McpTokenSecret> {
    const { workspace } = this.#transport.settings
    return this.#transport.json(endpoints.createMcpToken, { body: { workspace_names: [workspace], ...body }, ...options })
  }

  /** Revokes a token. Its next call is refused. */
  revoke(id: string, options: RequestOptions = {}): Promise<McpTokenRemoval> {
    return this.#transport.json(endpoints.revokeMcpToken, { slots: { token_id: id }, ...options })
  }
}

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
