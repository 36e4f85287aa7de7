/** Limits of requests that anybody can send, by address. */
import { findAddressTurn } from '../../platform/tenancy/client-checks.ts'
import { ExecuteLimits } from '../http/execute-limits.ts'

/** Requests of an address per minute on one node. */
const perMinute = { register: 10, signIn: 10, authorize: 60, token: 300, revoke: 300 } as const

/** What is counted. */
export type LimitedRequest = keyof typeof perMinute

/** Counts requests by their address. */
export class OAuthLimits {
  readonly #limits: ReadonlyMap<LimitedRequest, ExecuteLimits>

  /** @param steady milliseconds that never step */
  constructor(steady: () => number) {
    const names = Object.keys(perMinute) as LimitedRequest[] // keys of a constant
    this.#limits = new Map(names.map((name) => [name, new ExecuteLimits({ perMinute: perMinute[name], atOnce: 0, clock: steady })]))
  }

  /** Counts a request. @returns seconds to wait when there were too many; undefined: it may pass */
  count(name: LimitedRequest, address: string): number | undefined {
    const state = this.#limits.get(name)?.count(findAddressTurn(address))
    return state?.exceeded === true ? Math.max(1, Math.ceil(state.resetMs / 1_000)) : undefined
  }
}
