/** Counts calls, and reports them over time. */

import { setImmediate as turn } from 'node:timers/promises'
import { fail, failValidation } from 'ferrule/internal'
import { mostUsageBuckets, type UsageQuery, type UsageReport, type UsageStep, usageQuery } from 'ferrule/wire'
import { findConnector, listConnectorIds } from '../../connectors/sql/connectors.ts'
import type { Parts, Stored } from '../../main/parts.ts'
import type { Principal, PrincipalView } from '../../values/access.ts'
import { iso } from '../../values/ids.ts'
import { readQuery } from '../../values/read.ts'
import { requireScope } from '../../values/scopes.ts'
import { addUsage, deleteOldestUsage, sumUsage } from '../sql/usage.ts'
import { keptSteps, UsageCounts } from './counts.ts'
import { type Buckets, listBuckets, sumCounts } from './report.ts'
import type { Usage } from './usage-types.ts'

const [fine, coarse] = keptSteps
const dayMs = 86_400_000

/** Lengths of answered buckets, and the stored buckets that they are sums of. */
const steps: Readonly<Record<UsageStep, { readonly stepMs: number; readonly stored: (typeof keptSteps)[number] }>> = {
  '5m': { stepMs: fine.seconds * 1_000, stored: fine },
  '1h': { stepMs: coarse.seconds * 1_000, stored: coarse },
  '1d': { stepMs: dayMs, stored: coarse },
}

/** Builds the service. */
export function createUsage(parts: Pick<Parts, 'database' | 'source' | 'onBackgroundError'>): Usage {
  const { database, source, onBackgroundError } = parts
  const counts = new UsageCounts({ clock: source.clock, add: (rows) => addUsage(database.db, rows), onBackgroundError })
  return {
    count: (place, code, durationMs) => counts.count(place, code, durationMs),
    store: () => counts.store(),
    read: async (principal, given) => {
      requireScope(principal, 'connectors:read')
      const query = readQuery(usageQuery, given)
      const scopeIds = await listScopes(parts, principal, query)
      await counts.store()
      return report(parts, { principal, scopeIds }, query)
    },
    purgeExpired: (now) => purgeExpired(parts, now),
  }
}

/** Lists the ids whose counts make up what the principal asks for and sees. @throws FerruleError `connector_not_found` */
async function listScopes(
  { database: { db } }: Pick<Parts, 'database'>,
  { organizationId, workspaceIds: own, connectorIds }: Principal,
  { connector_id: connectorId, workspace_id: given }: UsageQuery,
): Promise<readonly string[]> {
  const wanted = given?.toLowerCase()
  const workspaceIds = wanted === undefined ? own : own === null || own.includes(wanted) ? [wanted] : []
  if (workspaceIds?.length === 0) return []
  const view: PrincipalView = { organizationId, workspaceIds, connectorIds }
  if (connectorId !== undefined) {
    const row = await findConnector(db, view, connectorId.toLowerCase())
    if (row === undefined) throw fail('connector_not_found', {})
    return [row.id]
  }
  return connectorIds === null ? (workspaceIds ?? [organizationId]) : listConnectorIds(db, view)
}

async function report(
  { database: { db }, source }: Stored,
  { principal, scopeIds }: { readonly principal: Principal; readonly scopeIds: readonly string[] },
  query: UsageQuery,
): Promise<UsageReport> {
  const now = source.clock()
  const { step, ...buckets } = readBuckets(query, now)
  const { stored } = steps[step]
  const range = { organizationId: principal.organizationId, scopeIds, step: stored.seconds, from: buckets.from, to: buckets.to }
  const rows = scopeIds.length === 0 ? [] : await sumUsage(db, range)
  return {
    from: iso(buckets.from),
    to: iso(buckets.to),
    step,
    kept_from: iso(now - stored.keptMs),
    total: sumCounts(rows),
    data: listBuckets(rows, buckets),
  }
}

/** Widens a range to whole buckets. @throws FerruleError `validation_failed` */
function readBuckets(query: UsageQuery, now: number): Buckets & { readonly step: UsageStep } {
  const end = query.to === undefined ? now : Date.parse(query.to)
  const begin = query.from === undefined ? end - dayMs : Date.parse(query.from)
  if (begin >= end) throw failValidation([{ field: '/from', message: 'must be before the end of the range', error_code: 'minimum' }])
  const step = query.step ?? (end - begin <= 2 * dayMs ? '5m' : end - begin <= 30 * dayMs ? '1h' : '1d')
  const { stepMs } = steps[step]
  const from = Math.floor(begin / stepMs) * stepMs
  const to = Math.ceil(end / stepMs) * stepMs
  const count = (to - from) / stepMs
  if (count <= mostUsageBuckets) return { from, to, step, stepMs }
  const message = `has ${count} buckets of ${step}; give a later \`from\` or a longer \`step\`, for at most ${mostUsageBuckets}`
  throw failValidation([{ field: '/from', message, error_code: 'maximum' }])
}

/** Deletes one bucket at a time, and yields in between, because the embedded database blocks the event loop. */
async function purgeExpired({ database: { db } }: Pick<Parts, 'database'>, now: number): Promise<number> {
  let deleted = 0
  for (const { seconds, keptMs } of keptSteps)
    while (await deleteOldestUsage(db, seconds, now - keptMs)) {
      deleted += 1
      await turn()
    }
  return deleted
}
