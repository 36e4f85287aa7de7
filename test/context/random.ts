/** Random draws that a seed repeats. */

/** A random generator (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a number from 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  /** Returns an integer below a bound. */
  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  pick<T>(from: readonly T[]): T {
    const found = from[this.below(from.length)]
    if (found === undefined && from.length === 0) throw new Error('nothing to pick from')
    return found as T // the index is below the length
  }

  many<T>(most: number, draw: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, draw)
  }
}
