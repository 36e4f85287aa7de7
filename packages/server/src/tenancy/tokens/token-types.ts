/** Interfaces of tokens: bearer tokens of the token endpoint, and MCP tokens. */
import type { McpTokenRecord, McpTokenRemoval, McpTokenSecret, Page, ScopedToken, ScopedTokenInfo, TokenAnswer } from 'ferrule/wire'
import type { Caller, Principal } from '../../values/access.ts'

/** Credentials of an application. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}
/** What an application asks a token for. */
export interface TokenRequest extends ClientCredentials {
  /** Value of `X-Organization-Id`. */
  readonly organizationId?: string | undefined
  /** Space-separated scopes; defaults to all. */
  readonly scope?: string | undefined
}
/** An application that proved its secret. */
export interface ProvenClient {
  readonly applicationId: string
  /** Mark of the secret: a replaced secret has another. */
  readonly secretMark: string
}
/** Bearer tokens. */
export interface Tokens {
  /** Checks the credentials of an application without issuing a token. @throws FerruleError `invalid_client`, `overloaded` */
  checkClient(request: ClientCredentials): Promise<ProvenClient>
  /**
   * Issues a token for an application.
   * @throws FerruleError `invalid_client`, `organization_forbidden`, `validation_failed` (malformed UUID, unknown scope)
   */
  issueApplicationToken(request: TokenRequest): Promise<TokenAnswer>
  /**
   * Issues a token for one workspace, and creates a missing workspace. Needs an application token of scope workspaces:write.
   * @param body `{ workspace_name, region_id? }`; `customer_name` and `external_user_id` are old names of `workspace_name`
   * @throws FerruleError `insufficient_scope`, `validation_failed`, `workspace_inactive`
   */
  issueScopedToken(principal: Principal, body: unknown): Promise<ScopedToken>
  /** Returns the workspace of a scoped token. @throws FerruleError `insufficient_scope` for an application token */
  scopedTokenInfo(principal: Principal): Promise<ScopedTokenInfo>
  /**
   * Turns a token into a principal.
   * @param bearer token without `Bearer `; undefined when the request has no token
   * @param organizationHeader value of `X-Organization-Id`
   * @param isProvenLater true: the caller reads a connector of the organization, which fails for a deleted one. Saves a statement.
   * @throws FerruleError `missing_token`, `invalid_token`, `token_expired`, `organization_required`, `organization_forbidden`,
   * `validation_failed`
   */
  authenticate(bearer: string | undefined, organizationHeader: string | undefined, isProvenLater?: boolean): Promise<Principal>
  /**
   * Like `authenticate`, but accepts a token for several organizations without a named one. For routes about organizations only.
   */
  authenticateCaller(bearer: string | undefined): Promise<Caller>
}

/** Looks at what let a principal in, while an answer to it is sent. */
export interface Liveness {
  /**
   * Checks the application, its organization and the connector.
   * @param looked `countsToken`: the end of the token, or of the session, counts too
   * @throws FerruleError `token_expired`, `session_ended`, `organization_forbidden`, `connector_not_found`
   */
  check(principal: Principal, looked: { readonly connectorId: string; readonly countsToken: boolean }): Promise<void>
}

/** A request with a token to the MCP endpoint. */
export interface McpRequest {
  /** Token without `Bearer `; undefined when the request has no token. */
  readonly bearer: string | undefined
  /** Address of the endpoint, as `buildMcpAddress` makes it. */
  readonly resource: string
  /** Value of `X-Organization-Id`. */
  readonly organizationHeader?: string | undefined
}

/**
 * MCP tokens: opaque, named in lists, and revocable. They end with their application, its grant or its secret. The methods with a
 * principal need an application token of the organization.
 */
export interface McpTokens {
  /**
   * Creates a token. Scope applications:write.
   * @param body `{ name, workspace_names?, connector_ids?, scopes?, expires_in_days? }`
   * @returns the only answer with the token's text
   * @throws FerruleError `insufficient_scope` also for scopes beyond the principal's, `organization_forbidden`, `token_expired` (the secret
   *   was replaced), `validation_failed` also when the organization has 10,000 tokens
   */
  create(principal: Principal, body: unknown): Promise<McpTokenSecret>
  /**
   * Lists the tokens of the organization. An expired token stays for 30 days. Scope applications:read.
   * @param query `{ limit? (1..100, default 20), cursor? }`
   * @throws FerruleError `organization_forbidden`, `validation_failed`, `invalid_cursor`
   */
  list(principal: Principal, query: unknown): Promise<Page<McpTokenRecord>>
  /**
   * Deletes a token. Every node refuses its next call. Scope applications:write.
   * @throws FerruleError `mcp_token_not_found`, `organization_forbidden`
   */
  revoke(principal: Principal, id: string): Promise<McpTokenRemoval>
  /**
   * Turns the token of a request to the MCP endpoint into a principal. Reads an MCP token from the database each time. Takes bearer
   * tokens of the token endpoint too, whatever the resource.
   * @throws FerruleError `invalid_token`: the same for an unknown, expired, revoked or malformed MCP token, and for one of another
   *   resource; `missing_token`; for other tokens what `Tokens.authenticate` throws
   */
  authenticate(request: McpRequest): Promise<Principal>
  /** Deletes tokens 30 days after their expiry. @param now milliseconds since 1970. @returns the number */
  purgeExpired(now: number): Promise<number>
}
