/** Limits of requests that anybody can send, by address. */
import ipaddr from 'ipaddr.js'
import { ExecuteLimits } from '../calls/admission.ts'

/** Returns what counts as one address: an IPv6 client owns 2^64 addresses. */
function toNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

/** Counts requests by their address, on one node. */
export class AddressLimits<Name extends string> {
  readonly #limits: ReadonlyMap<string, ExecuteLimits>

  /** @param perMinute requests of an address per minute, by what is counted @param steady milliseconds that never step */
  constructor(perMinute: Readonly<Record<Name, number>>, steady: () => number) {
    const entries: readonly (readonly [string, number])[] = Object.entries(perMinute)
    this.#limits = new Map(entries.map(([name, most]) => [name, new ExecuteLimits({ perMinute: most, atOnce: 0, clock: steady })]))
  }

  /** Counts a request. @returns seconds to wait when there were too many; undefined: it may pass */
  count(name: Name, address: string): number | undefined {
    const state = this.#limits.get(name)?.count(toNetwork(address))
    return state?.exceeded === true ? Math.max(1, Math.ceil(state.resetMs / 1_000)) : undefined
  }
}

/** Requests of an address per minute on one node. */
const perMinute = { register: 10, signIn: 10, authorize: 60, token: 300, revoke: 300 } as const

/** What the authorization server and the sign-in of the console count. */
export type LimitedRequest = keyof typeof perMinute

/** Counts requests by their address. */
export class OAuthLimits extends AddressLimits<LimitedRequest> {
  /** @param steady milliseconds that never step */
  constructor(steady: () => number) {
    super(perMinute, steady)
  }
}
