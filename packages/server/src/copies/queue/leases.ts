/** Durations of leases, in milliseconds. */

/** Length of a lease from its last renewal. Another node replaces a killed node after this time. */
export const leaseMs = 90_000
/** Interval of renewals without progress. */
export const renewalMs = 15_000
/** A node stops its work this long before the lease ends; the clocks of nodes may differ by as much. */
export const leaseMarginMs = 45_000
/** A lease ends this long after its session ended. A node behind a cut connection gives up earlier, after 8 seconds (`confirmedMs`). */
export const endedSessionMs = 10_000
