/** The call limit of a store, shared by all its tokens. */
export interface Bucket {
  /**
   * Counts one call.
   *
   * @param limits - calls that the bucket holds, calls that leak per second
   * @returns false when the bucket is full
   */
  spend(limits: { readonly size: number; readonly leak: number }): boolean
  /** Calls that are in the bucket. */
  used(): number
  /** Empties it. */
  reset(): void
}

/**
 * An empty leaky bucket. Refused calls are not counted.
 *
 * @param clock - epoch milliseconds
 */
export function createBucket(clock: () => number): Bucket {
  let level = 0
  let at = clock()
  return {
    spend({ size, leak }) {
      const now = clock()
      level = Math.max(0, level - (Math.max(now - at, 0) / 1000) * leak)
      at = now
      if (level + 1 > size) return false
      level += 1
      return true
    },
    used: () => Math.ceil(level),
    reset() {
      level = 0
    },
  }
}
