/** Client secrets: how they are stored, and how a claim is checked. Reasons: docs/decisions/platform-state.md */
import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from 'ferrule/internal'
import { digestParts, digestText } from '../../values/ids.ts'

const saltBytes = 16
/** Every refusal takes this long, in milliseconds, whether the client exists or not. */
const refusalMs = 250
const mostRefusals = 1_000

/** Hashes a secret for storage: `sha256:salt:digest`, in base64url. */
export function hashSecret(secret: string, randomBytes: (size: number) => Buffer): string {
  const salt = randomBytes(saltBytes).toString('base64url')
  return `sha256:${salt}:${digestParts(salt, secret)}`
}

/** Returns whether a secret matches a stored hash. */
export function isSecret(secret: string, stored: string): boolean {
  const [, salt, expected = ''] = stored.split(':')
  return timingSafeEqual(Buffer.from(digestParts(salt, secret)), Buffer.from(expected))
}

/**
 * Returns the mark of a stored hash: every replacement of a secret changes it, because each hash has a salt of its own. A mark reveals
 * nothing about the secret.
 */
export const markSecret = (stored: string): string => digestText(stored).slice(0, 16)

/**
 * Builds the check of one process.
 * @throws FerruleError `invalid_client` after a pause; `overloaded` when very many are refused
 */
export function createSecretCheck(pause: (milliseconds: number) => Promise<unknown> = sleep) {
  let refusals = 0
  /** @param stored hash of the client's secret; undefined for an unknown client */
  return async (secret: string, stored: string | undefined): Promise<void> => {
    if (stored !== undefined && isSecret(secret, stored)) return
    if (refusals >= mostRefusals) throw fail('overloaded', { reason: 'too many clients are refused' }, { retryAfterMs: 1_000 })
    refusals += 1
    await pause(refusalMs).finally(() => {
      refusals -= 1
    })
    throw fail('invalid_client', {})
  }
}
