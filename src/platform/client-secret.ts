/** Client secrets: hashed with scrypt (RFC 7914), compared in constant time. */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { fail } from '../errors.ts'

const cost = { N: 16_384, r: 8, p: 1 } as const
const hashBytes = 32
const saltBytes = 16
/** Hashes that may wait; one takes about 40 ms and 16 MB. */
const waiting = 64

let running = 0

/** @throws FerruleError `overloaded` when too many wait already */
async function hash(secret: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  if (running >= waiting) throw fail('overloaded', { reason: 'too many clients ask for tokens' }, { retryAfterMs: 1_000 })
  running += 1
  try {
    return await new Promise((resolve, reject) =>
      scrypt(secret, salt, hashBytes, options, (error, key) => (error === null ? resolve(key) : reject(error))),
    )
  } finally {
    running -= 1
  }
}

/** What is stored of a secret: `scrypt:N:r:p:salt:hash`, salt and hash in base64url. */
export async function hashSecret(secret: string, randomBytes: (size: number) => Buffer): Promise<string> {
  const salt = randomBytes(saltBytes)
  const key = await hash(secret, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), key.toString('base64url')].join(':')
}

/** Stands in for the hash of a client that does not exist, so that the answer takes the same time. No secret has it. */
const nobody = [
  'scrypt',
  cost.N,
  cost.r,
  cost.p,
  Buffer.alloc(saltBytes).toString('base64url'),
  Buffer.alloc(hashBytes).toString('base64url'),
].join(':')

/** Whether a secret is the one that was hashed. `stored` is undefined for an unknown client. */
export async function isSecret(secret: string, stored: string | undefined): Promise<boolean> {
  const [, n, r, p, salt, expected] = (stored ?? nobody).split(':')
  const key = await hash(secret, Buffer.from(salt ?? '', 'base64url'), { N: Number(n), r: Number(r), p: Number(p) })
  const equal = timingSafeEqual(key, Buffer.from(expected ?? '', 'base64url'))
  return equal && stored !== undefined
}

/** A new secret of 256 random bits. */
export const newSecret = (randomBytes: (size: number) => Buffer): string => randomBytes(32).toString('base64url')
