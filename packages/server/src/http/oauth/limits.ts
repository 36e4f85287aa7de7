/** Limits of the authorization server and of the console's sign-in. */
import { AddressLimits } from '../address-limits.ts'

/** Requests of an address per minute on one node. */
const perMinute = { register: 10, signIn: 10, authorize: 60, token: 300, revoke: 300 } as const

/** What is counted. */
export type LimitedRequest = keyof typeof perMinute

/** Counts requests by their address. */
export class OAuthLimits extends AddressLimits<LimitedRequest> {
  /** @param steady milliseconds that never step */
  constructor(steady: () => number) {
    super(perMinute, steady)
  }
}
