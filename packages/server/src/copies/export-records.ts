/** Exports all records of an entity's copy. */

import { defaultDeadlineMs } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import type { Platform } from '../main/platform-types.ts'
import type { Principal } from '../values/access.ts'
import { requireScope } from '../values/scopes.ts'
import { asExportError, type ExportQuery } from './export-query.ts'
import type { Export, Searches } from './searches.ts'

/** Services that an export needs. */
export interface ExportServices {
  readonly platform: Pick<Platform, 'connectors'>
  /** Absent where there is no context store. */
  readonly searches?: Pick<Searches, 'export'>
}

/** One export. */
export interface ExportCall {
  /** Any string; an id that the principal does not see causes `connector_not_found`. */
  readonly connectorId: string
  readonly entity: string
  readonly query: ExportQuery
  /** Ends the export and abandons the page in progress. */
  readonly signal?: AbortSignal
  /** Timeout of a refresh, in milliseconds. */
  readonly deadlineMs?: number
}

/**
 * Starts an export from a connector of the principal's organization. Reads the first page before it resolves, and each other page on
 * demand.
 * @throws FerruleError `insufficient_scope`, `connector_not_found`, `workspace_inactive`, and those of `Searches.export`, with the names of
 * query parameters
 */
export async function exportRecords(services: ExportServices, principal: Principal, given: ExportCall): Promise<Export> {
  requireScope(principal, 'execute:read')
  const { connectorId, entity, query, signal, deadlineMs = defaultDeadlineMs } = given
  const access = await services.platform.connectors.readAccess(principal, connectorId)
  if (services.searches === undefined) throw fail('context_store_unavailable', {})
  try {
    const { format: _format, formulas: _formulas, ...wish } = query
    return await services.searches.export(access, { entity, ...wish, deadlineMs, signal })
  } catch (thrown) {
    throw asExportError(thrown)
  }
}
