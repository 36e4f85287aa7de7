/**
 * Makes and stores MCP tokens. What one reaches is decided, and checked against its maker, in one transaction. Turns the tokens of requests into
 * principals, and stores in groups when they were last used.
 */
import { crc32 } from 'node:zlib'
import type { FerruleError, Problem } from 'ferrule'
import { fail, failValidation } from 'ferrule/internal'
import {
  defaultMcpScopes,
  mcpTokenQuery as listQuery,
  type McpScope,
  type McpTokenInput,
  type McpTokenRecord,
  type McpTokenSecret,
  mcpScopes,
  mcpTokenDays,
  mcpTokenInput,
} from 'ferrule/wire'
import { listConnectorIds } from '../../connectors/sql/connectors.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { buildMcpAddress } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'
import { type Principal, requireScope, viewOrganization } from '../../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../../values/cursor.ts'
import { asId, digestText, iso, isoOrNull, newId } from '../../values/ids.ts'
import { failField, problem, readBody, readQuery } from '../../values/read.ts'
import { requireGrant, requireLiveClient } from '../applications/live-client.ts'
import * as sql from '../sql/mcp-tokens.ts'
import { lockGrants } from '../sql/organization-applications.ts'
import { findWorkspaceByName, listWorkspaces } from '../sql/organizations.ts'
import { everyonesWorkspace } from '../workspaces/workspace-keeper.ts'
import type { McpTokens, Tokens } from './token-types.ts'

/** Maximum number of tokens of an organization. */
const mostTokens = 10_000

/** A token that is to be stored. */
export interface ChosenToken {
  readonly wanted: Pick<McpTokenInput, 'name' | 'workspace_names' | 'connector_ids' | 'scopes'>
  readonly digest: string
  readonly expiresAt: number
  /** Client of a grant; null for a token made by hand. */
  readonly clientId: string | null
}

/** A stored token. */
export interface StoredToken {
  readonly row: sql.McpTokenRow
  /** Names of its workspaces by id. */
  readonly workspaces: ReadonlyMap<string, string>
}

/**
 * Stores a token.
 * @throws FerruleError `insufficient_scope`, `organization_forbidden`, `token_expired` (the secret was replaced), `validation_failed`
 */
export function insertChosenToken(parts: Parts, principal: Principal, chosen: ChosenToken): Promise<StoredToken> {
  const { wanted, digest, expiresAt, clientId } = chosen
  const scopes = chooseScopes(principal, wanted.scopes)
  const { organizationId, applicationId } = principal
  return parts.database.transaction(async (db) => {
    await lockGrants(db, organizationId)
    await requireLiveClient(db, principal)
    if ((await sql.countMcpTokens(db, organizationId)) >= mostTokens)
      throw failField('', `cannot be done: the organization has ${mostTokens} tokens, the most; revoke some`, 'limit')
    const { workspaces, connectorIds } = await chooseReach(db, principal, wanted)
    const row: sql.McpTokenRow = {
      id: newId(parts.source),
      organization_id: organizationId,
      application_id: applicationId,
      name: wanted.name,
      digest,
      workspace_ids: JSON.stringify([...workspaces.keys()]),
      connector_ids: connectorIds === null ? null : JSON.stringify(connectorIds),
      scopes: scopes.join(' '),
      resource: buildMcpAddress(parts.settings),
      created_at: parts.source.clock(),
      expires_at: expiresAt,
      last_used_at: null,
      parent_id: null,
      client_id: clientId,
    }
    await sql.insertMcpToken(db, row)
    return { row, workspaces }
  })
}

/** Reads stored scopes. */
export const readScopes = (stored: string): readonly McpScope[] => {
  const words = stored.split(' ')
  return mcpScopes.filter((scope) => words.includes(scope))
}

/** Returns the scopes of a new token: the wanted ones, else those usual ones that its maker has. */
function chooseScopes({ scopes: held }: Principal, wanted: readonly McpScope[] | undefined): readonly McpScope[] {
  const missing = wanted?.find((scope) => !held.has(scope))
  if (missing !== undefined) throw fail('insufficient_scope', { scope: missing })
  const chosen = mcpScopes.filter((scope) => (wanted ?? defaultMcpScopes).includes(scope) && held.has(scope))
  if (chosen.length === 0) throw fail('insufficient_scope', { scope: defaultMcpScopes.join(' or ') })
  return chosen
}

interface WantedReach {
  readonly workspace_names?: readonly string[]
  readonly connector_ids?: readonly string[]
}
interface Reach {
  /** Names of the workspaces by id. */
  readonly workspaces: ReadonlyMap<string, string>
  /** null: all connectors of the workspaces. */
  readonly connectorIds: readonly string[] | null
}

