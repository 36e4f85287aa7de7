/** Keeps the state of the authorization server: records of its protocol, grants, and their access tokens as MCP tokens. */
import { hkdfSync } from 'node:crypto'
import { fail } from 'ferrule/internal'
import { type McpScope, mcpTokenDays, mcpTokenInput } from 'ferrule/wire'
import { isForeignKeyViolation } from '../../db/database.ts'
import type { Parts, Stored } from '../../main/parts.ts'
import { scopes as allScopes, type Principal, viewOrganization } from '../../values/access.ts'
import { asId, digestParts, newId } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { requireLiveClient } from '../applications/live-client.ts'
import { listOrganizations } from '../sql/applications.ts'
import { insertMcpToken, type McpTokenRow } from '../sql/mcp-tokens.ts'
import * as sql from '../sql/oauth.ts'
import { digestMcpToken, insertChosenToken, newMcpToken, readScopes } from '../tokens/mcp-tokens.ts'
import type { ClientCredentials, ProvenClient, Tokens } from '../tokens/token-types.ts'

/** Time for which a used code or refresh token is recognized, in milliseconds. */
const recognizedMs = 7 * 24 * 60 * 60 * 1_000
/** Maximum number of records of a type that anybody can create. */
const mostRecords = 20_000

const digestKey = ({ type, id }: OAuthRecordKey): string => digestParts(type, id)

type OAuthRecords = Pick<OAuth, 'save' | 'find' | 'consume' | 'remove' | 'extend' | 'hasRoom' | 'purgeExpired'>

function createOAuthRecords({ database, source, vault }: Parts): OAuthRecords {
  const { db } = database
  return {
    save: async (key, { content, lifeMs, grantId, keepsFirst = false }) => {
      const now = source.clock()
      const sealed = vault.sealRecord(key, JSON.stringify(content))
      const times = { consumed_at: null, created_at: now, expires_at: now + lifeMs }
      try {
        const row = { digest: digestKey(key), type: key.type, grant_id: grantId ?? null, sealed, ...times }
        await (keepsFirst ? sql.insertOAuthRecord(db, row) : sql.saveOAuthRecord(db, row))
        return true
      } catch (thrown) {
        if (isForeignKeyViolation(thrown)) return false
        throw thrown
      }
    },
    find: async (key) => {
      const now = source.clock()
      const row = await sql.findOAuthRecord(db, digestKey(key), now)
      const text = row === undefined ? undefined : vault.openRecord(key, row.sealed)
      if (row === undefined || text === undefined) return undefined
      return { content: JSON.parse(text), usedForMs: row.consumed_at === null ? null : now - row.consumed_at }
    },
    consume: (key) => {
      const now = source.clock()
      return sql.consumeOAuthRecord(db, digestKey(key), { now, until: now + recognizedMs })
    },
    remove: (key) => sql.deleteOAuthRecord(db, digestKey(key)),
    extend: (key, lifeMs) => sql.extendOAuthRecord(db, digestKey(key), source.clock() + lifeMs),
    hasRoom: async (type) => (await sql.countOAuthRecords(db, type)) < mostRecords,
    purgeExpired: (now) => sql.deleteEndedOAuthRecords(db, now),
  }
}

/** Builds the service. */
export const createOAuth = (parts: Parts, tokens: Pick<Tokens, 'checkClient'>): OAuth => ({
  cookieKeys: () => parts.masterKeys.all().map(({ cookies }) => cookies.toString('base64url')),
  ...createOAuthRecords(parts),
  ...createOAuthGrants(parts, tokens),
})

const dayMs = 24 * 60 * 60 * 1_000
/** A grant ends this long after its last refresh, in milliseconds, and after a year in any case. */
const idleMs = mcpTokenDays.usual * dayMs
const longestMs = mcpTokenDays.most * dayMs
/** Access tokens of a grant that are kept besides a new one. */
const keptTokens = 9
/** Used refresh tokens of a grant that are recognized: those of a week, when the client refreshes each hour. */
const keptUsed = 200
/** Time in which a new grant has to be picked up by its client, in milliseconds. */
const pickUpMs = 10 * 60 * 1_000
/** Time for which a sign-in counts, in milliseconds. */
const signInMs = 10 * 60 * 1_000
/** Organizations of an application that are listed. */
const mostOrganizations = 100

type OAuthGrants = Omit<OAuth, 'cookieKeys' | keyof OAuthRecords>

