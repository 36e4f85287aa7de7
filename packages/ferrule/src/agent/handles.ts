/** Handles of `read_more`: ids of positions that are kept. A model writes each character of a handle again, so it is short. */
import { isObject } from '../definition/object.ts'
import { fail } from '../errors.ts'
import { readJson, writeJson } from '../values/json/json.ts'
import type { KeptStore } from './kept.ts'

/** How long positions and answers are kept, in milliseconds. */
export const keptMs = 10 * 60_000
/** Random bytes of an id: nobody can guess it. */
const idBytes = 16
const idForm = /^[\w-]{22}$/
/** Most tokens of a handle: each of its characters can be one. */
export const handleTokens = 22

/** For whom handles are made, and where what they continue is kept. */
export interface HandleOptions {
  /** Who calls: a handle of another subject is refused. */
  readonly subject: string
  readonly kept: KeptStore
  readonly now: () => number
}

const makeId = (): string =>
  btoa(Array.from(crypto.getRandomValues(new Uint8Array(idBytes)), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** What to do without the handle. A model that follows it never sends a write twice. */
const hint = 'Run the call again that this handle came from. If it was a write, do not: read what it changed.'
/** Refuses a handle. */
export const failHandle = (reason: string): Error => fail('invalid_cursor', { reason }, { hint })

/** Keeps positions and reads them back. */
export class Handles {
  readonly #options: HandleOptions

  constructor(options: HandleOptions) {
    this.#options = options
  }

  /** Makes the handle of a position. @param position a value of JSON @returns undefined if the position is too large, or the store fails */
  write(position: unknown): Promise<string | undefined> {
    const { subject, now } = this.#options
    return this.keep({ s: subject, u: now() + keptMs, p: position })
  }

  /**
   * Reads a handle.
   * @returns the position
   * @throws FerruleError `invalid_cursor` for a handle that is damaged, expired, or another subject's
   */
  async read(handle: string): Promise<unknown> {
    const id = handle.trim()
    if (!idForm.test(id)) throw failHandle('the handle is damaged; copy it unchanged')
    const found = await this.readKept(id)
    const { s, u, p } = isObject(found) ? found : {}
    if (s !== this.#options.subject) throw failHandle('the handle is damaged, or another caller got it; copy it unchanged')
    if (typeof u !== 'number' || u <= this.#options.now()) throw failHandle('the handle has expired')
    return p
  }

  /** Reads what is kept under an id of a position. @throws FerruleError `invalid_cursor` when it is no longer kept */
  async readKept(id: string): Promise<unknown> {
    const text = await this.#options.kept.get(id)
    if (text === undefined) throw failHandle('what it continues is kept for 10 minutes, and is no longer there; or the handle is damaged')
    return readJson(text)
  }

  /**
   * Keeps a value for 10 minutes. A store that fails must not fail the answer: the model would send a write again that was carried out.
   * @returns its id; undefined if it is too large, or the store fails
   */
  async keep(value: unknown): Promise<string | undefined> {
    const { kept, now } = this.#options
    const id = makeId()
    try {
      return (await kept.put(id, writeJson(value), now() + keptMs)) ? id : undefined
    } catch {
      return undefined
    }
  }
}
