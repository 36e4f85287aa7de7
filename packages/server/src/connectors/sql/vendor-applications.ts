/** Queries the operator's OAuth clients at vendors. */
import type { Selectable } from 'kysely'
import { type Db, lockForUpdate, lockKeyShare } from '../../db/database.ts'
import type { VendorApplicationTable } from '../../db/schema/schema.ts'

/** An OAuth client at a vendor. */
export type VendorApplicationRow = Selectable<VendorApplicationTable>

/** The application of a kind in an organization. */
export interface VendorApplicationRef {
  readonly organizationId: string
  readonly kind: string
}

const own = (db: Db, { organizationId, kind }: VendorApplicationRef) =>
  db.selectFrom('vendor_applications').selectAll().where('organization_id', '=', organizationId).where('kind', '=', kind)

/** Stores an application; a second one of the same kind replaces the first, and keeps its id. */
export const saveVendorApplication = async (db: Db, row: VendorApplicationRow): Promise<void> => {
  const { fields, hosts, sealed, master_key_id, updated_at } = row
  await db
    .insertInto('vendor_applications')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'kind']).doUpdateSet({ fields, hosts, sealed, master_key_id, updated_at }),
    )
    .execute()
}

/** Lists the applications of an organization with the number of their connectors. */
export const listVendorApplications = (db: Db, organizationId: string) =>
  db
    .selectFrom('vendor_applications')
    .selectAll('vendor_applications')
    .select((eb) =>
      eb
        .selectFrom('connectors')
        .select(({ fn }) => fn.countAll().as('count'))
        .whereRef('connectors.vendor_application_id', '=', 'vendor_applications.id')
        .where('connectors.organization_id', '=', organizationId)
        .as('connectors'),
    )
    .where('organization_id', '=', organizationId)
    .orderBy('kind')
    .execute()

/** Finds the application of a kind. */
export const findVendorApplication = (db: Db, ref: VendorApplicationRef): Promise<VendorApplicationRow | undefined> =>
  own(db, ref).executeTakeFirst()

/** Finds an application by its id. */
export const findApplicationById = (db: Db, organizationId: string, id: string): Promise<VendorApplicationRow | undefined> =>
  db.selectFrom('vendor_applications').selectAll().where('organization_id', '=', organizationId).where('id', '=', id).executeTakeFirst()

/** Finds an application by its id, and prevents its deletion until the transaction ends. */
export const keepVendorApplication = (db: Db, organizationId: string, id: string): Promise<VendorApplicationRow | undefined> =>
  lockKeyShare(
    db,
    db.selectFrom('vendor_applications').selectAll().where('organization_id', '=', organizationId).where('id', '=', id),
  ).executeTakeFirst()

/** Finds the application of a kind, and locks it until the transaction ends. */
export const holdVendorApplication = (db: Db, ref: VendorApplicationRef): Promise<VendorApplicationRow | undefined> =>
  lockForUpdate(db, own(db, ref), 'vendor_applications').executeTakeFirst()

/** Deletes an application with its secret. Its connectors stay, without it. Call it in a transaction. */
export const deleteVendorApplication = async (db: Db, { organization_id, id }: VendorApplicationRow): Promise<void> => {
  const ending = db.deleteFrom('consent_revocations').where('organization_id', '=', organization_id)
  await ending.where('vendor_application_id', '=', id).execute()
  await db.deleteFrom('vendor_applications').where('organization_id', '=', organization_id).where('id', '=', id).execute()
}

/** Counts the connectors of an application. */
export async function countConnectorsOf(db: Db, { organization_id, id }: VendorApplicationRow): Promise<number> {
  const rows = db.selectFrom('connectors').select(({ fn }) => fn.countAll().as('count'))
  const own = rows.where('organization_id', '=', organization_id).where('vendor_application_id', '=', id)
  return Number((await own.executeTakeFirst())?.count ?? 0)
}

/** Lists applications that the master key `current` does not encrypt, of all organizations: for a rotation. */
export const listApplicationsNotSealedBy = (db: Db, current: string, limit: number): Promise<VendorApplicationRow[]> =>
  db.selectFrom('vendor_applications').selectAll().where('master_key_id', '<>', current).orderBy('id').limit(limit).execute()

/** Replaces the encryption of an application unless it changed. @returns whether it was replaced */
export async function resealApplication(
  db: Db,
  row: VendorApplicationRow,
  next: { readonly masterKeyId: string; readonly sealed: Uint8Array },
): Promise<boolean> {
  const done = await db
    .updateTable('vendor_applications')
    .set({ master_key_id: next.masterKeyId, sealed: next.sealed })
    .where('id', '=', row.id)
    .where('master_key_id', '=', row.master_key_id)
    .where('updated_at', '=', row.updated_at)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}
