/** Makes random secrets, the digests that are stored in place of secrets and of other texts, and the JSON that digests are made of. */
import { createHash } from 'node:crypto'
import { isObject } from 'ferrule/internal'

/**
 * Returns JSON with object keys in the order of their UTF-16 code units, as in RFC 8785. Integers keep all digits where that standard
 * rounds. Undefined members are omitted.
 * @param value output of the JSON reader, nested at most as deep as a request body
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  return `{${names
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
    .join()}}`
}

/** Form of a secret that `newSecret` makes. */
const secretForm = /^[\w-]{43}$/

/** Creates a secret of 256 random bits, base64url. */
export const newSecret = (randomBytes: (size: number) => Buffer): string => randomBytes(32).toString('base64url')

/** Returns whether a text could be a secret that `newSecret` made: another one is not looked up. */
export const hasSecretForm = (text: string): boolean => secretForm.test(text)

/** Returns the SHA-256 digest of a text, base64url. Random secrets need no salt: nobody can try them all. */
export const digestText = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Returns the SHA-256 digest of values, base64url. They are written as a JSON array, so that no two lists of values become one text. */
export const digestParts = (...parts: readonly unknown[]): string => digestText(JSON.stringify(parts))
