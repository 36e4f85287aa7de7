/** Manages tokens for MCP, turns the tokens of requests into principals, and stores in groups when they were last used. */
import { fail } from 'ferrule/internal'
import { mcpTokenQuery as listQuery, type McpTokenRecord, type McpTokenSecret, mcpTokenDays, mcpTokenInput } from 'ferrule/wire'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { type Principal, requireScope, viewOrganization } from '../../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../../values/cursor.ts'
import { asId, iso, isoOrNull } from '../../values/ids.ts'
import { readBody, readQuery } from '../../values/read.ts'
import { requireGrant } from '../applications/live-client.ts'
import {
  deleteEndedMcpTokens,
  deleteMcpToken,
  listMcpTokens,
  type McpTokenRow,
  mcpTokenQuery,
  setLastUse,
  type UsedMcpToken,
} from '../sql/mcp-tokens.ts'
import { listWorkspaces } from '../sql/organizations.ts'
import { digestMcpToken, insertChosenToken, isMcpToken, newMcpToken, readScopes } from './mcp-token-creation.ts'
import type { McpTokens, Tokens } from './token-types.ts'

/** Builds the one refusal of all tokens that are not valid, so that nobody learns which of them exist. */
const refuse = () =>
  fail(
    'invalid_token',
    { reason: 'it is unknown, expired or revoked, or belongs to another address' },
    { hint: 'Create another one with POST /api/v1/account/mcp-tokens or `ferrule tokens create`.' },
  )

/** Builds the verifier. Each call reads the token's row, so a revocation counts at once on every node. */
function createMcpVerifier(
  { database, source }: Parts,
  { tokens, uses }: { readonly tokens: Pick<Tokens, 'authenticate'>; readonly uses: LastUses },
): McpTokens['authenticate'] {
  const find = mcpTokenQuery(database.db)
  return async ({ bearer, resource, organizationHeader }) => {
    if (bearer === undefined || !isMcpToken(bearer)) return tokens.authenticate(bearer, organizationHeader)
    const digest = digestMcpToken(bearer)
    const row = digest === undefined ? undefined : await find(digest)
    const now = source.clock()
    if (row === undefined || row.resource !== resource || row.expires_at <= now) throw refuse()
    if (organizationHeader !== undefined && asId(organizationHeader) !== row.organization_id) throw fail('organization_forbidden', {})
    uses.note(row, now)
    return toPrincipal(row)
  }
}

const toPrincipal = (row: UsedMcpToken): Principal => ({
  kind: 'scoped',
  applicationId: row.application_id,
  organizationId: row.organization_id,
  workspaceIds: JSON.parse(row.workspace_ids),
  connectorIds: row.connector_ids === null ? null : JSON.parse(row.connector_ids),
  scopes: new Set(readScopes(row.scopes)),
  token: { id: row.id, expiresAt: row.expires_at, secretMark: null },
})

const dayMs = 24 * 60 * 60 * 1_000
/** Time for which an expired token stays in lists, in milliseconds. */
const retentionMs = 30 * dayMs

/** Services beside the parts of the platform. */
export interface McpTokenServices {
  readonly tokens: Pick<Tokens, 'authenticate'>
  readonly uses: LastUses
}

/** Builds the service. */
export const createMcpTokens = (parts: Parts, services: McpTokenServices): McpTokens => ({
  create: (principal, body) => create(parts, principal, body),
  list: async (principal, given) => {
    requireScope(principal, 'applications:read')
    const { db } = parts.database
    await requireGrant(db, principal)
    await services.uses.store()
    const query = readQuery(listQuery, given)
    const scope = { list: 'tokens for MCP', view: principal, query }
    const limit = query.limit ?? defaultLimit
    const rows = await listMcpTokens(db, principal.organizationId, { after: readPosition(parts, scope), limit: limit + 1 })
    const names = await readNames(db, principal, rows)
    return buildPage(parts, { ...scope, rows }, (row) => toRecord(row, names))
  },
  revoke: async (principal, given) => {
    requireScope(principal, 'applications:write')
    const { db } = parts.database
    const id = principal.workspaceIds === null ? asId(given) : undefined
    if (id === undefined) throw fail('mcp_token_not_found', {})
    await requireGrant(db, principal)
    if (!(await deleteMcpToken(db, principal.organizationId, id))) throw fail('mcp_token_not_found', {})
    return { id, revoked_at: iso(parts.source.clock()) }
  },
  authenticate: createMcpVerifier(parts, services),
  purgeExpired: (now) => deleteEndedMcpTokens(parts.database.db, now - retentionMs),
})

