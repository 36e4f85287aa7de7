import { inspect } from 'node:util'

const shown = '[secret]'

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

  [inspect.custom](): string {
    return shown
  }
}
