/** Bins of durations, and quantiles of them. Pure. */

/** Upper bounds of the bins in milliseconds; the last bin has none. Stored counts depend on them: a change needs new columns. */
const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000] as const

/** Number of bins. */
export const binCount = bounds.length + 1

/** Returns the bin of a duration. @param durationMs milliseconds */
export function findBin(durationMs: number): number {
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
export function estimateQuantile(bins: readonly number[], share: number): number | undefined {
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
