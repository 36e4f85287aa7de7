/** Request ids of writes in memory: what the library has in the place of the platform's table. */

import { fail } from '../errors.ts'
import { clocks } from './clocks.ts'
import type { Hold, WriteClaims } from './connection.ts'
import { validationFailed } from './credentials.ts'

/** How long a request id stands for its write after it was claimed last, in milliseconds: 7 days. */
export const claimLifeMs = 7 * 24 * 60 * 60 * 1_000
/** Request ids that are remembered; the oldest is forgotten first. */
const rememberedClaims = 10_000

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const printable = /^[\x20-\x7e]{1,255}$/

/**
 * A request id as it is compared: UUIDs are the same in capitals (RFC 9562 section 4).
 * @throws FerruleError `validation_failed` unless it has 1 to 255 printable ASCII characters
 */
export function claimKey(requestId: string): string {
  const message = 'must have 1 to 255 printable ASCII characters'
  if (!printable.test(requestId)) throw validationFailed([{ field: '/params/requestId', message, error_code: 'pattern' }])
  return uuid.test(requestId) ? requestId.toLowerCase() : requestId
}

/** A request id with its write and the call that holds it. */
interface Kept extends Hold {
  readonly fingerprint: string
  readonly since: number
}

/**
 * Claims that live as long as the process, 10,000 at most.
 * @param clock milliseconds since 1970
 */
export function memoryClaims(clock: () => number = clocks.steady): WriteClaims {
  const claims = new Map<string, Kept>()
  const keep = (key: string, kept: Kept): void => {
    claims.delete(key)
    claims.set(key, kept)
    if (claims.size > rememberedClaims) claims.delete(claims.keys().next().value ?? '') // a Map keeps insertion order: the oldest
  }
  return {
    claim: async (requestId, fingerprint, hold) => {
      const key = claimKey(requestId)
      const now = clock()
      const kept = claims.get(key)
      const known = kept !== undefined && kept.since > now - claimLifeMs ? kept : undefined
      if (known !== undefined && known.fingerprint !== fingerprint) throw fail('request_id_conflict', { request_id: requestId })
      const isOther = known !== undefined && known.owner !== hold.owner
      if (isOther && known.until > now) return { repeated: true, busyUntil: known.until }
      keep(key, { ...hold, fingerprint, since: now })
      return { repeated: isOther }
    },
    settle: async (requestId, hold) => {
      const key = claimKey(requestId)
      const kept = claims.get(key)
      if (kept?.owner === hold.owner) claims.set(key, { ...kept, until: hold.until })
    },
  }
}
