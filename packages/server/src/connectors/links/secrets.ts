/** Makes the secrets of links, sessions, attempts and `state`, and the digests that are stored of them. */
import { timingSafeEqual } from 'node:crypto'
import { digestParts, newSecret } from '../../values/secret-text.ts'

/** What a secret is for: the same text has another digest for each. */
export type SecretUse = 'link' | 'session' | 'state' | 'attempt'

/** Computes what is stored. */
export const digestSecret = (use: SecretUse, secret: string): string => digestParts('connect', use, secret)

/** Creates a secret with the digest that is stored. */
export function newDigestedSecret(
  use: SecretUse,
  randomBytes: (size: number) => Buffer,
): { readonly secret: string; readonly digest: string } {
  const secret = newSecret(randomBytes)
  return { secret, digest: digestSecret(use, secret) }
}

/** Returns whether a secret has the stored digest. */
export function isSecret(use: SecretUse, secret: string | undefined, digest: string): boolean {
  if (secret === undefined) return false
  const [given, stored] = [Buffer.from(digestSecret(use, secret)), Buffer.from(digest)]
  return given.length === stored.length && timingSafeEqual(given, stored)
}
