/** Builds the report of calls over time from stored sums. Pure. */
import type { ErrorCode } from 'ferrule'
import { errorTable, isErrorCode } from 'ferrule/internal'
import type { UsageBucket, UsageTotal } from 'ferrule/wire'
import { usageBins } from '../../db/schema/usage-schema.ts'
import type { UsageSum } from '../sql/usage.ts'
import { estimateQuantile } from './histogram.ts'

const sumBins = (rows: readonly UsageSum[]): number[] => usageBins.map((bin) => rows.reduce((sum, row) => sum + row[bin], 0))
const countCalls = (rows: readonly UsageSum[]): number => sumBins(rows).reduce((sum, count) => sum + count, 0)

/** Sums the failed calls by code, the most frequent first. A code of another version of the service becomes `internal_error`. */
function listErrors(rows: readonly UsageSum[]): UsageTotal['errors'] {
  const byCode = Map.groupBy(rows, ({ code }): ErrorCode => (isErrorCode(code) ? code : 'internal_error'))
  return [...byCode]
    .map(([code, some]) => ({ code, fault: errorTable[code].fault, calls: countCalls(some) }))
    .toSorted((a, b) => b.calls - a.calls || (a.code < b.code ? -1 : 1))
}

/** Sums counts of any buckets. */
export function sumCounts(rows: readonly UsageSum[]): UsageTotal {
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
export interface Buckets {
  readonly from: number
  readonly to: number
  readonly stepMs: number
}

/** Builds every bucket of a range, also those without a call. */
export function listBuckets(rows: readonly UsageSum[], { from, to, stepMs }: Buckets): UsageBucket[] {
  const byBucket = Map.groupBy(rows, ({ time }) => time - (time % stepMs))
  return Array.from({ length: (to - from) / stepMs }, (_, index) => {
    const time = from + index * stepMs
    return { time: new Date(time).toISOString(), ...sumCounts(byBucket.get(time) ?? []) }
  })
}
