/**
 * Checks client secrets. Hashing is slow on purpose, and everybody may ask for tokens. So a hash is computed only for an existing client
 * and a secret that did not fail recently.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap, fail } from 'ferrule/internal'
import ipaddr from 'ipaddr.js'
import { isSecret } from './client-secret.ts'
import { FairTurns } from './fair-turns.ts'

/** Credentials of a client. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
  /** Address of the client; absent for internal calls. */
  readonly address?: string | undefined
}

/** Options of `ClientChecks`, with the defaults of the service. */
export interface ClientCheckOptions {
  /** Steady clock in milliseconds. */
  readonly steady: () => number
  /** Compares a secret with a stored hash. Slow. */
  readonly isSecret?: (secret: string, stored: string) => Promise<boolean>
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/** Concurrent and waiting hashes. Each hash takes one thread and 16 MB for 40 ms. */
const turns = { atOnce: 2, waiting: 256 } as const
/** Maximum number of remembered clients and failures, least recently used first out. */
const remembered = 10_000
/** Time in milliseconds for which a failed secret is refused without hashing. */
const failedMs = 60_000
/** Refusals are answered after a multiple of this time, in milliseconds. So their duration does not reveal existing clients. */
const refusalMs = 250
/** Maximum number of delayed refusals. */
const mostRefusals = 1_000

/** Returns the turn of an address. An IPv6 client owns 2^64 addresses, which share one turn. */
export function findAddressTurn(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

/** The checks of one process. */
export class ClientChecks {
  readonly #options: Required<ClientCheckOptions>
  readonly #turns = new FairTurns(turns)
  /** Random per process: its digests are compared within the process only. */
  readonly #key = randomBytes(32)
  /** Digests of correct secrets, by client id. */
  readonly #right = new BoundedMap<string, string>(remembered)
  /** Digests of wrong secrets, with the time until which they are refused without hashing. */
  readonly #wrong = new BoundedMap<string, number>(remembered)
  /** Hashes in progress, by digest. */
  readonly #looks = new Map<string, Promise<boolean>>()
  #refusals = 0

  constructor(options: ClientCheckOptions) {
    this.#options = { isSecret, pause: (milliseconds) => sleep(milliseconds), ...options }
  }

  /**
   * Checks a secret.
   * @param stored hash of the client's secret; undefined for an unknown client
   * @throws FerruleError `invalid_client`, after a delay that hides the reason; `overloaded`
   */
  async check(claim: ClientCredentials, stored: string | undefined): Promise<void> {
    const began = this.#options.steady()
    if (stored !== undefined && (await this.#isRight(claim, stored))) return
    await this.#awaitRefusal(began)
    throw fail('invalid_client', {})
  }

  async #isRight({ clientId, clientSecret, address = '' }: ClientCredentials, stored: string): Promise<boolean> {
    const digest = createHmac('sha256', this.#key)
      .update(JSON.stringify([clientId, clientSecret, stored]))
      .digest('base64url')
    if (this.#right.get(clientId) === digest) return true
    if ((this.#wrong.get(digest) ?? Number.NEGATIVE_INFINITY) > this.#options.steady()) return false
    const asking = { address: findAddressTurn(address), name: clientId }
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
