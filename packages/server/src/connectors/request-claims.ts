/** Binds each vendor request id to one write, across all nodes; implements `Connection.writes`. */
import type { Claim, Hold, WriteClaims } from 'ferrule/engine'
import { claimLifeMs } from 'ferrule/engine'
import { fail, normaliseRequestId } from 'ferrule/internal'
import type { Db } from '../db/database.ts'
import type { Stored } from '../main/parts.ts'
import type { ConnectorRef } from '../values/access.ts'
import { digestParts } from '../values/ids.ts'
import { type ClaimRow, claimAgain, findClaim, insertClaim, setBusy } from './sql/claims.ts'

type ClaimParts = Stored

/** Maximum reads of a row that other calls change at the same time. */
const looks = 5

/** Returns a digest that includes the connector's ids, so that tenants cannot be compared. */
export const digestForConnector = ({ organizationId, connectorId }: ConnectorRef, ...parts: readonly string[]): string =>
  digestParts(organizationId, connectorId, ...parts)

interface At {
  readonly parts: ClaimParts
  readonly ref: ConnectorRef
}

const toClaimId = ({ ref }: At, requestId: string) => ({
  organization_id: ref.organizationId,
  connector_id: ref.connectorId,
  request_id: normaliseRequestId(requestId),
})

/**
 * Binds a request id to a write, inside a transaction if `db` is one.
 * @throws FerruleError `request_id_conflict`, `validation_failed`, `overloaded`
 */
export async function claimRequest(
  db: Db,
  at: At,
  { requestId, fingerprint, hold }: { readonly requestId: string; readonly fingerprint: string; readonly hold: Hold },
): Promise<Claim> {
  const row: ClaimRow = {
    ...toClaimId(at, requestId),
    fingerprint: digestForConnector(at.ref, 'write', fingerprint),
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
    const { owner, busy_until } = isOther && hold.isOnly ? seen : row
    if (await claimAgain(db, seen, { ...row, owner, busy_until })) return { repeated: isOther }
  }
  throw fail('overloaded', { reason: 'the request id is claimed by several calls' }, { retryAfterMs: 1_000 })
}

/** Builds the claims of a connector. */
export const createWriteClaims = (parts: ClaimParts, ref: ConnectorRef): WriteClaims => ({
  claim: (requestId, fingerprint, hold) => claimRequest(parts.database.db, { parts, ref }, { requestId, fingerprint, hold }),
  settle: (requestId, { owner, until }) =>
    setBusy(parts.database.db, { ...toClaimId({ parts, ref }, requestId), owner, busy_until: until }),
})
