/** Keeps sessions of the console. */
import { fail } from 'ferrule/internal'
import { isForeignKeyViolation } from '../../db/database.ts'
import type { Stored } from '../../main/parts.ts'
import type { Caller } from '../../values/access.ts'
import { scopes } from '../../values/scopes.ts'
import { digestText, hasSecretForm, newSecret } from '../../values/secret-text.ts'
import { markSecret } from '../applications/client-secret.ts'
import {
  consoleSessionQuery,
  deleteConsoleSession,
  deleteConsoleSessionsOf,
  deleteEndedConsoleSessions,
  insertConsoleSession,
  setConsoleSessionUse,
  trimConsoleSessions,
  type UsedConsoleSession,
} from '../sql/console-sessions.ts'
import type { Tokens } from '../tokens/token-types.ts'
import { enterOrganization } from '../tokens/tokens.ts'
import type { ConsoleSessions } from './session-types.ts'

const minuteMs = 60_000
/** A session ends this long after its last use, in milliseconds, and after 12 hours in any case. */
const idleMs = 30 * minuteMs
const longestMs = 12 * 60 * minuteMs
/** Shortest time between two stored uses, in milliseconds. */
const apartMs = minuteMs
/** Sessions of one application; a further sign-in ends the oldest one. */
const mostSessions = 200
/** Sessions that one statement deletes. */
const purgedAtOnce = 1_000

/** Returns what is stored of an id; undefined for what is no id. */
const digestId = (id: string): string | undefined => (hasSecretForm(id) ? digestText(id) : undefined)

const findEnd = ({ created_at, last_used_at }: UsedConsoleSession): number => Math.min(last_used_at + idleMs, created_at + longestMs)

const toCaller = (row: UsedConsoleSession): Caller => ({
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
  const find = consoleSessionQuery(db)

  /** Finds a session that has not ended. */
  const findAlive = async (digest: string): Promise<UsedConsoleSession | undefined> => {
    const row = await find(digest)
    return row !== undefined && findEnd(row) > source.clock() && row.secret_mark === markSecret(row.secret_hash) ? row : undefined
  }
  /** Finds a session that has not ended, and stores its use. */
  const use = async (id: string): Promise<UsedConsoleSession | undefined> => {
    const digest = digestId(id)
    const row = digest === undefined ? undefined : await findAlive(digest)
    const at = source.clock()
    const before = at - apartMs
    if (row !== undefined && row.last_used_at <= before) await setConsoleSessionUse(db, row.digest, { at, before })
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
      await insertConsoleSession(db, row).catch((thrown: unknown) => {
        throw isForeignKeyViolation(thrown) ? fail('invalid_client', {}) : thrown // the application was deleted meanwhile
      })
      await trimConsoleSessions(db, applicationId, mostSessions)
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
      if (isEverywhere) await deleteConsoleSessionsOf(db, row.application_id)
      else await deleteConsoleSession(db, row.digest)
    },
    purgeExpired: (now) => deleteEndedConsoleSessions(db, now - idleMs, purgedAtOnce),
  }
}
