/** A vendor that counts calls by the second and the minute, and walkers that call it as often as they may, in simulated time. */
import { kinds } from '../../packages/ferrule/src/connectors/index.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import type { CredentialValues } from '../../packages/ferrule/src/engine/credentials/source.ts'
import type { Turn } from '../../packages/ferrule/src/engine/limits/limits.ts'
import { Random } from '../../packages/sandbox/src/random.ts'
import { ProvenKey } from './limiter-support.ts'
import { fixed } from './support.ts'

/** The time at which simulations begin, in milliseconds since 1970. */
export const start = Date.parse('2026-01-01T00:00:00Z')
/** The advertiser of every connector here. */
export const advertiser_id = '7398164205713920517'
export const { limits } = kinds['tiktok-marketing'].definition

/** A connector whose requests go to a test's server. */
export const tiktokAt = (
  origin: string,
  values: CredentialValues = { access_token: 'tok_demo' },
  configuration: Readonly<Record<string, unknown>> = { advertiser_id },
): Connection => ({ kind: kinds['tiktok-marketing'], configuration, credentials: fixed(values), origin: { api: origin } })

/** The vendor's side: 10 calls a second and 600 a minute; a minute too full suspends the app for five. Refused calls are not counted. */
export class VendorRates {
  readonly #covers: (earlier: number, now: number, length: number) => boolean
  #taken: number[] = []
  #suspendedUntil = start
  served = 0
  refused = 0
  /** Calls of each minute since the beginning. */
  readonly minutes: number[] = []

  /** @param windows seconds and minutes of the calendar, or any stretches of their length */
  constructor(windows: 'calendar' | 'moving') {
    const calendar = (earlier: number, now: number, length: number) => Math.floor(earlier / length) === Math.floor(now / length)
    this.#covers = windows === 'calendar' ? calendar : (earlier, now, length) => earlier > now - length
  }

  /** Takes one request. Times must not decrease. @returns whether it is served */
  take(now: number): boolean {
    this.#taken = this.#taken.filter((earlier) => earlier > now - 60_000)
    const within = (length: number) => this.#taken.filter((earlier) => this.#covers(earlier, now, length)).length
    if (now >= this.#suspendedUntil && within(60_000) >= 600) this.#suspendedUntil = now + 300_000
    const serves = now >= this.#suspendedUntil && within(1_000) < 10
    if (serves) {
      this.#taken.push(now)
      const minute = Math.floor((now - start) / 60_000)
      this.minutes[minute] = (this.minutes[minute] ?? 0) + 1
    }
    this[serves ? 'served' : 'refused'] += 1
    return serves
  }
}

interface Walk {
  readonly walkers: number
  readonly seconds: number
  /** The way to the vendor takes between `least` and `most` milliseconds, each time another; the answer comes 100 later. */
  readonly way: { readonly least: number; readonly most: number }
}

/** Attempts that the engine gives a call. */
const attempts = 3
/** What the kind says of refusals for too many calls. */
const wait = { first: 1, longest: 300 }

/** Walkers that ask again and again: how many refusals a caller saw. */
export function walk(vendor: VendorRates, { walkers, seconds, way }: Walk): { readonly surfaced: number } {
  const random = new Random('tiktok walk', way.most)
  const key = new ProvenKey(limits)
  const { limiter } = key
  const waiting: { readonly at: number; readonly run: () => void }[] = []
  const happen = (at: number, run: () => void): void => {
    const before = waiting.findLastIndex((other) => other.at <= at)
    waiting.splice(before + 1, 0, { at, run })
  }
  let surfaced = 0
  const refused = (now: number, attempt: number, turn: Turn): void => {
    const pause = limiter.refuse(turn, wait, now)
    limiter.postpone(turn, now + pause, now)
    limiter.giveBack(turn)
    if (attempt === attempts) surfaced += 1
    happen(now + pause, () => ask(now + pause, attempt === attempts ? 1 : attempt + 1))
  }
  const answered = (now: number, attempt: number, { served, turn }: { served: boolean; turn: Turn }): void => {
    if (!served) {
      refused(now, attempt, turn)
      return
    }
    limiter.prove(turn, true, now)
    limiter.giveBack(turn)
    ask(now, 1)
  }
  const send = (now: number, attempt: number, turn: Turn): void => {
    const more = limiter.enter(turn, now)
    if (more > 0) {
      happen(now + more, () => send(now + more, attempt, turn))
      return
    }
    const there = now + random.int(way.least, way.most)
    happen(there, () => {
      const served = vendor.take(there)
      happen(there + 100, () => answered(there + 100, attempt, { served, turn }))
    })
  }
  const ask = (now: number, attempt: number): void => {
    const { turn, wait: until } = key.turn(now)
    happen(now + until, () => send(now + until, attempt, turn))
  }
  for (let walker = 0; walker < walkers; walker++) happen(start, () => ask(start, 1))
  for (let next = waiting.shift(); next !== undefined && next.at <= start + seconds * 1000; next = waiting.shift()) next.run()
  return { surfaced }
}
