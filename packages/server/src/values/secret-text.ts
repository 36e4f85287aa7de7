/** Makes random secrets, and the digests that are stored in place of secrets and of other texts. */
import { createHash } from 'node:crypto'

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
