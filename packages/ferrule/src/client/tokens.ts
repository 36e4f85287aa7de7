/** Gets bearer tokens for client credentials, keeps them, and renews them before they expire. */
import type { TokenAnswer } from '../wire/tokens.ts'

/** Part of a token's life after which it is renewed: a slow request still arrives with a valid token. */
const usedPart = 0.8

interface KeptToken {
  readonly value: string
  /** Time of the renewal, on the clock of `performance.now()`: a wrong wall clock changes nothing. */
  readonly renewAt: number
}

/** A source of tokens. Concurrent requests share one renewal. */
export class Tokens {
  readonly #request: () => Promise<TokenAnswer>
  #kept: KeptToken | undefined
  #renewal: Promise<KeptToken> | undefined

  /** @param request gets a token from the service */
  constructor(request: () => Promise<TokenAnswer>) {
    this.#request = request
  }

  /** Returns a valid token. @throws what the request throws */
  async get(): Promise<string> {
    const kept = this.#kept
    if (kept !== undefined && performance.now() < kept.renewAt) return kept.value
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined
    })
    return (await this.#renewal).value
  }

  /** Forgets a token that the service refused. A newer token stays. */
  forget(value: string): void {
    if (this.#kept?.value === value) this.#kept = undefined
  }

  /** Forgets the token: a new one reaches what was created since. */
  clear(): void {
    this.#kept = undefined
  }

  async #renew(): Promise<KeptToken> {
    const { access_token: value, expires_in: seconds } = await this.#request()
    this.#kept = { value, renewAt: performance.now() + seconds * 1_000 * usedPart }
    return this.#kept
  }
}
