/** Queries MCP tokens. */
import type { Selectable } from 'kysely'
import { type Db, named, skipLocked, withValues } from '../../db/database.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { McpTokenTable } from '../../db/schema/schema.ts'

/** An MCP token. */
export type McpTokenRow = Selectable<McpTokenTable>

/** Inserts a token. */
export const insertMcpToken = async (db: Db, row: McpTokenRow): Promise<void> => {
  await db.insertInto('mcp_tokens').values(row).execute()
}

/** Counts the tokens of an organization, with expired ones and grants of OAuth. Access tokens of a grant count with it. */
export async function countMcpTokens(db: Db, organizationId: string): Promise<number> {
  const rows = db.selectFrom('mcp_tokens').select(({ fn }) => fn.countAll().as('count'))
  const own = rows.where('organization_id', '=', organizationId).where('parent_id', 'is', null)
  return Number((await own.executeTakeFirst())?.count ?? 0)
}

/** Lists the tokens and grants of an organization in the order of their creation. */
export const listMcpTokens = (
  db: Db,
  organizationId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<McpTokenRow[]> =>
  db
    .selectFrom('mcp_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('parent_id', 'is', null)
    .$if(after !== undefined, (rows) => rows.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()

/** Deletes a token of an organization. @returns whether there was one */
export const deleteMcpToken = async (db: Db, organizationId: string, id: string): Promise<boolean> => {
  const rows = db.deleteFrom('mcp_tokens').where('organization_id', '=', organizationId).where('id', '=', id)
  return (await rows.executeTakeFirst()).numDeletedRows > 0n
}

/** Deletes the tokens of an application in all its organizations. */
export const deleteMcpTokensOf = async (db: Db, applicationId: string): Promise<void> => {
  await db.deleteFrom('mcp_tokens').where('application_id', '=', applicationId).execute()
}

const withDigest = (db: Db, digest: string) =>
  db
    .selectFrom('mcp_tokens')
    .innerJoin('organizations', 'organizations.id', 'mcp_tokens.organization_id')
    .select(({ fn }) => [
      // An access token counts as its grant: for limits, for handles, and as the one that was used.
      fn.coalesce('mcp_tokens.parent_id', 'mcp_tokens.id').as('id'),
      'mcp_tokens.organization_id',
      'mcp_tokens.application_id',
      'mcp_tokens.workspace_ids',
      'mcp_tokens.connector_ids',
      'mcp_tokens.scopes',
      'mcp_tokens.resource',
      'mcp_tokens.expires_at',
      'mcp_tokens.last_used_at',
    ])
    .where('mcp_tokens.digest', '=', digest)
    .where('organizations.deleted_at', 'is', null)

/** A token as a call reads it. */
export type UsedMcpToken = Awaited<ReturnType<ReturnType<typeof withDigest>['execute']>>[number]

/** Builds the query of every call, compiled once. The digest of a secret decides on the organization. */
export function mcpTokenQuery(db: Db): (digest: string) => Promise<UsedMcpToken | undefined> {
  const query = named('MCP token', withDigest(db, '').compile())
  return async (digest) => (await db.executeQuery(withValues(query, digest))).rows[0]
}

/** Stores the last use of tokens, unless a later use or one less than `apartMs` before is stored. Skips rows that another node updates. */
export const setLastUse = async (db: Db, ids: readonly string[], { at, apartMs }: { at: number; apartMs: number }): Promise<void> => {
  const stale = db
    .selectFrom('mcp_tokens as used')
    .select('used.id')
    .where('used.id', 'in', ids)
    .where(({ or, eb }) => or([eb('used.last_used_at', 'is', null), eb('used.last_used_at', '<=', at - apartMs)]))
  await db
    .updateTable('mcp_tokens')
    .set({ last_used_at: at })
    .where('id', 'in', skipLocked(db, stale, 'used'))
    .execute()
}

/** Deletes tokens that expired at or before a timestamp, the oldest first. @returns the number */
export const deleteEndedMcpTokens = (db: Db, before: number): Promise<number> =>
  deleteEnded(db, { table: 'mcp_tokens', key: ['id'], end: 'expires_at' }, before)
