/** Admission around a request: its headers show the share of calls, and its slot lasts until the answer was sent. */
import type { ArrivingCall, CallBounds, RateState } from '../calls/admission.ts'
import type { Principal } from '../values/access.ts'
import type { Answer, Exchange, Services } from './route.ts'

function showRate(exchange: Exchange<Principal>, { limit, remaining, resetMs }: RateState): void {
  exchange.setHeader('ratelimit-limit', String(limit))
  exchange.setHeader('ratelimit-remaining', String(remaining))
  exchange.setHeader('ratelimit-reset', String(Math.ceil(resetMs / 1_000)))
}

/** Describes the call of a request; headers show the remaining calls (RateLimit-Limit, -Remaining, -Reset in seconds). */
export const toArriving = (exchange: Exchange<Principal>): ArrivingCall => ({
  organizationId: exchange.who.organizationId,
  signal: exchange.signal,
  onRate: (rate) => showRate(exchange, rate),
})

/**
 * Runs a call within the organization's limits. It keeps its slot among the concurrent calls, and its memory, until the answer was sent to
 * its last byte and the call has ended.
 * @throws FerruleError `rate_limited`, `overloaded`, and what `run` throws
 */
export const limited = <A extends Answer>(
  exchange: Exchange<Principal>,
  { platform }: Pick<Services, 'platform'>,
  run: (bounds: CallBounds) => Promise<A>,
): Promise<A> =>
  platform.admission.admit(toArriving(exchange), (bounds, hold) => {
    hold((end) => exchange.onEnd(end))
    return run(bounds)
  })
