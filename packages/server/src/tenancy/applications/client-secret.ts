/** Hashes client secrets with scrypt (RFC 7914) and compares them in constant time. */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { digestText } from '../../values/secret-text.ts'

const cost = { N: 16_384, r: 8, p: 1 } as const
const hashBytes = 32
const saltBytes = 16

const hash = (secret: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(secret, salt, hashBytes, options, (error, key) => (error === null ? resolve(key) : reject(error))),
  )

/** Hashes a secret for storage: `scrypt:N:r:p:salt:hash`, with salt and hash in base64url. */
export async function hashSecret(secret: string, randomBytes: (size: number) => Buffer): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await hash(secret, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join(':')
}

/** Returns whether a secret matches a stored hash. Takes about 40 ms of a thread and 16 MB, whatever the outcome. */
export async function isSecret(secret: string, stored: string): Promise<boolean> {
  const [, n, r, p, salt, expected] = stored.split(':')
  const key = await hash(secret, Buffer.from(salt ?? '', 'base64url'), { N: Number(n), r: Number(r), p: Number(p) })
  return timingSafeEqual(key, Buffer.from(expected ?? '', 'base64url'))
}

/**
 * Returns the mark of a stored hash: every replacement of a secret changes it, because each hash has a salt of its own. A mark reveals
 * nothing about the secret.
 */
export const markSecret = (stored: string): string => digestText(stored).slice(0, 16)
