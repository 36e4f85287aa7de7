/** How long a node may work on something that others keep away from. Milliseconds. */

/** A lease, from its last renewal. A node that was killed is replaced after this time. */
export const leaseMs = 90_000
/** A lease that nothing else renews is renewed after this time. */
export const renewalMs = 15_000
/** A node stops its work this long before the lease ends: clocks of nodes may differ by as much. */
export const leaseMarginMs = 45_000
/**
 * A lease whose session is seen ended for so long is over: its node, if it lives behind a cut connection, counts the session as ended after
 * 8 seconds (`confirmedMs`), and lets go.
 */
export const goneMs = 10_000
