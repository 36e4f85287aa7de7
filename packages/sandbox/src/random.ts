const golden = 0x9e3779b9

function mix(state: number, value: number): number {
  let mixed = Math.imul(state ^ value, 0xcc9e2d51)
  mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0x85ebca6b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Mixes numbers and words into one 32-bit number; the same parts always give the same number. @returns an unsigned 32-bit integer */
export function hash32(...parts: readonly (number | string)[]): number {
  let state = golden
  for (const part of parts) {
    if (typeof part === 'number') {
      state = mix(mix(state, part >>> 0), Math.floor(part / 0x1_0000_0000) >>> 0)
    } else {
      for (let index = 0; index < part.length; index += 1) state = mix(state, part.charCodeAt(index))
      state = mix(state, part.length + golden)
    }
  }
  return state
}

/**
 * Returns an identifier as the vendors of this room give them: 18 or 19 decimal digits, above 2^53 and below 2^63, without any order.
 * Different parts give different identifiers.
 */
export function idOf(...parts: readonly (number | string)[]): string {
  // The halves differ from their first step on, so that two identifiers never meet because one 32-bit state did.
  const high = BigInt(hash32('high', ...parts) >>> 1)
  const low = BigInt(hash32('low', ...parts))
  const value = (high << 32n) | low
  const floor = 100_000_000_000_000_000n
  return (value < floor ? value + floor : value).toString()
}

/** A deterministic stream of numbers (Mulberry32); not for secrets. */
export class Random {
  #state: number

  /** @param parts - what the stream is for; the same parts give the same stream */
  constructor(...parts: readonly (number | string)[]) {
    this.#state = hash32(...parts)
  }

  /** The next number, from 0 (included) to 1 (excluded). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** The next integer, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** True with the given probability (0 to 1). */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** One entry of a list. @throws RangeError when the list is empty */
  pick<T>(list: readonly T[]): T {
    const value = list[this.int(0, list.length - 1)]
    if (value === undefined) throw new RangeError('There is nothing to pick from')
    return value
  }

  /** A number with at most the given count of decimals. */
  decimal(min: number, max: number, decimals = 2): number {
    return Number((min + this.next() * (max - min)).toFixed(decimals))
  }

  /** Lower-case base36 characters. */
  base36(length: number): string {
    return Array.from({ length }, () => this.int(0, 35).toString(36)).join('')
  }
}

/** Returns a new order of a list, the same for the same parts. */
export function shuffled<T>(list: readonly T[], ...parts: readonly (number | string)[]): T[] {
  const random = new Random(...parts)
  return list
    .map((value) => ({ value, rank: random.next() }))
    .sort((left, right) => left.rank - right.rank)
    .map((entry) => entry.value)
}

/** Returns lower-case hexadecimal digits, for example those of an MD5 sum; the same for the same parts. */
export function hexOf(length: number, ...parts: readonly (number | string)[]): string {
  const words = Array.from({ length: Math.ceil(length / 8) }, (_, word) => hash32('hex', ...parts, word))
  return words
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('')
    .slice(0, length)
}
