/** Queries kinds of organizations and their versions. */
import type { Selectable } from 'kysely'
import { type Db, lockForUpdate, lockKeyShare } from '../../db/database.ts'
import type { OwnKindTable, OwnKindVersionTable } from '../../db/schema/own-kinds-schema.ts'
import { likeOwnKinds, likeVersions, nameOwnKind, parseOwnKindName } from '../../values/ids.ts'

/** A kind. */
export type OwnKindRow = Selectable<OwnKindTable>
/** A version of a kind. */
export type OwnKindVersionRow = Selectable<OwnKindVersionTable>

/** A version as it is used: with the slug, without the text of the file. */
export type UsedVersionRow = Pick<OwnKindVersionRow, 'kind_id' | 'organization_id' | 'version' | 'summary' | 'definition'> &
  Pick<OwnKindRow, 'slug'>

const used = (db: Db, organizationId: string) =>
  db
    .selectFrom('own_kind_versions')
    .innerJoin('own_kinds', (join) =>
      join
        .onRef('own_kinds.id', '=', 'own_kind_versions.kind_id')
        .onRef('own_kinds.organization_id', '=', 'own_kind_versions.organization_id'),
    )
    .select([
      'own_kind_versions.kind_id',
      'own_kind_versions.organization_id',
      'own_kind_versions.version',
      'own_kind_versions.summary',
      'own_kind_versions.definition',
      'own_kinds.slug',
    ])
    .where('own_kind_versions.organization_id', '=', organizationId)

/** Lists the newest version of each kind of an organization. */
export const listNewestVersions = (db: Db, organizationId: string): Promise<UsedVersionRow[]> =>
  used(db, organizationId).whereRef('own_kind_versions.version', '=', 'own_kinds.newest_version').orderBy('own_kinds.slug').execute()

/** Finds a version of a kind. @param version undefined for the newest */
export const findUsedVersion = (
  db: Db,
  organizationId: string,
  { id, version }: { readonly id: string; readonly version: number | undefined },
): Promise<UsedVersionRow | undefined> => {
  const rows = used(db, organizationId).where('own_kind_versions.kind_id', '=', id)
  return version === undefined
    ? rows.whereRef('own_kind_versions.version', '=', 'own_kinds.newest_version').executeTakeFirst()
    : rows.where('own_kind_versions.version', '=', version).executeTakeFirst()
}

const bySlug = (db: Db, organizationId: string, slug: string) =>
  db.selectFrom('own_kinds').selectAll().where('organization_id', '=', organizationId).where('slug', '=', slug)

/** Finds a kind by its slug. */
export const findOwnKind = (db: Db, organizationId: string, slug: string): Promise<OwnKindRow | undefined> =>
  bySlug(db, organizationId, slug).executeTakeFirst()

/** Finds a kind of any organization, for the operator. */
export const findOwnKindById = (db: Db, id: string): Promise<OwnKindRow | undefined> =>
  db.selectFrom('own_kinds').selectAll().where('id', '=', id).executeTakeFirst()

/** Lists the kinds of all organizations with what is known of their newest versions, for the operator. */
export const listAllOwnKinds = (db: Db) =>
  db
    .selectFrom('own_kinds')
    .innerJoin('own_kind_versions', (join) =>
      join.onRef('own_kind_versions.kind_id', '=', 'own_kinds.id').onRef('own_kind_versions.version', '=', 'own_kinds.newest_version'),
    )
    .selectAll('own_kinds')
    .select('own_kind_versions.summary')
    .orderBy('own_kinds.organization_id')
    .orderBy('own_kinds.slug')
    .execute()

/** Lists the versions of a kind with the definition of one of them. */
export async function listSameVersions(db: Db, { kind_id, organization_id, definition }: OwnKindVersionRow): Promise<readonly number[]> {
  const versions = db.selectFrom('own_kind_versions').select('version').where('organization_id', '=', organization_id)
  const rows = await versions.where('kind_id', '=', kind_id).where('definition', '=', definition).execute()
  return rows.map(({ version }) => Number(version))
}

/** Finds a kind by its slug, and locks it until the transaction ends. */
export const holdOwnKind = (db: Db, organizationId: string, slug: string): Promise<OwnKindRow | undefined> =>
  lockForUpdate(db, bySlug(db, organizationId, slug), 'own_kinds').executeTakeFirst()

/** Lists the kinds of an organization by their slugs. */
export const listOwnKinds = (db: Db, organizationId: string): Promise<OwnKindRow[]> =>
  db.selectFrom('own_kinds').selectAll().where('organization_id', '=', organizationId).orderBy('slug').execute()

/**
 * Keeps a version from being deleted until the transaction ends, for a connector that is to run it.
 * @returns false when it does not exist any more
 */
