/** A map that drops the least recently used entry above its limit. */
export class BoundedMap<K, V> {
  /** In the order of their last use: a Map keeps the order of insertion. */
  readonly #kept = new Map<K, V>()
  readonly #limit: number

  /** @param limit largest number of entries */
  constructor(limit: number) {
    this.#limit = limit
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

  /** Stores a value, and drops the least recently used entry above the limit. */
  set(key: K, value: V): void {
    this.#kept.delete(key)
    this.#kept.set(key, value)
    if (this.#kept.size <= this.#limit) return
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
  }

  values(): IteratorObject<V> {
    return this.#kept.values()
  }

  delete(key: K): void {
    this.#kept.delete(key)
  }

  clear(): void {
    this.#kept.clear()
  }
}
