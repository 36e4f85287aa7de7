/** Turns the token of a request to the MCP endpoint into a principal. */
import { fail } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import type { Principal } from '../../values/access.ts'
import { asId } from '../../values/ids.ts'
import { mcpTokenQuery, type UsedMcpToken } from '../sql/mcp-tokens.ts'
import type { LastUses } from './last-uses.ts'
import { readScopes } from './mcp-token-reach.ts'
import { digestMcpToken, isMcpToken } from './mcp-token-text.ts'
import type { McpTokens, Tokens } from './token-types.ts'

/** Builds the one refusal of all tokens that are not valid, so that nobody learns which of them exist. */
const refuse = () =>
  fail(
    'invalid_token',
    { reason: 'it is unknown, expired or revoked, or belongs to another address' },
    { hint: 'Create another one with POST /api/v1/account/mcp-tokens or `ferrule tokens create`.' },
  )

/** Builds the verifier. Each call reads the token's row, so a revocation counts at once on every node. */
export function createMcpVerifier(
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
