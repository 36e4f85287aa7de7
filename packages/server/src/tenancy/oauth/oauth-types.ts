/** Interfaces of the authorization server's state: records of the protocol, grants and access tokens. */
import type { McpScope } from 'ferrule/wire'
import type { Principal } from '../../values/access.ts'
import type { ClientCredentials, ProvenClient } from '../tokens/token-types.ts'

/** Type and secret id of a record. */
export interface OAuthRecordKey {
  readonly type: string
  readonly id: string
}

/** Content of a record. */
export interface OAuthRecord {
  readonly content: unknown
  /** Milliseconds since its use; null: not used yet. */
  readonly usedForMs: number | null
}

/** A record that is stored. */
export interface NewOAuthRecord {
  readonly content: unknown
  readonly lifeMs: number
  /** The grant that it ends with. */
  readonly grantId?: string | undefined
  /** True: a record that exists stays as it is. */
  readonly keepsFirst?: boolean
}

/** What an operator agrees to. */
export interface GrantInput {
  /** Client, as it introduced itself. */
  readonly clientId: string
  readonly clientName: string
  readonly workspaceNames: readonly string[]
  /** undefined: all connectors of the workspaces. */
  readonly connectorIds: readonly string[] | undefined
  readonly scopes: readonly McpScope[]
}

/** A grant. */
export interface OAuthGrant {
  readonly id: string
  readonly clientId: string
  readonly scopes: readonly McpScope[]
  readonly resource: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt: number
}

/** An access token of a grant. */
export interface OAuthAccessToken {
  readonly grantId: string
  readonly clientId: string
  readonly scopes: readonly McpScope[]
  readonly resource: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** An organization that a signed-in application reaches. */
export interface ReachedOrganization {
  readonly id: string
  readonly name: string
}

/** State of the authorization server. Ids of records are stored as hashes, and their contents are encrypted with keys from the ids. */
export interface OAuth {
  /** Keys that sign cookies, the current one first. */
  cookieKeys(): readonly string[]
  /** Stores a record, or replaces the content of an earlier one unless that is kept. @returns false when its grant has ended */
  save(key: OAuthRecordKey, record: NewOAuthRecord): Promise<boolean>
  /** Reads a record that has not expired. */
  find(key: OAuthRecordKey): Promise<OAuthRecord | undefined>
  /** Marks a record as used. @returns false when it was used before, on any node */
  consume(key: OAuthRecordKey): Promise<boolean>
  remove(key: OAuthRecordKey): Promise<void>
  /** Keeps a record for at least this time. */
  extend(key: OAuthRecordKey, lifeMs: number): Promise<void>
  /** Returns whether another record of a type may be stored. */
  hasRoom(type: string): Promise<boolean>

  /** Checks client id and secret of an application. @throws FerruleError `invalid_client`, `overloaded` */
  signIn(request: ClientCredentials): Promise<ProvenClient>
  /** Lists organizations of a signed-in application; 100 at most. */
  listOrganizations(who: ProvenClient): Promise<readonly ReachedOrganization[]>
  /**
   * Enters an organization as a signed-in application.
   * @throws FerruleError `organization_forbidden`; `token_expired` after a replacement of the secret
   */
  enter(who: ProvenClient, organizationId: string): Promise<Principal>
  /**
   * Stores a grant.
   * @throws FerruleError `insufficient_scope`, `organization_forbidden`, `token_expired`, `validation_failed`
   */
  grant(principal: Principal, input: GrantInput): Promise<OAuthGrant>
  /** Finds a grant; undefined when it was revoked, or ended with its application or time. */
  findGrant(id: string): Promise<OAuthGrant | undefined>
  /** Ends a grant with all of its tokens. */
  endGrant(id: string): Promise<void>

  /** Creates the text of an access token: the one of a token for MCP. @param from a secret that always gives the same text; undefined: random */
  newAccessToken(from?: string): string
  /** Stores an access token, and extends the grant; the same text again renews its end. @returns false when the grant has ended */
  saveAccessToken(token: string, about: Omit<OAuthAccessToken, 'clientId' | 'resource'>): Promise<boolean>
  /** Finds an access token that has not expired. */
  findAccessToken(token: string): Promise<OAuthAccessToken | undefined>
  removeAccessToken(token: string): Promise<void>
  /** Deletes expired records. @param now milliseconds since 1970. @returns the number */
  purgeExpired(now: number): Promise<number>
}
