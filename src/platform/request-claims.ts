/** Which write each vendor request id stands for, over all nodes: the platform's side of `Connection.writes`. */
import { createHash } from 'node:crypto'
import { claimKey, claimLifeMs } from '../engine/claims.ts'
import type { Claim, Hold, WriteClaims } from '../engine/connection.ts'
import { fail } from '../errors.ts'
import type { Db } from './db/database.ts'
import { type ClaimRow, claimAgain, findClaim, insertClaim, setBusy } from './db/queries-claims.ts'
import type { Parts } from './parts.ts'
import type { ConnectorPlace } from './types.ts'

/** What claims need. */
type ClaimParts = Pick<Parts, 'database' | 'source'>

/** Looks at a row that others change at the same time. */
const looks = 5

/** A digest that cannot be compared between tenants: the place of the connector is part of it. */
export const digestOf = ({ organizationId, connectorId }: ConnectorPlace, ...parts: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([organizationId, connectorId, ...parts]))
    .digest('base64url')

/** Where a claim is made. */
interface At {
  readonly parts: ClaimParts
  readonly place: ConnectorPlace
}

const idOf = ({ place }: At, requestId: string) => ({
  organization_id: place.organizationId,
  connector_id: place.connectorId,
  request_id: claimKey(requestId),
})

/** Binds a request id to a write; inside a transaction as part of it. @throws FerruleError `request_id_conflict`, `validation_failed` */
export async function claimIn(
  db: Db,
  at: At,
  { requestId, fingerprint, hold }: { readonly requestId: string; readonly fingerprint: string; readonly hold: Hold },
): Promise<Claim> {
  const row: ClaimRow = {
    ...idOf(at, requestId),
    fingerprint: digestOf(at.place, 'write', fingerprint),
    claimed_at: at.parts.source.clock(),
    owner: hold.owner,
    busy_until: hold.until,
  }
  for (let look = 0; look < looks; look += 1) {
    if (await insertClaim(db, row)) return { repeated: false }
    const seen = await findClaim(db, row)
    if (seen === undefined) continue
    const lives = seen.claimed_at > row.claimed_at - claimLifeMs
    if (lives && seen.fingerprint !== row.fingerprint) throw fail('request_id_conflict', { request_id: requestId })
    const isOther = lives && seen.owner !== row.owner
    if (isOther && seen.busy_until > row.claimed_at) return { repeated: true, busyUntil: seen.busy_until }
    if (await claimAgain(db, seen, row)) return { repeated: isOther }
  }
  throw fail('overloaded', { reason: 'the request id is claimed by several calls' }, { retryAfterMs: 1_000 })
}

/** The claims of a connector. */
export const claimsOf = (parts: ClaimParts, place: ConnectorPlace): WriteClaims => ({
  claim: (requestId, fingerprint, hold) => claimIn(parts.database.db, { parts, place }, { requestId, fingerprint, hold }),
  settle: (requestId, { owner, until }) => setBusy(parts.database.db, { ...idOf({ parts, place }, requestId), owner, busy_until: until }),
})
