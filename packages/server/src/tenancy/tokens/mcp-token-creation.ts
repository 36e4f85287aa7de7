/** Stores new tokens for MCP: what one reaches is decided, and checked against its maker, in one transaction. */
import { failValidation } from 'ferrule/internal'
import type { McpTokenInput } from 'ferrule/wire'
import type { Parts } from '../../main/parts.ts'
import { buildMcpAddress } from '../../main/settings/mcp-address.ts'
import type { Principal } from '../../values/access.ts'
import { newId } from '../../values/ids.ts'
import { requireLiveClient } from '../applications/live-client.ts'
import { countMcpTokens, insertMcpToken, type McpTokenRow } from '../sql/mcp-tokens.ts'
import { lockGrants } from '../sql/organization-applications.ts'
import { chooseReach, chooseScopes } from './mcp-token-reach.ts'

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
