/** Queries vendor request ids and their writes. */
import type { ExpressionBuilder, Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import { deleteEnded } from '../../db/delete-ended.ts'
import type { RequestClaimTable, Tables } from '../../db/schema/schema.ts'

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

type ClaimId = Pick<ClaimRow, (typeof idColumns)[number]>

const isClaim =
  ({ organization_id, connector_id, request_id }: ClaimId) =>
  ({ and }: ExpressionBuilder<Tables, 'request_claims'>) =>
    and({ organization_id, connector_id, request_id })

/** Finds the claim of an id. */
export const findClaim = (db: Db, id: ClaimId) => db.selectFrom('request_claims').selectAll().where(isClaim(id)).executeTakeFirst()

/** Replaces a claim unless it changed since `seen` was read. @returns whether it was replaced */
export async function claimAgain(db: Db, seen: ClaimRow, { fingerprint, claimed_at, owner, busy_until }: ClaimRow): Promise<boolean> {
  const done = await db
    .updateTable('request_claims')
    .set({ fingerprint, claimed_at, owner, busy_until })
    .where(isClaim(seen))
    .where('fingerprint', '=', seen.fingerprint)
    .where('claimed_at', '=', seen.claimed_at)
    .where('owner', '=', seen.owner)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Sets the end of an owner's hold; does nothing when another call owns the id. */
export async function setBusy(db: Db, row: ClaimId & Pick<ClaimRow, 'owner' | 'busy_until'>): Promise<void> {
  const own = db.updateTable('request_claims').where(isClaim(row)).where('owner', '=', row.owner)
  await own.set({ busy_until: row.busy_until }).execute()
}

/** Deletes claims of at or before a timestamp. @returns the number */
export const deleteOldClaims = (db: Db, before: number): Promise<number> =>
  deleteEnded(db, { table: 'request_claims', key: idColumns, end: 'claimed_at' }, before)
