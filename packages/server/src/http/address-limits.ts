/** Limits of requests that anybody can send, by address. */
import { BoundedMap } from 'ferrule/internal'
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

/** Refused requests of a sender to one address per minute, on one node; then the sender waits. */
const mostRefused = 60
/** Senders and addresses that are remembered. */
const rememberedPairs = 10_000
const minuteMs = 60_000

/**
 * Counts refused requests by sender and by the address that they were sent to, so that neither other addresses of the same sender nor other
 * senders to the same address wait. Accepted requests are not counted, and one of them forgives all refused ones.
 */
export class RefusalLimits {
  readonly #pairs = new BoundedMap<string, { readonly ends: number; refused: number }>(rememberedPairs)
  readonly #steady: () => number

  /** @param steady milliseconds that never step */
  constructor(steady: () => number) {
    this.#steady = steady
  }

  isOver(sender: string, to: string): boolean {
    const known = this.#pairs.get(nameOf(sender, to))
    return known !== undefined && known.ends > this.#steady() && known.refused >= mostRefused
  }

  /** Notes what became of a request. */
  note(sender: string, to: string, isRefused: boolean): void {
    const name = nameOf(sender, to)
    const known = this.#pairs.get(name)
    if (!isRefused) this.#pairs.delete(name)
    else if (known !== undefined && known.ends > this.#steady()) known.refused += 1
    else this.#pairs.set(name, { ends: this.#steady() + minuteMs, refused: 1 })
  }
}

const nameOf = (sender: string, to: string): string => `${toNetwork(sender)} ${to.slice(0, longestName)}`
/** Longest part of an address by which it differs from others: those of this service are shorter. */
const longestName = 100

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
