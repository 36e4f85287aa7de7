/** Counts calls, and reports them over time. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { ErrorCode } from 'ferrule'
import { errorTable, isErrorCode } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import { findConnector, listConnectorIds, requireConnector } from '../../connectors/sql/connectors.ts'
import { type UsageBin, type UsageCount, usageBins } from '../../db/schema/usage-schema.ts'
import type { Parts, Stored } from '../../main/parts.ts'
import { type ConnectorRef, type Principal, type PrincipalView, requireScope } from '../../values/access.ts'
import { iso } from '../../values/ids.ts'
import type { CallCode } from '../../values/metric-types.ts'
import { failField, readQuery } from '../../values/read.ts'
import { addUsage, deleteOldestUsage, sumUsage, type UsageSum } from '../sql/usage.ts'

/** Upper bounds of the bins in milliseconds; the last bin has none. Stored counts depend on them: a change needs new columns. */
const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000] as const

const binCount = bounds.length + 1

/** Returns the bin of a duration. @param durationMs milliseconds */
function findBin(durationMs: number): number {
  let bin = 0
  for (; bin < bounds.length; bin += 1) if (durationMs <= (bounds[bin] ?? 0)) break
  return bin
}

/**
 * Estimates a quantile, as if the calls of a bin were spread evenly over it.
 * @param bins calls in each bin
 * @param share between 0 and 1
 * @returns milliseconds with one decimal; the lower bound for the last bin; undefined without a call
 */
function estimateQuantile(bins: readonly number[], share: number): number | undefined {
  const total = bins.reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [bin, count] of bins.entries()) {
    if (count > 0 && below + count >= total * share) {
      const low = bounds[bin - 1] ?? 0
      const high = bounds[bin] ?? low
      return Math.round((low + ((high - low) * (total * share - below)) / count) * 10) / 10
    }
    below += count
  }
  return undefined
}

/** Length of a stored bucket in seconds, and its life in milliseconds. */
const keptSteps = [
  { seconds: 300, keptMs: 14 * 86_400_000 },
  { seconds: 3_600, keptMs: 90 * 86_400_000 },
] as const

/** Time from the first call of a group until the group is stored, in milliseconds. A killed process loses the calls of so long. */
const groupMs = 5_000
/** Maximum number of connectors and codes in a group. Calls beyond it are not counted while the group before is being stored. */
const largestGroup = 10_000
/** Length of the shortest bucket, in milliseconds: the calls of a group lie in one bucket. */
const bucketMs = keptSteps[0].seconds * 1_000

interface CallGroup {
  /** Begin of the bucket. */
  readonly bucket: number
  readonly tallies: Map<string, { readonly ref: ConnectorRef; readonly codes: Map<CallCode, number[]> }>
  /** Connectors and codes. */
  size: number
}

interface CountParts extends Pick<Parts, 'onBackgroundError'> {
  readonly clock: () => number
  /** Adds counts to the stored ones. */
  readonly add: (rows: readonly UsageCount[]) => Promise<void>
}

/** Calls that this process has not stored yet. */
export class UsageCounts {
  readonly #parts: CountParts
  #group: CallGroup | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor(parts: CountParts) {
    this.#parts = parts
  }

  /** Counts a call that has ended. @param durationMs milliseconds */
  count(ref: ConnectorRef, code: CallCode, durationMs: number): void {
    const now = this.#parts.clock()
    const bucket = now - (now % bucketMs)
    // While a group is being written, the next one stays in its bucket: memory holds two groups at most.
    if (this.#group !== undefined && this.#group.bucket !== bucket && this.#writing === undefined) void this.store()
    this.#group ??= { bucket, tallies: new Map(), size: 0 }
    const bins = this.#findBins(this.#group, ref, code)
    if (bins === undefined) return
    const bin = findBin(durationMs)
    bins[bin] = (bins[bin] ?? 0) + 1
    this.#timer ??= setTimeout(() => void this.store(), groupMs).unref()
  }

  /** Stores the calls so far, and waits for it. One group is written at a time, while the next one collects. */
  async store(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    const group = this.#group
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#group = undefined
    if (group === undefined) return
    this.#writing = this.#write(group)
    await this.#writing
  }

  /** Reports a failure, and loses the group then: a repetition could count calls twice. */
  async #write(group: CallGroup): Promise<void> {
    try {
      await this.#parts.add(toRows(group))
    } catch (error) {
      this.#parts.onBackgroundError(error)
    } finally {
      this.#writing = undefined
    }
  }

  /** Returns the bins to count in; undefined when there is no more room. */
  #findBins(group: CallGroup, ref: ConnectorRef, code: CallCode): number[] | undefined {
    let tally = group.tallies.get(ref.connectorId)
    const known = tally?.codes.get(code)
    if (known !== undefined) return known
    if (group.size >= largestGroup) return undefined
    if (tally === undefined) {
      tally = { ref, codes: new Map() }
      group.tallies.set(ref.connectorId, tally)
    }
    const bins: number[] = new Array(binCount).fill(0)
    tally.codes.set(code, bins)
    group.size += 1
    return bins
  }
}

