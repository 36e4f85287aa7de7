/** Rounds that alternate between Ferrule and the baseline, so that both meet the same moods of the machine. */

/** How long a benchmark runs. */
export interface Effort {
  /** Rounds of each side that count; one before them warms up and does not. */
  readonly rounds: number
  /** Seconds of a round. */
  readonly seconds: number
}

/** Both sides of a benchmark. */
export interface Sides<T> {
  readonly ours: T
  readonly baseline: T
}

/** The middle value; the lower one of two. */
export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[(values.length - 1) >> 1] ?? Number.NaN

/** Two digits after the point, or three significant ones for small numbers. */
export const rounded = (value: number): number => (Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Math.round(value * 100) / 100)

/**
 * Runs both sides in turns.
 * @param measure measures one round of a side
 * @returns what the counted rounds gave
 */
export async function alternate<T, R>(
  sides: Sides<T>,
  { rounds }: Pick<Effort, 'rounds'>,
  measure: (side: T) => Promise<R>,
): Promise<Sides<R[]>> {
  const results: Sides<R[]> = { ours: [], baseline: [] }
  await measure(sides.baseline)
  await measure(sides.ours)
  for (let round = 0; round < rounds; round++) {
    // Which goes first changes: the second may find the machine warmer.
    const order = round % 2 === 0 ? (['baseline', 'ours'] as const) : (['ours', 'baseline'] as const)
    for (const name of order) results[name].push(await measure(sides[name]))
  }
  return results
}
