/** Request ids of writes in memory: what the library has in the place of the platform's table. */
import { fail } from '../errors.ts'
import type { WriteClaims } from './connection.ts'

/** How long a request id stands for its write, in milliseconds: 7 days. */
export const claimLifeMs = 7 * 24 * 60 * 60 * 1_000
/** Request ids that are remembered; the oldest is forgotten first. */
const rememberedClaims = 10_000

/** A request id as it is compared: UUIDs are the same in capitals (RFC 9562 section 4). */
export const claimKey = (requestId: string): string => (uuid.test(requestId) ? requestId.toLowerCase() : requestId)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Claims that live as long as the process, 10,000 at most.
 * @param clock milliseconds since 1970
 */
export function memoryClaims(clock: () => number = Date.now): WriteClaims {
  const claims = new Map<string, { readonly fingerprint: string; readonly since: number }>()
  return {
    claim: async (requestId, fingerprint) => {
      const key = claimKey(requestId)
      const now = clock()
      const known = claims.get(key)
      if (known !== undefined && known.since > now - claimLifeMs) {
        if (known.fingerprint !== fingerprint) throw fail('request_id_conflict', { request_id: requestId })
        return { repeated: true }
      }
      claims.delete(key)
      claims.set(key, { fingerprint, since: now })
      if (claims.size > rememberedClaims) claims.delete(claims.keys().next().value ?? '') // a Map keeps insertion order: the oldest
      return { repeated: false }
    },
  }
}
