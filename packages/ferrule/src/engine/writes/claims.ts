/** Claims of request ids for writes. The library keeps them in memory, the platform in a table. */
import { fail, failValidation } from '../../errors.ts'
import { BoundedMap } from '../../values/bounded-map.ts'
import { uuid } from '../../values/texts.ts'
import { clocks } from '../http/deadline.ts'

/** The hold of one call on a request id. */
export interface Hold {
  /** Identifies the call; different for each call. */
  readonly owner: string
  /** After this time nothing of the call can run at the vendor, even if this process dies. Whole milliseconds since 1970. */
  readonly until: number
  /** True: no other call gets the id after the hold. Claims of others renew the binding only. */
  readonly isOnly?: true
}

/** What is known of a request id. */
export interface Claim {
  /**
   * True if another call claimed the id before, for the same write. A submission may have reached the vendor, so this one is sent as a
   * repetition (Snowflake: `retry=true`).
   */
  readonly repeated: boolean
  /** Another call holds the id until this time (milliseconds since 1970), so nothing may be sent. */
  readonly busyUntil?: number
}

/** Maps each vendor request id to its write, and to the call that may send it. */
export interface WriteClaims {
  /**
   * Binds a request id durably to one write of the connector, and holds it for one call. Call it before anything is sent. The binding lasts
   * 7 days after the last claim. The same write can claim its id again after the other call's hold; the owner renews its hold with another
   * claim.
   * @param requestId the vendor's id of the write; a UUID's case does not matter
   * @param fingerprint a hash of everything that changes the write, such as statement and context
   * @param hold the owner and the end of the hold
   * @throws FerruleError `request_id_conflict` if another write has the id; `unavailable`
   */
  claim(requestId: string, fingerprint: string, hold: Hold): Promise<Claim>
  /**
   * Ends the hold of a call at another time, at once for a past time. Does nothing if another call holds the id.
   * @throws FerruleError `unavailable`
   */
  settle(requestId: string, hold: Hold): Promise<void>
}

/** Lifetime of a claim after its last renewal, in milliseconds: 7 days. */
export const claimLifeMs = 7 * 24 * 60 * 60 * 1_000
/** Maximum number of remembered request ids. */
const rememberedClaims = 10_000

const printable = /^[\x20-\x7e]{1,255}$/

/**
 * Normalises a request id for comparison: UUIDs ignore case (RFC 9562 section 4).
 * @throws FerruleError `validation_failed` unless it has 1 to 255 printable ASCII characters
 */
export function normaliseRequestId(requestId: string): string {
  const message = 'must have 1 to 255 printable ASCII characters'
  if (!printable.test(requestId)) throw failValidation([{ field: '/params/requestId', message, error_code: 'pattern' }])
  return uuid.test(requestId) ? requestId.toLowerCase() : requestId
}

/** A request id with its write and the call that holds it. */
interface Kept extends Hold {
  readonly fingerprint: string
  readonly since: number
}

/** Makes claims that live as long as the process, 10,000 at most. */
export function createMemoryClaims(clock: () => number = clocks.steady): WriteClaims {
  const claims = new BoundedMap<string, Kept>(rememberedClaims)
  return {
    claim: async (requestId, fingerprint, hold) => {
      const key = normaliseRequestId(requestId)
      const now = clock()
      const kept = claims.get(key)
      const known = kept !== undefined && kept.since > now - claimLifeMs ? kept : undefined
      if (known !== undefined && known.fingerprint !== fingerprint) throw fail('request_id_conflict', { request_id: requestId })
      const isOther = known !== undefined && known.owner !== hold.owner
      if (isOther && known.until > now) return { repeated: true, busyUntil: known.until }
      claims.set(key, { ...(isOther && hold.isOnly ? known : hold), fingerprint, since: now })
      return { repeated: isOther }
    },
    settle: async (requestId, hold) => {
      const key = normaliseRequestId(requestId)
      const kept = claims.get(key)
      if (kept?.owner === hold.owner) claims.set(key, { ...kept, until: hold.until })
    },
  }
}
