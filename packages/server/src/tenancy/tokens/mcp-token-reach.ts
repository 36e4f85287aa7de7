/** Chooses what a new token for MCP reaches, and what it may do: never more than its maker. */
import type { Problem } from 'ferrule'
import { fail, failValidation } from 'ferrule/internal'
import { defaultMcpScopes, type McpScope, mcpScopes } from 'ferrule/wire'
import { listConnectorIds } from '../../connectors/sql/connectors.ts'
import type { Db } from '../../db/database.ts'
import type { Principal } from '../../values/access.ts'
import { findWorkspaceByName } from '../sql/workspaces.ts'
import { everyonesWorkspace } from '../workspaces/workspace-keeper.ts'

/** Reads stored scopes. */
export const readScopes = (stored: string): readonly McpScope[] => {
  const words = stored.split(' ')
  return mcpScopes.filter((scope) => words.includes(scope))
}

/**
 * Returns the scopes of a new token: the wanted ones, else those usual ones that its maker has.
 * @throws FerruleError `insufficient_scope` when the maker lacks a wanted scope, or all usual ones
 */
export function chooseScopes({ scopes: held }: Principal, wanted: readonly McpScope[] | undefined): readonly McpScope[] {
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

/** Finds the wanted workspaces and connectors. @throws FerruleError `validation_failed` with every place that names nothing */
export async function chooseReach(db: Db, principal: Principal, wanted: WantedReach): Promise<Reach> {
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
