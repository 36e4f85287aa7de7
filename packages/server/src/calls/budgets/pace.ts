/** How fast calls follow each other in the long run. */
import type { BudgetLimits } from './ledger.ts'

/** The pace of a budget. */
export interface Pace {
  /** Time between two calls, in milliseconds; 0 without limits. */
  readonly intervalMs: number
  /** Number of calls that go at once. */
  readonly atOnce: number
}

/** Windows shorter than this say how fast calls follow each other, in seconds. */
const longestPace = 3_600

/** Computes the pace of a vendor's limits. */
export function computePace({ rates = [], bucket }: BudgetLimits): Pace {
  const short = rates.filter(({ seconds }) => seconds < longestPace)
  const paces = (short.length > 0 ? short : rates).map(({ calls, seconds }) => ({ intervalMs: (seconds * 1_000) / calls, atOnce: calls }))
  if (bucket !== undefined) paces.push({ intervalMs: 1_000 / bucket.perSecond, atOnce: bucket.size })
  return { intervalMs: Math.max(0, ...paces.map(({ intervalMs }) => intervalMs)), atOnce: Math.min(...paces.map(({ atOnce }) => atOnce)) }
}