/** Finds the wanted workspaces and connectors. @throws FerruleError `validation_failed` with every field that names nothing */
async function chooseReach(db: Db, principal: Principal, wanted: WantedReach): Promise<Reach> {
  const problems: Problem[] = []
  const workspaces = new Map<string, string>()
  for (const [index, name] of (wanted.workspace_names ?? [everyonesWorkspace]).entries()) {
    const found = await findWorkspaceByName(db, principal, name)
    if (found === undefined)
      problems.push(problem(`/workspace_names/${index}`, 'names no workspace of this organization', 'workspace_not_found'))
    else workspaces.set(found.id, found.name)
  }
  const connectorIds = wanted.connector_ids?.map((id) => id.toLowerCase()) ?? null
  if (connectorIds !== null && workspaces.size > 0) {
    const known = await listConnectorIds(db, { ...principal, workspaceIds: [...workspaces.keys()], connectorIds })
    for (const [index, id] of connectorIds.entries())
      if (!known.includes(id))
        problems.push(problem(`/connector_ids/${index}`, "is no connector of the token's workspaces", 'connector_not_found'))
  }
  if (problems.length > 0) throw failValidation(problems)
  return { workspaces, connectorIds: connectorIds === null ? null : [...new Set(connectorIds)] }
}

/**
 * The text of an MCP token: `frl_mcp_`, 30 characters of base 62 from 176 random bits, and 6 characters with the CRC-32 of all before.
 * Scanners for secrets find it by `frl_mcp_[0-9A-Za-z]{36}` and tell it from other texts by the checksum.
 */

const prefix = 'frl_mcp_'
const form = /^frl_mcp_[0-9A-Za-z]{36}$/
const randomLength = 30
const checksumLength = 6
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = BigInt(digits.length)

/** Writes a number in base 62 with leading zeros. */
function writeBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= base) text = digits.charAt(Number(rest % base)) + text
  return text
}

const addChecksum = (text: string): string => text + writeBase62(BigInt(crc32(text)), checksumLength)

/** Creates a token with the digest that is stored. */
export function newMcpToken(randomBytes: (size: number) => Buffer): { readonly token: string; readonly digest: string } {
  const token = addChecksum(prefix + writeBase62(BigInt(`0x${randomBytes(22).toString('hex')}`), randomLength))
  return { token, digest: digestText(token) }
}

/** Returns whether a bearer token claims to be an MCP token. */
export const isMcpToken = (bearer: string): boolean => bearer.startsWith(prefix)

/** Returns the digest that is stored for a token; undefined for a malformed text. */
export function digestMcpToken(bearer: string): string | undefined {
  if (!form.test(bearer) || addChecksum(bearer.slice(0, -checksumLength)) !== bearer) return undefined
  return digestText(bearer)
}

/** Builds the refusal of an MCP token at any other address of the service. The token is not looked up, so nothing is said about it. */
export const refuseMcpToken = (settings: Settings): FerruleError =>
  fail(
    'invalid_token',
    { reason: 'it is an MCP token' },
    { hint: `Send it to ${buildMcpAddress(settings)}; a token for this address comes from POST /api/v1/account/applications/token.` },
  )

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
  const find = sql.mcpTokenQuery(database.db)
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

const toPrincipal = (row: sql.UsedMcpToken): Principal => ({
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
interface McpTokenServices {
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
    const scope = { list: 'MCP tokens', view: principal, query }
    const limit = query.limit ?? defaultLimit
    const rows = await sql.listMcpTokens(db, principal.organizationId, { after: readPosition(parts, scope), limit: limit + 1 })
    const names = await readNames(db, principal, rows)
    return buildPage(parts, { ...scope, rows }, (row) => toRecord(row, names))
  },
  revoke: async (principal, given) => {
    requireScope(principal, 'applications:write')
    const { db } = parts.database
    const id = principal.workspaceIds === null ? asId(given) : undefined
    if (id === undefined) throw fail('mcp_token_not_found', {})
    await requireGrant(db, principal)
    if (!(await sql.deleteMcpToken(db, principal.organizationId, id))) throw fail('mcp_token_not_found', {})
    return { id, revoked_at: iso(parts.source.clock()) }
  },
  authenticate: createMcpVerifier(parts, services),
  purgeExpired: (now) => sql.deleteEndedMcpTokens(parts.database.db, now - retentionMs),
})

type Names = ReadonlyMap<string, string>

const readIds = (json: string): readonly string[] => JSON.parse(json)

/** Reads the names of the workspaces of tokens, without deleted ones. */
async function readNames(db: Db, { organizationId }: Principal, rows: readonly sql.McpTokenRow[]): Promise<Names> {
  const ids = [...new Set(rows.flatMap(({ workspace_ids: json }) => readIds(json)))]
  if (ids.length === 0) return new Map()
  const found = await listWorkspaces(db, { ...viewOrganization(organizationId), workspaceIds: ids }, { limit: ids.length })
  return new Map(found.map(({ id, name }) => [id, name]))
}

const toRecord = (row: sql.McpTokenRow, names: Names): McpTokenRecord => ({
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
    const write = () => sql.setLastUse(database.db, [...group.ids], { at: group.at, apartMs })
    this.#writing = this.#writing.then(write).catch(onBackgroundError)
    return this.#writing
  }
}
