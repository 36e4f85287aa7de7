/** Interface of the console's sessions. */
import type { Caller, Principal } from '../../values/access.ts'
import type { ClientCredentials } from '../tokens/token-types.ts'

/** A session that a browser began. */
export interface StartedSession {
  /** Secret id: the value of the cookie. It is stored as a hash. */
  readonly id: string
}

/** Sessions of the console: an application that signed in with a browser. They end with its secret, and with the application. */
export interface ConsoleSessions {
  /**
   * Checks client id and secret, and begins a session.
   * @throws FerruleError `invalid_client`, `overloaded`
   */
  start(request: ClientCredentials): Promise<StartedSession>
  /** Returns whether a session is alive. The question counts as a use. @param id as a cookie brings it */
  isAlive(id: string): Promise<boolean>
  /** Returns whether the session of a principal is alive. The question counts as no use. @param digest see `TokenFacts` */
  isHeld(digest: string): Promise<boolean>
  /** Turns a session into its application. Counts as a use. @throws FerruleError `session_ended` */
  authenticateCaller(id: string): Promise<Caller>
  /**
   * Turns a session into a principal of an organization. Counts as a use.
   * @param organizationHeader value of `X-Organization-Id`; undefined: the organization that a token of the application would have
   * @throws FerruleError `session_ended`, `organization_required`, `organization_forbidden`, `validation_failed`
   */
  authenticate(id: string, organizationHeader: string | undefined): Promise<Principal>
  /** Ends a session, or all sessions of its application. Does nothing for one that has ended. */
  end(id: string, options?: { readonly isEverywhere?: boolean }): Promise<void>
  /** Deletes sessions that have ended. @param now milliseconds since 1970. @returns the number */
  purgeExpired(now: number): Promise<number>
}