const toGrant = (row: McpTokenRow): OAuthGrant => ({
  id: row.id,
  clientId: row.client_id ?? '',
  scopes: readScopes(row.scopes),
  resource: row.resource,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

const deriveBytes = (from: string, size: number): Buffer => Buffer.from(hkdfSync('sha256', from, '', 'ferrule access token', size))

/** Enters an organization. @throws FerruleError `organization_forbidden`, `token_expired` */
async function enter({ database, source }: Stored, { applicationId, secretMark }: ProvenClient, given: string): Promise<Principal> {
  const organizationId = asId(given)
  if (organizationId === undefined) throw fail('organization_forbidden', {})
  const principal: Principal = {
    kind: 'application',
    applicationId,
    ...viewOrganization(organizationId),
    scopes: new Set(allScopes),
    token: { id: null, expiresAt: source.clock() + signInMs, secretMark },
  }
  await requireLiveClient(database.db, principal)
  return principal
}

/** Stores an access token below its grant. The lock keeps refreshes of one grant in order. */
function saveAccessToken({ database, source }: Stored, token: string, about: Parameters<OAuth['saveAccessToken']>[1]): Promise<boolean> {
  const now = source.clock()
  const digest = digestMcpToken(token)
  return database.transaction(async (db) => {
    const grant = await sql.holdGrant(db, about.grantId, now)
    if (grant === undefined || digest === undefined) return false
    const held = readScopes(grant.scopes)
    const scopes = about.scopes.filter((scope) => held.includes(scope)).join(' ')
    const end = Math.min(about.expiresAt, grant.created_at + longestMs)
    // A refresh that is sent again gets the same token again.
    if (!(await sql.setAccessTokenEnd(db, digest, { grantId: grant.id, end }))) {
      await sql.trimAccessTokens(db, grant.id, keptTokens)
      await sql.trimUsedRecords(db, grant.id, keptUsed)
      const times = { created_at: now, expires_at: end, last_used_at: null }
      await insertMcpToken(db, { ...grant, ...times, id: newId(source), digest, scopes, parent_id: grant.id })
    }
    await sql.setGrantEnd(db, grant.id, Math.min(now + idleMs, grant.created_at + longestMs))
    return true
  })
}

async function readAccessToken({ database, source }: Stored, token: string): Promise<OAuthAccessToken | undefined> {
  const digest = digestMcpToken(token)
  const row = digest === undefined ? undefined : await sql.findAccessToken(database.db, digest)
  if (row === undefined || row.parent_id === null || row.expires_at <= source.clock()) return undefined
  const { client_id: clientId, scopes, resource, expires_at: expiresAt } = row
  return { grantId: row.parent_id, clientId: clientId ?? '', scopes: readScopes(scopes), resource, expiresAt }
}

function createOAuthGrants(parts: Parts, tokens: Pick<Tokens, 'checkClient'>): OAuthGrants {
  const { database, source } = parts
  const { db } = database
  return {
    signIn: (request) => tokens.checkClient(request),
    listOrganizations: async ({ applicationId }) =>
      (await listOrganizations(db, applicationId, mostOrganizations)).map(({ id, name }) => ({ id, name })),
    enter: (who, organizationId) => enter(parts, who, organizationId),
    grant: async (principal, { clientId, clientName: name, workspaceNames, connectorIds, scopes }) => {
      const wanted = readBody(mcpTokenInput, {
        name,
        workspace_names: [...workspaceNames],
        scopes: [...scopes],
        ...(connectorIds === undefined ? {} : { connector_ids: [...connectorIds] }),
      })
      // Nobody knows the text behind this digest: a grant itself opens nothing.
      const { digest } = newMcpToken(source.randomBytes)
      const { row } = await insertChosenToken(parts, principal, { wanted, digest, expiresAt: source.clock() + pickUpMs, clientId })
      return toGrant(row)
    },
    findGrant: async (id) => {
      const row = await sql.findGrant(db, id, source.clock())
      return row === undefined ? undefined : toGrant(row)
    },
    endGrant: (id) => sql.deleteOAuthGrant(db, id),
    newAccessToken: (from) => newMcpToken(from === undefined ? source.randomBytes : (size) => deriveBytes(from, size)).token,
    saveAccessToken: async (token, about) => {
      try {
        return await saveAccessToken(parts, token, about)
      } catch (thrown) {
        if (isForeignKeyViolation(thrown)) return false
        throw thrown
      }
    },
    findAccessToken: (token) => readAccessToken(parts, token),
    removeAccessToken: async (token) => {
      const digest = digestMcpToken(token)
      if (digest !== undefined) await sql.deleteAccessToken(db, digest)
    },
  }
}

interface OAuthRecordKey {
  readonly type: string
  readonly id: string
}

/** Content of a record. */
export interface OAuthRecord {
  readonly content: unknown
  /** Milliseconds since its use; null: not used yet. */
  readonly usedForMs: number | null
}

interface NewOAuthRecord {
  readonly content: unknown
  readonly lifeMs: number
  readonly grantId?: string | undefined
  /** True: a record that exists stays as it is. */
  readonly keepsFirst?: boolean
}

interface GrantInput {
  /** Client, as it introduced itself. */
  readonly clientId: string
  readonly clientName: string
  readonly workspaceNames: readonly string[]
  /** undefined: all connectors of the workspaces. */
  readonly connectorIds: readonly string[] | undefined
  readonly scopes: readonly McpScope[]
}

interface OAuthGrant {
  readonly id: string
  readonly clientId: string
  readonly scopes: readonly McpScope[]
  readonly resource: string
  readonly createdAt: number
  readonly expiresAt: number
}

interface OAuthAccessToken extends Omit<OAuthGrant, 'id' | 'createdAt'> {
  readonly grantId: string
}

/** State of the authorization server. Ids of records are stored as hashes, and their contents are encrypted with keys from the ids. */
export interface OAuth {
  /** Keys that sign cookies, the current one first. */
  cookieKeys(): readonly string[]
  /** Stores a record, or replaces the content of an earlier one unless that is kept. @returns false when its grant has ended */
  save(key: OAuthRecordKey, record: NewOAuthRecord): Promise<boolean>
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
  listOrganizations(who: ProvenClient): Promise<readonly { readonly id: string; readonly name: string }[]>
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

  /** Creates the text of an access token: the one of an MCP token. @param from a secret that always gives the same text; undefined: random */
  newAccessToken(from?: string): string
  /** Stores an access token, and extends the grant; the same text again renews its end. @returns false when the grant has ended */
  saveAccessToken(token: string, about: Omit<OAuthAccessToken, 'clientId' | 'resource'>): Promise<boolean>
  findAccessToken(token: string): Promise<OAuthAccessToken | undefined>
  removeAccessToken(token: string): Promise<void>
  /** Deletes expired records. @param now milliseconds since 1970. @returns the number */
  purgeExpired(now: number): Promise<number>
}
