/** The organization's limits around a call that reaches a vendor. */

import type { MemoryLease } from 'ferrule/engine'
import { fail } from 'ferrule/internal'
import type { RateState } from '../calls/execute-limits.ts'
import type { Principal } from '../values/access.ts'
import type { Answer, Exchange, Services } from './route.ts'

function showRate(exchange: Exchange<Principal>, { limit, remaining, resetMs }: RateState): void {
  exchange.setHeader('ratelimit-limit', String(limit))
  exchange.setHeader('ratelimit-remaining', String(remaining))
  exchange.setHeader('ratelimit-reset', String(Math.ceil(resetMs / 1_000)))
}

/** A place among the concurrent calls of an organization, with memory for the vendor's answers. */
export interface CallPlace {
  readonly lease: MemoryLease
  /** Gives place and memory back. */
  leave(): void
}

/**
 * Counts a call and takes its place.
 * @param onRate receives the remaining calls, of a refused call too
 * @throws FerruleError `rate_limited`, `overloaded`
 */
export function enterCall(
  { limits, memory }: Pick<Services, 'limits' | 'memory'>,
  organizationId: string,
  onRate: (rate: RateState) => void = () => undefined,
): CallPlace {
  const rate = limits.count(organizationId)
  if (rate !== undefined) onRate(rate)
  if (rate?.exceeded) throw fail('rate_limited', { limit: rate.limit }, { retryAfterMs: rate.resetMs })
  const leave = limits.enter(organizationId)
  const lease = memory.open(organizationId)
  return {
    lease,
    leave: () => {
      leave()
      lease.close()
    },
  }
}

/**
 * Runs a call within the organization's limits; headers show the remaining calls (RateLimit-Limit, -Remaining, -Reset in seconds).
 * The call keeps its place among the concurrent calls, and its memory, until the answer was sent to its last byte and the call has ended.
 * A write continues when its client goes away.
 * @throws FerruleError `rate_limited`, `overloaded`, and what `run` throws
 */
export async function limited<A extends Answer>(
  exchange: Exchange<Principal>,
  services: Pick<Services, 'limits' | 'memory'>,
  run: (lease: MemoryLease) => Promise<A>,
): Promise<A> {
  const { lease, leave } = enterCall(services, exchange.who.organizationId, (rate) => showRate(exchange, rate))
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
