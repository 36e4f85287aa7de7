/** Handles of `read_more`: a position, signed. The model carries them, so nothing is trusted but the signature. */
import { fail } from '../errors.ts'
import { readJson, writeJson } from '../json/json.ts'
import type { KeptStore } from './kept.ts'

/** How long positions can be read on from, in milliseconds. */
const positionMs = 60 * 60_000
/** How long kept texts are kept, in milliseconds. */
export const keptMs = 10 * 60_000
/** Bytes of a signature: half of HMAC-SHA-256, which RFC 2104 allows. */
const signatureBytes = 16

/** Who signs, and for whom. */
export interface HandleOptions {
  /** The key of signatures. */
  readonly key: Uint8Array
  /** Who calls: a handle of another subject is refused. */
  readonly subject: string
  /** Longest position that stands in its handle, in bytes; longer ones are kept, because the model writes each handle again. */
  readonly longestInline: number
  readonly kept: KeptStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Characters of an id that `makeId` makes. */
export const idLength = 22
/** Characters by which positions of the same rows can differ: the place, and an id of columns. */
const placeLength = 48
/** Characters of a handle's content beside the position: names, signs, and the time. */
const frameLength = 30
/** Characters of a signature, with its point and what rounding adds. */
const signatureLength = 26

const countBytes = (text: string): number => new TextEncoder().encode(text).length
const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** What to do without the handle. A model that follows it never sends a write twice. */
const hint = 'Run the call again that this handle came from. If it was a write, do not: read what it changed.'
/** Refuses a handle. */
export const failHandle = (reason: string): Error => fail('invalid_cursor', { reason }, { hint })

/** Signs positions and reads them back. */
export class Handles {
  readonly #options: HandleOptions
  #key: ReturnType<typeof crypto.subtle.importKey> | undefined

  constructor(options: HandleOptions) {
    this.#options = options
  }

  /** Makes the handle of a position. @param position a value of JSON @returns undefined if the position is too large for both ways, or the store fails */
  async write(position: unknown): Promise<string | undefined> {
    const { now, longestInline } = this.#options
    const json = writeJson(position)
    if (countBytes(json) <= longestInline) return this.#seal({ p: position, u: toSeconds(now() + positionMs) })
    const id = await this.#put(json)
    return id === undefined ? undefined : this.#seal({ k: id, u: toSeconds(now() + keptMs) })
  }

  /** Returns the most tokens that handles of a position take, and of the places before it: each of their characters can be one. */
  measure(position: unknown): number {
    const { longestInline } = this.#options
    const length = countBytes(writeJson(position))
    // The position that is written can be shorter, and stand in its handle where this one would not.
    const content = length > longestInline + placeLength ? idLength : Math.min(length, longestInline)
    return Math.ceil(((content + frameLength) * 4) / 3) + signatureLength
  }

  /**
   * Reads a handle.
   * @returns the position
   * @throws FerruleError `invalid_cursor` for a handle that is damaged, expired, or another subject's
   */
  async read(handle: string): Promise<unknown> {
    const { p, k, u } = await this.#open(handle)
    if (typeof u !== 'number' || u * 1000 <= this.#options.now()) throw failHandle('the handle has expired')
    if (typeof k !== 'string') return p
    return this.readKept(k)
  }

  /** Makes an id that nobody can guess. */
  makeId(): string {
    return toBase64(crypto.getRandomValues(new Uint8Array(16)))
  }

  /**
   * Reads what is kept under an id of a handle.
   * @throws FerruleError `invalid_cursor` when it is no longer kept
   */
  async readKept(id: string): Promise<unknown> {
    const text = await this.#options.kept.get(id)
    if (text === undefined) throw failHandle('what it continues is kept for 10 minutes, and is no longer there')
    return readJson(text)
  }

  /** Keeps a value for 10 minutes. @returns its id; undefined if it is too large, or the store fails */
  keep(value: unknown): Promise<string | undefined> {
    return this.#put(writeJson(value))
  }

  /** Keeps a text. A store that fails must not fail the answer: the model would send a write again that was carried out. */
  async #put(text: string): Promise<string | undefined> {
    const { kept, now } = this.#options
    const id = this.makeId()
    try {
      return (await kept.put(id, text, now() + keptMs)) ? id : undefined
    } catch {
      return undefined
    }
  }

  async #seal(content: Readonly<Record<string, unknown>>): Promise<string> {
    const bytes = new TextEncoder().encode(writeJson(content))
    return `${toBase64(bytes)}.${toBase64(await this.#sign(bytes))}`
  }

  async #open(handle: string): Promise<Readonly<Record<string, unknown>>> {
    const [content = '', signature = ''] = handle.trim().split('.')
    const bytes = fromBase64(content)
    const given = fromBase64(signature)
    const isSigned = bytes !== undefined && given !== undefined && isEqual(await this.#sign(bytes), given)
    if (!isSigned) throw failHandle('the handle is damaged, or another caller got it; copy it unchanged')
    return Object.fromEntries(Object.entries(Object(readJson(new TextDecoder().decode(bytes)))))
  }

  async #sign(content: Uint8Array): Promise<Uint8Array> {
    const { key, subject } = this.#options
    this.#key ??= crypto.subtle.importKey('raw', Uint8Array.from(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    // The purpose comes first, because the key can sign other things too.
    const who = new TextEncoder().encode(`ferrule read_more handle\n${writeJson(subject)}\n`)
    const signed = new Uint8Array(who.length + content.length)
    signed.set(who)
    signed.set(content, who.length)
    return new Uint8Array(await crypto.subtle.sign('HMAC', await this.#key, signed)).subarray(0, signatureBytes)
  }
}

/** Compares in a time that does not depend on the place of a difference. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let index = 0; index < one.length; index += 1) difference |= (one[index] ?? 0) ^ (other[index] ?? 0)
  return difference === 0
}
