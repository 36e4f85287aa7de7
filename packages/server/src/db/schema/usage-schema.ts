/** Declares the table of counted calls. */

/** Columns of the histogram of durations: calls in each bin. Their bounds are in calls/usage/usage.ts. */
export const usageBins = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'b10', 'b11', 'b12', 'b13', 'b14', 'b15'] as const
/** Column of the histogram. */
export type UsageBin = (typeof usageBins)[number]

/** Calls of a bucket that ended with one code. */
export type UsageCount = Record<UsageBin, number> & {
  organization_id: string
  /** Id of the organization, of a workspace, or of a connector. */
  scope_id: string
  /** Length of the bucket in seconds. */
  step: number
  /** Begin of the bucket, in milliseconds since 1970. */
  time: number
  /** `ok`, `aborted`, or an error code. */
  code: string
}
