/** Interfaces of connect links, of the page that end users open, and of the operator's OAuth clients at vendors. */
import type * as wire from 'ferrule/wire'
import type { Principal } from '../../values/access.ts'

/**
 * Links of the principal's organization. With a token for some workspaces, only their links. All methods throw `insufficient_scope` and
 * `validation_failed`.
 */
export interface ConnectLinks {
  /**
   * Creates a link. Scope connectors:write.
   * @param body see `connectLinkInput`
   * @returns the only answer with the address
   * @throws FerruleError `not_offered` without a safe FERRULE_PUBLIC_URL, `workspace_not_found`, `workspace_inactive`,
   *   `connector_not_found`, `connector_type_not_found`, `token_expired` (the client secret was replaced)
   */
  create(principal: Principal, body: unknown): Promise<wire.ConnectLinkSecret>
  /** Creates a link for one kind in the form of the platform's clients. Scope connectors:write. @throws FerruleError as `create` */
  initiate(principal: Principal, body: unknown): Promise<wire.OAuthConsent>
  /** Lists links. Scope connectors:read. @throws FerruleError `invalid_cursor` */
  list(principal: Principal, query: unknown): Promise<wire.Page<wire.ConnectLinkRecord>>
  /** Reads a link. Scope connectors:read. @throws FerruleError `connect_link_not_found` */
  get(principal: Principal, id: string): Promise<wire.ConnectLinkRecord>
  /** Revokes an open link; an ended one stays as it is. Scope connectors:write. @throws FerruleError `connect_link_not_found` */
  revoke(principal: Principal, id: string): Promise<wire.ConnectLinkRecord>
  /** Deletes links 30 days after their end, and expired sessions and attempts. @param now milliseconds since 1970. @returns the number */
  purgeExpired(now: number): Promise<number>
}

/** A request of the page. */
export interface PageVisit {
  /** Link that the page was opened with. */
  readonly linkId: string
  /** Value of the session's cookie; undefined without one. */
  readonly session: string | undefined
}

/** A cookie that an answer sets. */
export interface IssuedCookie {
  readonly value: string
  readonly maxAgeSeconds: number
}

/** A return from a vendor's page. */
export interface ConsentReturn {
  /** Slug in the address. */
  readonly kind: string
  readonly query: URLSearchParams
  readonly readCookie: (attemptId: string) => string | undefined
}

/**
 * The page of a link. Nobody is signed in: the secret of the link opens a session, and its cookie proves every later request. Calls to
 * vendors count as those of the organization that made the link. A request that its browser leaves is carried out all the same.
 */
export interface ConnectPages {
  /**
   * Opens a session with the secret of a link.
   * @throws FerruleError `connect_link_not_found` (unknown link or wrong secret), `connect_link_closed` (not open any longer)
   */
  open(body: unknown): Promise<{ readonly page: wire.ConnectPage; readonly cookie: IssuedCookie }>
  /** Reads what the page shows. @throws FerruleError `connect_session_missing`, `connect_link_closed` */
  read(visit: PageVisit): Promise<wire.ConnectPage>
  /**
   * Checks credentials at the vendor, then creates the connector or replaces its credentials, and uses the link up.
   * @throws FerruleError `connect_session_missing`, `connect_link_closed`, `connect_account_mismatch`, `validation_failed`, what a creation
   *   throws, and the error of the check
   */
  authorize(visit: PageVisit, body: unknown): Promise<wire.ConnectDone>
  /**
   * Begins a consent.
   * @returns the address of the vendor's page, and the cookie that the return needs
   * @throws FerruleError `connect_session_missing`, `connect_link_closed`, `oauth_credentials_not_found`, `validation_failed`
   */
  begin(visit: PageVisit, body: unknown): Promise<{ readonly consent: wire.ConnectConsent; readonly cookie: IssuedCookie }>
  /**
   * Takes a return from the vendor's page, once. A failure is kept for the page, which reads it as the attempt of its session.
   * @returns where the browser goes next
   * @throws FerruleError `connect_return_refused` when the return belongs to no consent of this browser
   */
  takeReturn(given: ConsentReturn): Promise<{ readonly linkId: string; readonly attemptId: string }>
  /** Lists the accounts of the attempt that waits for a choice. @throws FerruleError `connect_session_missing`, `connect_return_refused` */
  listAccounts(visit: ChoiceVisit): Promise<wire.ConnectAccounts>
  /** Chooses accounts, which makes one connector. @throws FerruleError as `authorize` and `listAccounts` */
  choose(visit: ChoiceVisit, body: unknown): Promise<wire.ConnectDone>
  /**
   * Reads the status for the page that opened a link.
   * @param origin header Origin of the request
   * @throws FerruleError `connect_link_not_found`, also for any other origin than the link's
   */
  readStatus(linkId: string, origin: string | undefined): Promise<wire.ConnectLinkState>
}

/** A request of the page about an attempt. */
export interface ChoiceVisit extends PageVisit {
  readonly readCookie: (attemptId: string) => string | undefined
}

/** The operator's OAuth clients at vendors, one per kind and organization. Their secrets never leave. */
export interface OAuthClients {
  /**
   * Stores the OAuth client of a kind; it replaces an earlier one, for its connectors too. Scope connectors:write.
   * @param body see `oauthCredentialsInput`
   * @throws FerruleError `insufficient_scope`, `organization_forbidden` (a token for some workspaces), `validation_failed`,
   *   `connector_type_not_found`
   */
  save(principal: Principal, body: unknown): Promise<wire.OAuthCredentialsRecord>
  /** Lists the OAuth clients. Scope connectors:read. @throws FerruleError `insufficient_scope`, `organization_forbidden` */
  list(principal: Principal): Promise<wire.OAuthCredentialsList>
  /**
   * Deletes the OAuth client of a kind. Scope connectors:write.
   * @param query `{ force? }`; true also when connectors use it: they work until their tokens have to be renewed
   * @throws FerruleError `insufficient_scope`, `organization_forbidden`, `oauth_credentials_not_found`, `oauth_credentials_in_use`
   */
  remove(principal: Principal, kind: string, query: unknown): Promise<wire.OAuthCredentialsRemoval>
}

/** Ends tokens of deleted connectors at their vendors. */
export interface ConsentRevocations {
  /**
   * Ends the tokens that are due. A failed try is repeated later, at most 8 times over a day; then it is reported and given up.
   * @returns the number of tries
   */
  run(): Promise<number>
  /** Starts `run` in the background. The tokens stay stored until their vendors answered, so a failure loses none. */
  start(): void
}
