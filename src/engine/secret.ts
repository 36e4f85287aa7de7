import { inspect } from 'node:util'

const shown = '[secret]'

/** A value that cannot be printed: text, JSON and inspection show `[secret]`. Only the engine's auth and the vault reveal it. */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  /** The value itself. Call it where the secret is used, and keep no copy. */
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
