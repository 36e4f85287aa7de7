/** Shows many connectors with the state of their copies, in a fixed number of statements for each page. */

import { type ConnectorOverview, connectorQuery, unfinishedRunQuery } from 'ferrule/wire'
import { readConnectorFilter } from '../connectors/filter.ts'
import { toCommon } from '../connectors/record.ts'
import { type ConnectorRow, listConnectors } from '../connectors/sql/connectors.ts'
import type { PrincipalView } from '../values/access.ts'
import { buildPage, defaultLimit, readPosition } from '../values/cursor.ts'
import { readQuery } from '../values/read.ts'
import { requireScope } from '../values/scopes.ts'
import {
  type LastRunError,
  listCopiesOf,
  listLastRunErrorsOf,
  listSchedulesOf,
  listUnfinishedRunsOf,
  listViewRuns,
} from './sql/overview.ts'
import type { CopyRow } from './sql/sync-copies.ts'
import type { RunRow } from './sql/sync-runs.ts'
import type { ScheduleRow } from './sql/sync-schedules.ts'
import { buildStatusRecord } from './status/connector-status.ts'
import { toRunRecord } from './status/run-record.ts'
import { type StatusFacts, type StatusParts, toSyncedConnector } from './status/status-facts.ts'
import type { Syncs } from './sync-types.ts'

/** Builds the methods. */
export const createOverviews = (parts: StatusParts): Pick<Syncs, 'listOverviews' | 'listUnfinished'> => ({
  listOverviews: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(connectorQuery, given)
    const filter = readConnectorFilter(parts.catalogue, query)
    const scope = { list: 'overview', view: principal, query }
    const after = readPosition(parts, scope)
    if (filter === undefined) return { data: [], next: null }
    const limit = query.limit ?? defaultLimit
    const rows = await listConnectors(parts.database.db, principal, { ...filter, after, limit: limit + 1 })
    const stored = await readStored(parts, principal, rows.slice(0, limit))
    return buildPage(parts, { ...scope, rows }, (row) => toOverview(parts, stored, row))
  },
  listUnfinished: async (principal, given) => {
    requireScope(principal, 'connectors:read')
    const query = readQuery(unfinishedRunQuery, given)
    const scope = { list: 'unfinished syncs', view: principal, query }
    const rows = await listViewRuns(parts.database.db, principal, {
      state: query.state,
      workspaceId: query.workspace_id?.toLowerCase(),
      after: readPosition(parts, scope),
      limit: (query.limit ?? defaultLimit) + 1,
    })
    return buildPage(parts, { ...scope, rows }, ({ connector_name, kind, ...run }) => ({
      ...toRunRecord(run),
      connector_name,
      connector_type: kind,
    }))
  },
})

/** What is stored of the syncs of a page's connectors, by connector. */
interface Stored {
  readonly copies: ReadonlyMap<string, readonly CopyRow[]>
  readonly schedules: ReadonlyMap<string, readonly ScheduleRow[]>
  readonly runs: ReadonlyMap<string, readonly RunRow[]>
  readonly errors: ReadonlyMap<string, readonly LastRunError[]>
}

const groupByConnector = <R extends { readonly connector_id: string }>(rows: readonly R[]): ReadonlyMap<string, readonly R[]> =>
  Map.groupBy(rows, ({ connector_id }) => connector_id)

async function readStored({ database: { db } }: StatusParts, view: PrincipalView, page: readonly ConnectorRow[]): Promise<Stored> {
  const own = { organizationId: view.organizationId, connectorIds: page.map(({ id }) => id) }
  if (page.length === 0) return { copies: new Map(), schedules: new Map(), runs: new Map(), errors: new Map() }
  const [copies, schedules, runs, errors] = await Promise.all([
    listCopiesOf(db, own),
    listSchedulesOf(db, own),
    listUnfinishedRunsOf(db, own),
    listLastRunErrorsOf(db, own),
  ])
  return {
    copies: groupByConnector(copies),
    schedules: groupByConnector(schedules),
    runs: groupByConnector(runs),
    errors: groupByConnector(errors),
  }
}

/** Returns the facts without the indexes, which the store would have to be asked for. */
const toFacts = (parts: StatusParts, stored: Stored, row: ConnectorRow): StatusFacts => ({
  connector: toSyncedConnector(parts, row),
  copies: new Map((stored.copies.get(row.id) ?? []).map((copy) => [copy.entity, copy])),
  indexes: new Map(),
  runs: stored.runs.get(row.id) ?? [],
  schedules: stored.schedules.get(row.id) ?? [],
  now: parts.source.clock(),
})

function toOverview(parts: StatusParts, stored: Stored, row: ConnectorRow): ConnectorOverview {
  const facts = toFacts(parts, stored, row)
  const kind = facts.connector.kind
  const { id, name, connector_type, workspace_id, workspace_name, status, status_reason, notices, environment, created_at } = toCommon(
    row,
    kind,
  )
  const [lastError] = stored.errors.get(id) ?? []
  const { entities, running, queued, schedules, connector_id, ...copy } = buildStatusRecord(
    facts,
    lastError,
    parts.settings.syncIntervalSeconds,
  )
  return {
    id,
    name,
    connector_type,
    kind_title: kind?.definition.title ?? connector_type,
    workspace_id,
    workspace_name,
    status,
    status_reason,
    sandbox: environment.sandbox,
    notices,
    created_at,
    context_store: entities.length === 0 ? null : copy,
    failing_entities: entities.flatMap(({ entity, last_error: error }) => (error === null ? [] : [{ entity, error }])),
    running,
    queued,
  }
}