type Names = ReadonlyMap<string, string>

const readIds = (json: string): readonly string[] => JSON.parse(json)

/** Reads the names of the workspaces of tokens, without deleted ones. */
async function readNames(db: Db, { organizationId }: Principal, rows: readonly McpTokenRow[]): Promise<Names> {
  const ids = [...new Set(rows.flatMap(({ workspace_ids: json }) => readIds(json)))]
  if (ids.length === 0) return new Map()
  const found = await listWorkspaces(db, { ...viewOrganization(organizationId), workspaceIds: ids }, { limit: ids.length })
  return new Map(found.map(({ id, name }) => [id, name]))
}

const toRecord = (row: McpTokenRow, names: Names): McpTokenRecord => ({
  id: row.id,
  name: row.name,
  application_id: row.application_id,
  workspaces: readIds(row.workspace_ids).flatMap((id) => {
    const name = names.get(id)
    return name === undefined ? [] : [{ id, name }]
  }),
  connector_ids: row.connector_ids === null ? null : readIds(row.connector_ids),
  scopes: readScopes(row.scopes),
  client_id: row.client_id,
  resource: row.resource,
  created_at: iso(row.created_at),
  expires_at: iso(row.expires_at),
  last_used_at: isoOrNull(row.last_used_at),
})

async function create(parts: Parts, principal: Principal, body: unknown): Promise<McpTokenSecret> {
  requireScope(principal, 'applications:write')
  const wanted = readBody(mcpTokenInput, body)
  const { token, digest } = newMcpToken(parts.source.randomBytes)
  const expiresAt = parts.source.clock() + (wanted.expires_in_days ?? mcpTokenDays.usual) * dayMs
  const { row, workspaces } = await insertChosenToken(parts, principal, { wanted, digest, expiresAt, clientId: null })
  return { ...toRecord(row, workspaces), token }
}

/** Shortest time between two stored uses of a token, in milliseconds. */
const apartMs = 60_000
/** Time from the first use of a group until the group is stored, in milliseconds. */
const groupMs = 10_000
/** Maximum number of tokens of a group. */
const largestGroup = 500

/** Uses that this process has not stored yet. */
export class LastUses {
  readonly #parts: Pick<Parts, 'database' | 'onBackgroundError'>
  /** Tokens of the group, with the time of the group's first use. */
  #group: { readonly at: number; readonly ids: Set<string> } | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: Pick<Parts, 'database' | 'onBackgroundError'>) {
    this.#parts = parts
  }

  /**
   * Notes a use.
   * @param now milliseconds since 1970
   */
  note({ id, last_used_at: stored }: { readonly id: string; readonly last_used_at: number | null }, now: number): void {
    if (stored !== null && now - stored < apartMs) return
    this.#group ??= { at: now, ids: new Set() }
    this.#group.ids.add(id)
    if (this.#group.ids.size >= largestGroup) void this.store()
    else this.#timer ??= setTimeout(() => void this.store(), groupMs).unref()
  }

  /** Stores the uses so far, and waits for it. A failure is reported, and loses the group. */
  store(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const group = this.#group
    this.#group = undefined
    if (group === undefined) return this.#writing
    const { database, onBackgroundError } = this.#parts
    const write = () => setLastUse(database.db, [...group.ids], { at: group.at, apartMs })
    this.#writing = this.#writing.then(write).catch(onBackgroundError)
    return this.#writing
  }
}
