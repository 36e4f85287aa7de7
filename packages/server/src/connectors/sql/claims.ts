/** Queries vendor request ids and their writes. */
import type { Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { RequestClaimTable } from '../../db/schema/outcome-schema.ts'

/** A request id with its write. */
export type ClaimRow = Selectable<RequestClaimTable>

const idColumns = ['organization_id', 'connector_id', 'request_id'] as const

/** Inserts a claim unless the id is taken. @returns whether it was inserted */
export async function insertClaim(db: Db, row: ClaimRow): Promise<boolean> {
  const done = await db
    .insertInto('request_claims')
    .values(row)
    .onConflict((conflict) => conflict.columns(idColumns).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Finds the claim of an id. */
export const findClaim = (db: Db, { organization_id, connector_id, request_id }: Pick<ClaimRow, (typeof idColumns)[number]>) =>
  db
    .selectFrom('request_claims')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('connector_id', '=', connector_id)
    .where('request_id', '=', request_id)
    .executeTakeFirst()

/** Replaces a claim unless it changed since `seen` was read. @returns whether it was replaced */
export async function claimAgain(db: Db, seen: ClaimRow, { fingerprint, claimed_at, owner, busy_until }: ClaimRow): Promise<boolean> {
  const done = await db
    .updateTable('request_claims')
    .set({ fingerprint, claimed_at, owner, busy_until })
    .where('organization_id', '=', seen.organization_id)
    .where('connector_id', '=', seen.connector_id)
    .where('request_id', '=', seen.request_id)
    .where('fingerprint', '=', seen.fingerprint)
    .where('claimed_at', '=', seen.claimed_at)
    .where('owner', '=', seen.owner)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Sets the end of an owner's hold; does nothing when another call owns the id. */
export async function setBusy(db: Db, row: Pick<ClaimRow, (typeof idColumns)[number] | 'owner' | 'busy_until'>): Promise<void> {
  await db
    .updateTable('request_claims')
    .set({ busy_until: row.busy_until })
    .where('organization_id', '=', row.organization_id)
    .where('connector_id', '=', row.connector_id)
    .where('request_id', '=', row.request_id)
    .where('owner', '=', row.owner)
    .execute()
}

/** Deletes claims of at or before a timestamp. @returns the number */
export async function deleteOldClaims(db: Db, moment: number, limit: number): Promise<number> {
  const done = await db
    .deleteFrom('request_claims')
    .where('claimed_at', '<=', moment)
    .where(({ eb, refTuple, selectFrom }) => {
      const old = selectFrom('request_claims as old').select(['old.organization_id', 'old.connector_id', 'old.request_id'])
      const oldest = old.where('old.claimed_at', '<=', moment).orderBy('old.claimed_at').limit(limit)
      return eb(refTuple(...idColumns), 'in', oldest.$asTuple('organization_id', 'connector_id', 'request_id'))
    })
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}
