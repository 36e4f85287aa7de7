/** Keeps sessions of the console. */
import { fail } from 'ferrule/internal'
import { isForeignKeyViolation } from '../../db/database.ts'
import type { Stored } from '../../main/parts.ts'
import { type Caller, type Principal, scopes } from '../../values/access.ts'
import { digestText, hasSecretForm, newSecret } from '../../values/ids.ts'
import { markSecret } from '../applications/client-secret.ts'
import * as sql from '../sql/applications.ts'
import type { ClientCredentials, Tokens } from '../tokens/token-types.ts'
import { enterOrganization } from '../tokens/tokens.ts'

const minuteMs = 60_000
/** A session ends this long after its last use, in milliseconds, and after 12 hours in any case. */
const idleMs = 30 * minuteMs
const longestMs = 12 * 60 * minuteMs
/** Shortest time between two stored uses, in milliseconds. */
const apartMs = minuteMs
/** Sessions of one application; a further sign-in ends the oldest one. */
const mostSessions = 200

/** Returns what is stored of an id; undefined for what is no id. */
const digestId = (id: string): string | undefined => (hasSecretForm(id) ? digestText(id) : undefined)

const findEnd = ({ created_at, last_used_at }: sql.UsedConsoleSession): number => Math.min(last_used_at + idleMs, created_at + longestMs)

const toCaller = (row: sql.UsedConsoleSession): Caller => ({
  kind: 'application',
  applicationId: row.application_id,
  organizationId: null,
  scopes: new Set(scopes),
  token: { id: null, expiresAt: row.created_at + longestMs, secretMark: row.secret_mark, sessionDigest: row.digest },
})

/** Builds the service. */
export function createConsoleSessions(parts: Stored, tokens: Pick<Tokens, 'checkClient'>): ConsoleSessions {
  const { database, source } = parts
  const { db } = database
  const find = sql.consoleSessionQuery(db)

  const findAlive = async (digest: string): Promise<sql.UsedConsoleSession | undefined> => {
    const row = await find(digest)
    return row !== undefined && findEnd(row) > source.clock() && row.secret_mark === markSecret(row.secret_hash) ? row : undefined
  }
  /** Finds a session that has not ended, and stores its use. */
  const use = async (id: string): Promise<sql.UsedConsoleSession | undefined> => {
    const digest = digestId(id)
    const row = digest === undefined ? undefined : await findAlive(digest)
    const at = source.clock()
    const before = at - apartMs
    if (row !== undefined && row.last_used_at <= before) await sql.setConsoleSessionUse(db, row.digest, { at, before })
    return row
  }
  const enter = async (id: string): Promise<Caller> => {
    const row = await use(id)
    if (row === undefined) throw fail('session_ended', {})
    return toCaller(row)
  }

  return {
    start: async (request) => {
      const { applicationId, secretMark } = await tokens.checkClient(request)
      const [id, now] = [newSecret(source.randomBytes), source.clock()]
      const row = { digest: digestText(id), application_id: applicationId, secret_mark: secretMark, created_at: now, last_used_at: now }
      await sql.insertConsoleSession(db, row).catch((thrown: unknown) => {
        throw isForeignKeyViolation(thrown) ? fail('invalid_client', {}) : thrown // the application was deleted meanwhile
      })
      await sql.trimConsoleSessions(db, applicationId, mostSessions)
      return { id }
    },
    isAlive: async (id) => (await use(id)) !== undefined,
    isHeld: async (digest) => (await findAlive(digest)) !== undefined,
    authenticateCaller: enter,
    authenticate: async (id, header) => enterOrganization(parts, await enter(id), header),
    end: async (id, { isEverywhere = false } = {}) => {
      const digest = digestId(id)
      const row = digest === undefined ? undefined : await find(digest)
      if (row === undefined) return
      if (isEverywhere) await sql.deleteConsoleSessionsOf(db, row.application_id)
      else await sql.deleteConsoleSession(db, row.digest)
    },
    purgeExpired: (now) => sql.deleteEndedConsoleSessions(db, now - idleMs),
  }
}

interface StartedSession {
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
