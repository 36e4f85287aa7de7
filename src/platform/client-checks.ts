/**
 * Whether a client's secret is right. The hash of a secret is slow by purpose, so whoever may ask for tokens, which is everybody, could
 * keep the service busy with it: it is worked out only for a client that exists and a secret that nobody has tried a moment ago.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import { fail } from '../errors.ts'
import { BoundedMap } from './bounded-map.ts'
import { isSecret } from './client-secret.ts'
import { FairTurns } from './fair-turns.ts'

/** What a client says of itself. */
export interface ClientClaim {
  readonly clientId: string
  readonly clientSecret: string
  /** Where it asks from; left out: from within. */
  readonly address?: string | undefined
}

/** What checks are made with; the defaults are those of the service. */
export interface ClientCheckOptions {
  /** Milliseconds that never step. */
  readonly steady: () => number
  /** Whether a secret is the one that was hashed. Slow. */
  readonly isSecret?: (secret: string, stored: string) => Promise<boolean>
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/** Hashes at one time, as each keeps one thread and 16 MB busy for 40 ms, and how many wait. */
const turns = { atOnce: 2, waiting: 256 } as const
/** Clients, and failures, that are remembered; the one that was not met for longest goes first. */
const remembered = 10_000
/** How long a secret that failed is refused without a look, in milliseconds. */
const failedMs = 60_000
/** Refusals are answered at multiples of this after the question, so that their time does not tell which client exists. Milliseconds. */
const refusalMs = 250
/** Refusals that wait for that. */
const mostRefusals = 1_000

/** An IPv6 client has 2^64 addresses; they share one turn. */
function turnOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

/** The checks of one process. */
export class ClientChecks {
  readonly #options: Required<ClientCheckOptions>
  readonly #turns = new FairTurns(turns)
  /** Of this process: what it digests is compared within it only. */
  readonly #key = randomBytes(32)
  /** Digest of the right secret, by client id. */
  readonly #right = new BoundedMap<string, string>(remembered)
  /** Until when digests of wrong secrets are refused without a look. */
  readonly #wrong = new BoundedMap<string, number>(remembered)
  /** Looks that are under way, by digest. */
  readonly #looks = new Map<string, Promise<boolean>>()
  #refusals = 0

  constructor(options: ClientCheckOptions) {
    this.#options = { isSecret, pause: (milliseconds) => sleep(milliseconds), ...options }
  }

  /**
   * @param stored the hash of the client's secret; undefined for a client that does not exist
   * @throws FerruleError `invalid_client`, after a time that does not tell why; `overloaded`
   */
  async check(claim: ClientClaim, stored: string | undefined): Promise<void> {
    const began = this.#options.steady()
    if (stored !== undefined && (await this.#isRight(claim, stored))) return
    await this.#awaitRefusal(began)
    throw fail('invalid_client', {})
  }

  async #isRight({ clientId, clientSecret, address = '' }: ClientClaim, stored: string): Promise<boolean> {
    const digest = createHmac('sha256', this.#key)
      .update(JSON.stringify([clientId, clientSecret, stored]))
      .digest('base64url')
    if (this.#right.get(clientId) === digest) return true
    if ((this.#wrong.get(digest) ?? Number.NEGATIVE_INFINITY) > this.#options.steady()) return false
    const asking = { address: turnOf(address), name: clientId }
    const look = this.#looks.get(digest) ?? this.#turns.run(asking, () => this.#options.isSecret(clientSecret, stored))
    this.#looks.set(digest, look)
    const isRight = await look.finally(() => this.#looks.delete(digest))
    if (isRight) this.#right.set(clientId, digest)
    else this.#wrong.set(digest, this.#options.steady() + failedMs)
    return isRight
  }

  async #awaitRefusal(began: number): Promise<void> {
    if (this.#refusals >= mostRefusals) throw fail('overloaded', { reason: 'too many clients are refused' }, { retryAfterMs: 1_000 })
    this.#refusals += 1
    const passed = this.#options.steady() - began
    await this.#options.pause(refusalMs - (passed % refusalMs)).finally(() => {
      this.#refusals -= 1
    })
  }
}
