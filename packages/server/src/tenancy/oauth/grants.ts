/** Keeps grants to OAuth clients and their access tokens, as rows of the tokens for MCP. */
import { hkdfSync } from 'node:crypto'
import { fail } from 'ferrule/internal'
import { mcpTokenDays, mcpTokenInput } from 'ferrule/wire'
import { isForeignKeyViolation } from '../../db/database.ts'
import type { Parts, Stored } from '../../main/parts.ts'
import { type Principal, viewOrganization } from '../../values/access.ts'
import { asId, newId } from '../../values/ids.ts'
import { readBody } from '../../values/read.ts'
import { scopes as allScopes } from '../../values/scopes.ts'
import { requireLiveClient } from '../applications/live-client.ts'
import { listOrganizations } from '../sql/applications.ts'
import { insertMcpToken, type McpTokenRow } from '../sql/mcp-tokens.ts'
import {
  deleteAccessToken,
  deleteOAuthGrant,
  findAccessToken,
  findGrant,
  holdGrant,
  setAccessTokenEnd,
  setGrantEnd,
  trimAccessTokens,
  trimUsedRecords,
} from '../sql/oauth.ts'
import { insertChosenToken } from '../tokens/mcp-token-creation.ts'
import { readScopes } from '../tokens/mcp-token-reach.ts'
import { digestMcpToken, newMcpToken } from '../tokens/mcp-token-text.ts'
import type { ProvenClient, Tokens } from '../tokens/token-types.ts'
import type { OAuth, OAuthAccessToken, OAuthGrant } from './oauth-types.ts'

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

/** Methods of grants and access tokens. */
export type OAuthGrants = Omit<OAuth, 'cookieKeys' | 'save' | 'find' | 'consume' | 'remove' | 'extend' | 'hasRoom' | 'purgeExpired'>

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
    const grant = await holdGrant(db, about.grantId, now)
    if (grant === undefined || digest === undefined) return false
    const held = readScopes(grant.scopes)
    const scopes = about.scopes.filter((scope) => held.includes(scope)).join(' ')
    const end = Math.min(about.expiresAt, grant.created_at + longestMs)
    // A refresh that is sent again gets the same token again.
    if (!(await setAccessTokenEnd(db, digest, { grantId: grant.id, end }))) {
      await trimAccessTokens(db, grant.id, keptTokens)
      await trimUsedRecords(db, grant.id, keptUsed)
      const times = { created_at: now, expires_at: end, last_used_at: null }
      await insertMcpToken(db, { ...grant, ...times, id: newId(source), digest, scopes, parent_id: grant.id })
    }
    await setGrantEnd(db, grant.id, Math.min(now + idleMs, grant.created_at + longestMs))
    return true
  })
}

async function readAccessToken({ database, source }: Stored, token: string): Promise<OAuthAccessToken | undefined> {
  const digest = digestMcpToken(token)
  const row = digest === undefined ? undefined : await findAccessToken(database.db, digest)
  if (row === undefined || row.parent_id === null || row.expires_at <= source.clock()) return undefined
  const { client_id: clientId, scopes, resource, expires_at: expiresAt } = row
  return { grantId: row.parent_id, clientId: clientId ?? '', scopes: readScopes(scopes), resource, expiresAt }
}

/** Builds the methods of grants and access tokens. */
export function createOAuthGrants(parts: Parts, tokens: Pick<Tokens, 'checkClient'>): OAuthGrants {
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
      const row = await findGrant(db, id, source.clock())
      return row === undefined ? undefined : toGrant(row)
    },
    endGrant: (id) => deleteOAuthGrant(db, id),
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
      if (digest !== undefined) await deleteAccessToken(db, digest)
    },
  }
}