export async function keepVersion(
  db: Db,
  { organizationId, id, version }: { readonly organizationId: string; readonly id: string; readonly version: number },
): Promise<boolean> {
  const kinds = db.selectFrom('own_kinds').select('id').where('organization_id', '=', organizationId).where('id', '=', id)
  // Who deletes versions holds the kind, so this waits for it, and the next statement sees what it did.
  if ((await lockKeyShare(db, kinds).executeTakeFirst()) === undefined) return false
  const versions = db.selectFrom('own_kind_versions').select('version').where('organization_id', '=', organizationId)
  return (await versions.where('kind_id', '=', id).where('version', '=', version).executeTakeFirst()) !== undefined
}

/** Finds a version with its file. */
export const findVersion = (db: Db, { id, organization_id }: OwnKindRow, version: number): Promise<OwnKindVersionRow | undefined> =>
  db
    .selectFrom('own_kind_versions')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('kind_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()

/** Reads the recordings of a version; an empty text for a version that was deleted. */
export async function readVersionRecordings(db: Db, { kind_id, organization_id, version }: UsedVersionRow): Promise<string> {
  const rows = db.selectFrom('own_kind_versions').select('recordings').where('organization_id', '=', organization_id)
  const row = await rows.where('kind_id', '=', kind_id).where('version', '=', version).executeTakeFirst()
  return row?.recordings ?? ''
}

/** Lists the versions of a kind, the newest first, without their files. */
export const listVersions = (db: Db, { id, organization_id }: OwnKindRow) =>
  db
    .selectFrom('own_kind_versions')
    .select(['version', 'changes', 'created_at'])
    .where('organization_id', '=', organization_id)
    .where('kind_id', '=', id)
    .orderBy('version', 'desc')
    .execute()

/** Stores a new kind. @returns false when the organization has the slug */
export async function insertOwnKind(db: Db, row: OwnKindRow): Promise<boolean> {
  const done = await db
    .insertInto('own_kinds')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'slug']).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Stores a version, which becomes the newest. Lock the kind first. */
export async function insertVersion(db: Db, row: OwnKindVersionRow): Promise<void> {
  await db.insertInto('own_kind_versions').values(row).execute()
  await db
    .updateTable('own_kinds')
    .set({ newest_version: row.version, updated_at: row.created_at })
    .where('organization_id', '=', row.organization_id)
    .where('id', '=', row.kind_id)
    .execute()
}

/** Deletes versions of a kind. */
export const deleteVersions = async (db: Db, { id, organization_id }: OwnKindRow, versions: readonly number[]): Promise<void> => {
  if (versions.length === 0) return
  await db
    .deleteFrom('own_kind_versions')
    .where('organization_id', '=', organization_id)
    .where('kind_id', '=', id)
    .where('version', 'in', versions)
    .execute()
}

/** Deletes a kind with its versions, and the operator's OAuth client at its vendor. */
export async function deleteOwnKind(db: Db, row: OwnKindRow): Promise<void> {
  const { id, organization_id } = row
  await db.deleteFrom('oauth_clients').where('organization_id', '=', organization_id).where('kind', '=', nameOwnKind(row)).execute()
  await db.deleteFrom('own_kinds').where('organization_id', '=', organization_id).where('id', '=', id).execute()
}

/** Counts the connectors of each version of a kind, those of deleted workspaces too: a restore needs their version. */
export async function countConnectorsByVersion(db: Db, row: OwnKindRow): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('connectors')
    .select(({ fn }) => ['kind', fn.countAll().as('count')])
    .where('organization_id', '=', row.organization_id)
    .where('kind', 'like', likeVersions(nameOwnKind(row)))
    .groupBy('kind')
    .execute()
  return new Map(rows.map(({ kind, count }) => [parseOwnKindName(kind)?.version ?? 0, Number(count)]))
}

/** Counts the connectors of each kind of an organization, by the kind's id. */
export async function countConnectorsByKind(db: Db, organizationId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('connectors')
    .select(({ fn }) => ['kind', fn.countAll().as('count')])
    .where('organization_id', '=', organizationId)
    .where('kind', 'like', likeOwnKinds)
    .groupBy('kind')
    .execute()
  const counts = new Map<string, number>()
  for (const { kind, count } of rows) {
    const id = parseOwnKindName(kind)?.id ?? ''
    counts.set(id, (counts.get(id) ?? 0) + Number(count))
  }
  return counts
}

/** Ends the consents of a kind that wait for their return or for a choice: the next version leads to other hosts. */
export async function endConsents(db: Db, row: OwnKindRow, failure: string): Promise<void> {
  const name = nameOwnKind(row)
  await db
    .updateTable('connect_attempts')
    .set({ status: 'failed', sealed: null, failure })
    .where('organization_id', '=', row.organization_id)
    .where(({ or, eb }) => or([eb('kind', '=', name), eb('kind', 'like', likeVersions(name))]))
    .where('status', 'in', ['started', 'choosing'])
    .execute()
}
