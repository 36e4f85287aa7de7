/** A map that drops the least recently used entries above its limit. */
export class BoundedMap<K, V> {
  /** In the order of their last use: a Map keeps the order of insertion. */
  readonly #kept = new Map<K, V>()
  readonly #limit: number
  readonly #weigh: (value: V) => number
  #weight = 0

  /** @param limit largest number of entries. @param weigh what a value counts, such as its bytes; default: 1 */
  constructor(limit: number, weigh: (value: V) => number = () => 1) {
    this.#limit = limit
    this.#weigh = weigh
  }

  /** Returns the value and marks it as used. */
  get(key: K): V | undefined {
    const value = this.#kept.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** Returns the value and marks it as used. A key without a value gets one first. */
  take(key: K, make: () => V): V {
    const value = this.#kept.get(key) ?? make()
    this.set(key, value)
    return value
  }

  /** Stores a value, and drops the least recently used entries above the limit. */
  set(key: K, value: V): void {
    this.delete(key)
    this.#kept.set(key, value)
    this.#weight += this.#weigh(value)
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#limit) return
      this.delete(oldest)
    }
  }

  values(): IteratorObject<V> {
    return this.#kept.values()
  }

  delete(key: K): void {
    const value = this.#kept.get(key)
    if (value === undefined) return
    this.#kept.delete(key)
    this.#weight -= this.#weigh(value)
  }

  clear(): void {
    this.#kept.clear()
    this.#weight = 0
  }
}
