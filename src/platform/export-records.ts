/** All records of an entity's copy, for clients that take them away. */
import { defaultDeadline } from '../engine/deadline.ts'
import { fail } from '../errors.ts'
import { asExportError, type ExportQuery } from './export-query.ts'
import { requireScope } from './scopes.ts'
import type { Export, Searches } from './searches.ts'
import type { Platform, Principal } from './types.ts'

/** What exporting needs. */
export interface ExportServices {
  readonly platform: Pick<Platform, 'connectors'>
  /** Absent where there is no context store. */
  readonly searches?: Pick<Searches, 'export'>
}

/** One export. */
export interface ExportCall {
  /** Any text; what the principal does not see is `connector_not_found`. */
  readonly connectorId: string
  readonly entity: string
  readonly query: ExportQuery
  /** Ends the export: the page that is read is given up. */
  readonly signal?: AbortSignal
  /** Milliseconds until a refresh gives up. */
  readonly deadlineMs?: number
}

/**
 * Begins an export from a connector of the principal's organization. The first page is read when this resolves, and every other one
 * when it is asked for.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `workspace_inactive`, and those of `Searches.export`, with the
 *   places of the address
 */
export async function exportRecords(services: ExportServices, principal: Principal, given: ExportCall): Promise<Export> {
  requireScope(principal, 'execute:read')
  const { connectorId, entity, query, signal, deadlineMs = defaultDeadline } = given
  const access = await services.platform.connectors.connectionOf(principal, connectorId)
  if (services.searches === undefined) throw fail('context_store_unavailable', {})
  try {
    const { format: _format, ...wish } = query
    return await services.searches.export(access, { entity, ...wish, deadlineMs, signal })
  } catch (thrown) {
    throw asExportError(thrown)
  }
}
