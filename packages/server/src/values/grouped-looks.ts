/** Groups looks of concurrent callers: a look begins after it was asked for, and one group runs at a time. */

interface WaitingLook<K, V> {
  readonly key: K
  readonly seen: PromiseWithResolvers<V>
}

/** Looks at keys in groups. A caller never gets what was read before it asked. */
export class GroupedLooks<K, V> {
  readonly #look: (keys: readonly K[]) => Promise<readonly V[]>
  readonly #gather: () => Promise<void>
  #waiting = new Map<string, WaitingLook<K, V>>()
  #running = false

  /**
   * @param look returns a value for each key, in their order
   * @param gather waits before each group; default: the first caller of a group is alone where a look does not wait for a network
   */
  constructor(look: (keys: readonly K[]) => Promise<readonly V[]>, gather: () => Promise<void> = () => Promise.resolve()) {
    this.#look = look
    this.#gather = gather
  }

  /**
   * Looks at a key.
   * @param name names the key: callers with the same name share a look
   * @throws what the look threw
   */
  look(name: string, key: K): Promise<V> {
    const joined = this.#waiting.get(name) ?? { key, seen: Promise.withResolvers<V>() }
    this.#waiting.set(name, joined)
    if (!this.#running) void this.#run()
    return joined.seen.promise
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.size > 0) {
      await this.#gather()
      const group = [...this.#waiting.values()]
      this.#waiting = new Map()
      await this.#lookAt(group)
    }
    this.#running = false
  }

  async #lookAt(group: readonly WaitingLook<K, V>[]): Promise<void> {
    try {
      const values = await this.#look(group.map(({ key }) => key))
      for (const [index, { seen }] of group.entries()) {
        const value = values[index]
        if (value === undefined) seen.reject(new Error('a look has no value for a key'))
        else seen.resolve(value)
      }
    } catch (thrown) {
      for (const { seen } of group) seen.reject(thrown)
    }
  }
}
