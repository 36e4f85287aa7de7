/** Admission around a request: its headers show the share of calls, and its place lasts until the answer was sent. */

import type { MemoryLease } from 'ferrule/engine'
import type { RateState } from '../calls/execute-limits.ts'
import type { Principal } from '../values/access.ts'
import type { Answer, Exchange, Services } from './route.ts'

function showRate(exchange: Exchange<Principal>, { limit, remaining, resetMs }: RateState): void {
  exchange.setHeader('ratelimit-limit', String(limit))
  exchange.setHeader('ratelimit-remaining', String(remaining))
  exchange.setHeader('ratelimit-reset', String(Math.ceil(resetMs / 1_000)))
}

/**
 * Runs a call within the organization's limits; headers show the remaining calls (RateLimit-Limit, -Remaining, -Reset in seconds).
 * The call keeps its place among the concurrent calls, and its memory, until the answer was sent to its last byte and the call has ended.
 * A write continues when its client goes away.
 * @throws FerruleError `rate_limited`, `overloaded`, and what `run` throws
 */
export async function limited<A extends Answer>(
  exchange: Exchange<Principal>,
  { admission }: Pick<Services, 'admission'>,
  run: (lease: MemoryLease) => Promise<A>,
): Promise<A> {
  const { lease, leave } = admission.enter(exchange.who.organizationId, (rate) => showRate(exchange, rate))
  let open = 2
  const end = () => {
    open -= 1
    if (open > 0) return
    leave()
  }
  exchange.onEnd(end)
  try {
    return await run(lease)
  } finally {
    end()
  }
}
