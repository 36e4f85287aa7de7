/** Makes the secrets of links, sessions, attempts and `state`, and the digests that are stored of them. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** What a secret is for: the same text has another digest for each. */
export type SecretUse = 'link' | 'session' | 'state' | 'attempt'

/** Computes what is stored. No salt is needed: a secret has 256 random bits, so nobody can try them all. */
export const digestSecret = (use: SecretUse, secret: string): string =>
  createHash('sha256')
    .update(JSON.stringify(['connect', use, secret]))
    .digest('base64url')

/** Creates a secret with the digest that is stored. */
export function newSecret(use: SecretUse, randomBytes: (size: number) => Buffer): { readonly secret: string; readonly digest: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, digest: digestSecret(use, secret) }
}

/** Returns whether a secret has the stored digest. */
export function isSecret(use: SecretUse, secret: string | undefined, digest: string): boolean {
  if (secret === undefined) return false
  const [given, stored] = [Buffer.from(digestSecret(use, secret)), Buffer.from(digest)]
  return given.length === stored.length && timingSafeEqual(given, stored)
}
