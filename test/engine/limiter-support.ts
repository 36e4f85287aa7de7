/** Proven credentials at a limiter, for tests of rates. */
import type { Limits } from '../../packages/ferrule/src/definition/connector.ts'
import { MemoryLimiter } from '../../packages/ferrule/src/engine/limits/in-memory.ts'
import type { Asker, Turn } from '../../packages/ferrule/src/engine/limits/limits.ts'

/** Credentials that proved themselves before. */
export const provenAsker = (limits: Limits, key = 'k'): Asker => ({ key, credential: `${key} credential`, limits, isProven: () => true })

/** Three calls a second, eight in ten seconds. */
export const twoRates = {
  key: [],
  rates: [
    { calls: 3, seconds: 1 },
    { calls: 8, seconds: 10 },
  ],
} as const

/** A limiter with proven credentials of one key. */
export class ProvenKey {
  readonly limiter: MemoryLimiter
  readonly #asker: Asker

  constructor(limits: Limits, { key = 'k', limiter = new MemoryLimiter() }: { key?: string; limiter?: MemoryLimiter } = {}) {
    this.limiter = limiter
    this.#asker = provenAsker(limits, key)
  }

  reserve(wish: { now: number; latest: number; background?: boolean }) {
    return this.limiter.reserve(this.#asker, wish)
  }

  /** Milliseconds until the call's turn; it must have been given one. */
  turn(now: number): { readonly turn: Turn; readonly wait: number } {
    const { turn, wait } = this.reserve({ now, latest: Number.POSITIVE_INFINITY })
    if (turn === undefined) throw new Error('no turn was given')
    return { turn, wait }
  }

  /** Returns what is granted, without the turn itself. */
  asked(wish: { now: number; latest: number }): { readonly wait: number; readonly refused: boolean } {
    const { turn, wait } = this.reserve(wish)
    return { wait, refused: turn === undefined }
  }
}
