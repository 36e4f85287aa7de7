/** Makes and stores tokens for MCP. What one reaches is decided, and checked against its maker, in one transaction. */
import { crc32 } from 'node:zlib'
import type { FerruleError, Problem } from 'ferrule'
import { fail, failValidation } from 'ferrule/internal'
import { defaultMcpScopes, type McpScope, type McpTokenInput, mcpScopes } from 'ferrule/wire'
import { listConnectorIds } from '../../connectors/sql/connectors.ts'
import type { Db } from '../../db/database.ts'
import type { Parts } from '../../main/parts.ts'
import { buildMcpAddress } from '../../main/settings/own-address.ts'
import type { Settings } from '../../main/settings/settings.ts'
import type { Principal } from '../../values/access.ts'
import { digestText, newId } from '../../values/ids.ts'
import { requireLiveClient } from '../applications/live-client.ts'
import { countMcpTokens, insertMcpToken, type McpTokenRow } from '../sql/mcp-tokens.ts'
import { lockGrants } from '../sql/organization-applications.ts'
import { findWorkspaceByName } from '../sql/organizations.ts'
import { everyonesWorkspace } from '../workspaces/workspace-keeper.ts'

/** Maximum number of tokens of an organization. */
const mostTokens = 10_000

/** A token that is to be stored. */
export interface ChosenToken {
  readonly wanted: Pick<McpTokenInput, 'name' | 'workspace_names' | 'connector_ids' | 'scopes'>
  readonly digest: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Client of a grant; null for a token made by hand. */
  readonly clientId: string | null
}

/** A stored token. */
export interface StoredToken {
  readonly row: McpTokenRow
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
    if ((await countMcpTokens(db, organizationId)) >= mostTokens) throw refuseMore()
    const { workspaces, connectorIds } = await chooseReach(db, principal, wanted)
    const row: McpTokenRow = {
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
    await insertMcpToken(db, row)
    return { row, workspaces }
  })
}

const refuseMore = () =>
  failValidation([
    { field: '', message: `cannot be done: the organization has ${mostTokens} tokens, the most; revoke some`, error_code: 'limit' },
  ])

/** Reads stored scopes. */
export const readScopes = (stored: string): readonly McpScope[] => {
  const words = stored.split(' ')
  return mcpScopes.filter((scope) => words.includes(scope))
}

/**
 * Returns the scopes of a new token: the wanted ones, else those usual ones that its maker has.
 * @throws FerruleError `insufficient_scope` when the maker lacks a wanted scope, or all usual ones
 */
function chooseScopes({ scopes: held }: Principal, wanted: readonly McpScope[] | undefined): readonly McpScope[] {
  const missing = wanted?.find((scope) => !held.has(scope))
  if (missing !== undefined) throw fail('insufficient_scope', { scope: missing })
  const chosen = mcpScopes.filter((scope) => (wanted ?? defaultMcpScopes).includes(scope) && held.has(scope))
  if (chosen.length === 0) throw fail('insufficient_scope', { scope: defaultMcpScopes.join(' or ') })
  return chosen
}

/** Workspaces and connectors as a request names them. */
interface WantedReach {
  readonly workspace_names?: readonly string[]
  readonly connector_ids?: readonly string[]
}
/** Workspaces and connectors of a token. */
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
      problems.push({
        field: `/workspace_names/${index}`,
        message: 'names no workspace of this organization',
        error_code: 'workspace_not_found',
      })
    else workspaces.set(found.id, found.name)
  }
  const connectorIds = wanted.connector_ids?.map((id) => id.toLowerCase()) ?? null
  if (connectorIds !== null && workspaces.size > 0) {
    const known = await listConnectorIds(db, { ...principal, workspaceIds: [...workspaces.keys()], connectorIds })
    for (const [index, id] of connectorIds.entries())
      if (!known.includes(id))
        problems.push({
          field: `/connector_ids/${index}`,
          message: "is no connector of the token's workspaces",
          error_code: 'connector_not_found',
        })
  }
  if (problems.length > 0) throw failValidation(problems)
  return { workspaces, connectorIds: connectorIds === null ? null : [...new Set(connectorIds)] }
}

/**
 * The text of a token for MCP: `frl_mcp_`, 30 characters of base 62 from 176 random bits, and 6 characters with the CRC-32 of all before.
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

/** Returns whether a bearer token claims to be a token for MCP. */
export const isMcpToken = (bearer: string): boolean => bearer.startsWith(prefix)

/** Returns the digest that is stored for a token; undefined for a malformed text. */
export function digestMcpToken(bearer: string): string | undefined {
  if (!form.test(bearer) || addChecksum(bearer.slice(0, -checksumLength)) !== bearer) return undefined
  return digestText(bearer)
}

/** Builds the refusal of a token for MCP at any other address of the service. The token is not looked up, so nothing is said about it. */
export const refuseMcpToken = (settings: Settings): FerruleError =>
  fail(
    'invalid_token',
    { reason: 'it is a token for MCP' },
    { hint: `Send it to ${buildMcpAddress(settings)}; a token for this address comes from POST /api/v1/account/applications/token.` },
  )
