const shown = '[secret]'
/** The method that Node prints values by. Its registered name needs no import of Node, which projects for browsers have no types of. */
const inspectMethod: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/**
 * A value that prints as `[secret]` in strings, JSON and inspection. `MAY_REVEAL` in test/support/house-rules.ts lists the files that may
 * reveal it.
 */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** Returns the value itself. Call it where the secret is used, and keep no copy. */
  reveal(): T {
    return this.#value
  }

  toString(): string {
    return shown
  }

  toJSON(): string {
    return shown
  }

  [inspectMethod](): string {
    return shown
  }
}