/** Builds the rows of a group: for each stored length, the counts of connectors and the sums of workspaces and organizations. */
function toRows({ bucket, tallies }: CallGroup): UsageCount[] {
  const rows = new Map<string, UsageCount>()
  for (const { ref, codes } of tallies.values())
    for (const [code, bins] of codes)
      for (const row of listRows(ref, { bucket, code })) {
        const key = `${row.organization_id} ${row.scope_id} ${row.step} ${row.code}`
        const sum = rows.get(key) ?? row
        for (const [index, bin] of usageBins.entries()) sum[bin] += bins[index] ?? 0
        rows.set(key, sum)
      }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

const emptyBins = Object.fromEntries(usageBins.map((bin) => [bin, 0])) as Record<UsageBin, number> // each name was just used

const listRows = (
  { organizationId, workspaceId, connectorId }: ConnectorRef,
  { bucket, code }: { readonly bucket: number; readonly code: CallCode },
): UsageCount[] =>
  [organizationId, workspaceId, connectorId].flatMap((scopeId) =>
    keptSteps.map(({ seconds }) => ({
      organization_id: organizationId,
      scope_id: scopeId,
      step: seconds,
      time: bucket - (bucket % (seconds * 1_000)),
      code,
      ...emptyBins,
    })),
  )

const [fine, coarse] = keptSteps
const dayMs = 86_400_000

/** Lengths of answered buckets, and the stored buckets that they are sums of. */
const steps: Readonly<Record<wire.UsageStep, { readonly stepMs: number; readonly stored: (typeof keptSteps)[number] }>> = {
  '5m': { stepMs: fine.seconds * 1_000, stored: fine },
  '1h': { stepMs: coarse.seconds * 1_000, stored: coarse },
  '1d': { stepMs: dayMs, stored: coarse },
}

/** Builds the service. */
export function createUsage(parts: Pick<Parts, 'database' | 'source' | 'onBackgroundError'>): Usage {
  const { database, source, onBackgroundError } = parts
  const counts = new UsageCounts({ clock: source.clock, add: (rows) => addUsage(database.db, rows), onBackgroundError })
  return {
    count: (ref, code, durationMs) => counts.count(ref, code, durationMs),
    store: () => counts.store(),
    read: async (principal, given) => {
      requireScope(principal, 'connectors:read')
      const query = readQuery(wire.usageQuery, given)
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
  { connector_id: connectorId, workspace_id: given }: wire.UsageQuery,
): Promise<readonly string[]> {
  const wanted = given?.toLowerCase()
  const workspaceIds = wanted === undefined ? own : own === null || own.includes(wanted) ? [wanted] : []
  if (workspaceIds?.length === 0) return []
  const view: PrincipalView = { organizationId, workspaceIds, connectorIds }
  if (connectorId !== undefined) return [(await requireConnector(db, view, connectorId, findConnector)).id]
  return connectorIds === null ? (workspaceIds ?? [organizationId]) : listConnectorIds(db, view)
}

async function report(
  { database: { db }, source }: Stored,
  { principal, scopeIds }: { readonly principal: Principal; readonly scopeIds: readonly string[] },
  query: wire.UsageQuery,
): Promise<wire.UsageReport> {
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
function readBuckets(query: wire.UsageQuery, now: number): Buckets & { readonly step: wire.UsageStep } {
  const end = query.to === undefined ? now : Date.parse(query.to)
  const begin = query.from === undefined ? end - dayMs : Date.parse(query.from)
  if (begin >= end) throw failField('/from', 'must be before the end of the range', 'minimum')
  const step = query.step ?? (end - begin <= 2 * dayMs ? '5m' : end - begin <= 30 * dayMs ? '1h' : '1d')
  const { stepMs } = steps[step]
  const from = Math.floor(begin / stepMs) * stepMs
  const to = Math.ceil(end / stepMs) * stepMs
  const count = (to - from) / stepMs
  if (count <= wire.mostUsageBuckets) return { from, to, step, stepMs }
  const message = `has ${count} buckets of ${step}; give a later \`from\` or a longer \`step\`, for at most ${wire.mostUsageBuckets}`
  throw failField('/from', message, 'maximum')
}

/** Deletes one bucket at a time, and yields in between, because the embedded database blocks the event loop. */
async function purgeExpired({ database: { db } }: Pick<Parts, 'database'>, now: number): Promise<number> {
  let deleted = 0
  for (const { seconds, keptMs } of keptSteps)
    while (await deleteOldestUsage(db, seconds, now - keptMs)) {
      deleted += 1
      await yieldToEventLoop()
    }
  return deleted
}

const sumBins = (rows: readonly UsageSum[]): number[] => usageBins.map((bin) => rows.reduce((sum, row) => sum + row[bin], 0))
const countCalls = (rows: readonly UsageSum[]): number => sumBins(rows).reduce((sum, count) => sum + count, 0)

/** Sums the failed calls by code, the most frequent first. A code of another version of the service becomes `internal_error`. */
function listErrors(rows: readonly UsageSum[]): wire.UsageTotal['errors'] {
  const byCode = Map.groupBy(rows, ({ code }): ErrorCode => (isErrorCode(code) ? code : 'internal_error'))
  return [...byCode]
    .map(([code, some]) => ({ code, fault: errorTable[code].fault, calls: countCalls(some) }))
    .toSorted((a, b) => b.calls - a.calls || (a.code < b.code ? -1 : 1))
}

function sumCounts(rows: readonly UsageSum[]): wire.UsageTotal {
  const aborted = rows.filter(({ code }) => code === 'aborted')
  const failures = rows.filter(({ code }) => code !== 'aborted' && code !== 'ok')
  const bins = sumBins(rows.filter(({ code }) => code !== 'aborted'))
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => estimateQuantile(bins, share))
  const isTimed = p50 !== undefined && p95 !== undefined && p99 !== undefined
  return {
    calls: countCalls(rows),
    failed: countCalls(failures),
    aborted: countCalls(aborted),
    errors: listErrors(failures),
    latency: isTimed ? { p50_ms: p50, p95_ms: p95, p99_ms: p99 } : null,
  }
}

/** Buckets of an answer, in milliseconds. */
interface Buckets {
  readonly from: number
  readonly to: number
  readonly stepMs: number
}

/** Builds every bucket of a range, also those without a call. */
function listBuckets(rows: readonly UsageSum[], { from, to, stepMs }: Buckets): wire.UsageBucket[] {
  const byBucket = Map.groupBy(rows, ({ time }) => time - (time % stepMs))
  return Array.from({ length: (to - from) / stepMs }, (_, index) => {
    const time = from + index * stepMs
    return { time: new Date(time).toISOString(), ...sumCounts(byBucket.get(time) ?? []) }
  })
}

/** Calls over time, of each organization, workspace and connector. */
export interface Usage {
  /** Counts a call of a client that has ended. Never throws. @param durationMs milliseconds until its answer began */
  count(ref: ConnectorRef, code: CallCode, durationMs: number): void
  /**
   * Reads the calls of the principal's organization, or of the workspaces and connectors that it sees. Scope connectors:read. Calls of
   * other nodes are missing for some seconds.
   * @param query `{ from?, to?, step? ('5m' | '1h' | '1d'), connector_id?, workspace_id? }`
   * @throws FerruleError `validation_failed`, `connector_not_found`
   */
  read(principal: Principal, query: unknown): Promise<wire.UsageReport>
  /** Deletes counts that expired at `now` (milliseconds). @returns the number of buckets */
  purgeExpired(now: number): Promise<number>
  /** Stores what was counted, and waits for it. */
  store(): Promise<void>
}
