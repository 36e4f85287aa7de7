/** Queries connectors and their creations. */
import { fail } from 'ferrule/internal'
import { type CompiledQuery, type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { type Db, type Lease, lockForUpdate, named, withValues } from '../../db/database.ts'
import type { ConnectorCreationTable, ConnectorTable, ConsentColumns, Tables } from '../../db/schema/schema.ts'
import { type PrincipalView, viewOrganization } from '../../values/access.ts'
import { asId, likeVersions, parseOwnKindName } from '../../values/ids.ts'

/** Columns of a record, without the encrypted credentials. */
const recordColumns = [
  'connectors.id',
  'connectors.organization_id',
  'connectors.workspace_id',
  'connectors.name',
  'connectors.kind',
  'connectors.status',
  'connectors.status_reason',
  'connectors.unchecked',
  'connectors.configuration',
  'connectors.entities',
  'connectors.changes_days',
  'connectors.sandbox',
  'connectors.scheme',
  'connectors.credential_fields',
  'connectors.created_at',
  'connectors.updated_at',
  'connectors.notices',
  'workspaces.name as workspace_name',
  'workspaces.status as workspace_status',
] as const
const sealedColumns = [
  'connectors.sealed',
  'connectors.data_key_id',
  'connectors.version',
  'connectors.proof',
  'connectors.oauth_client_id',
  'connectors.consent_digest',
  'connectors.account',
  'oauth_clients.fields as oauth_client_fields',
  'oauth_clients.sealed as oauth_client_sealed',
  'oauth_clients.master_key_id as oauth_client_key_id',
] as const

/** Selects the connectors of a view, without those of deleted workspaces. */
const visible = (db: Db, view: PrincipalView) => {
  const rows = db
    .selectFrom('connectors')
    .innerJoin('workspaces', 'workspaces.id', 'connectors.workspace_id')
    .select(recordColumns)
    .where('connectors.organization_id', '=', view.organizationId)
    .whereRef('workspaces.organization_id', '=', 'connectors.organization_id')
    .where('workspaces.deleted_at', 'is', null)
  const { workspaceIds, connectorIds } = view
  const inWorkspaces = workspaceIds === null ? rows : rows.where('connectors.workspace_id', 'in', workspaceIds)
  return connectorIds === null ? inWorkspaces : inWorkspaces.where('connectors.id', 'in', connectorIds)
}
const withSeal = (db: Db, view: PrincipalView, id: string) =>
  visible(db, view)
    .leftJoin('oauth_clients', (join) =>
      join
        .onRef('oauth_clients.id', '=', 'connectors.oauth_client_id')
        .onRef('oauth_clients.organization_id', '=', 'connectors.organization_id'),
    )
    .select(sealedColumns)
    .where('connectors.id', '=', id)

/** A connector without its credentials. */
export type ConnectorRow = Awaited<ReturnType<ReturnType<typeof visible>['execute']>>[number]
/** A connector with its encrypted credentials. */
export type SealedConnectorRow = Awaited<ReturnType<ReturnType<typeof withSeal>['execute']>>[number]

/** Filters and position of a list. */
export interface ConnectorListOptions {
  readonly workspaceId?: string | undefined
  readonly workspaceName?: string | undefined
  /** Slug, or the name of an organization's kind for its connectors of all versions. */
  readonly kind?: string | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** Lists connectors in the order of their creation. */
export function listConnectors(
  db: Db,
  view: PrincipalView,
  { workspaceId, workspaceName, kind, after, limit }: ConnectorListOptions,
): Promise<ConnectorRow[]> {
  return visible(db, view)
    .$if(workspaceId !== undefined, (rows) => rows.where('connectors.workspace_id', '=', workspaceId ?? ''))
    .$if(workspaceName !== undefined, (rows) => rows.where('workspaces.name', '=', workspaceName ?? ''))
    .$if(kind !== undefined && parseOwnKindName(kind) === undefined, (rows) => rows.where('connectors.kind', '=', kind ?? ''))
    .$if(kind !== undefined && parseOwnKindName(kind) !== undefined, (rows) =>
      rows.where('connectors.kind', 'like', likeVersions(kind ?? '')),
    )
    .$if(after !== undefined, (rows) => rows.where('connectors.id', '>', after ?? ''))
    .orderBy('connectors.id')
    .limit(limit)
    .execute()
}

/** Lists for how many days changes are kept, where a connector says it. Covers all organizations, for the service itself. */
export const listChangesDays = async (db: Db): Promise<ReadonlyMap<string, number>> => {
  const rows = await db.selectFrom('connectors').select(['id', 'changes_days']).where('changes_days', 'is not', null).execute()
  return new Map(rows.map(({ id, changes_days: days }) => [id, Number(days)]))
}

/** Lists the ids of a view's connectors. */
export const listConnectorIds = async (db: Db, view: PrincipalView): Promise<string[]> =>
  (await visible(db, view).clearSelect().select('connectors.id').execute()).map(({ id }) => id)

/** Finds a connector of a view. */
export const findConnector = (db: Db, view: PrincipalView, id: string): Promise<ConnectorRow | undefined> =>
  visible(db, view).where('connectors.id', '=', id).executeTakeFirst()

/**
 * Finds a connector of a view by whatever a caller gave as its id.
 * @param find `findConnector` or `holdConnector`
 * @throws FerruleError `connector_not_found`
 */
export async function requireConnector<Row>(
  db: Db,
  view: PrincipalView,
  given: string,
  find: (db: Db, view: PrincipalView, id: string) => Promise<Row | undefined>,
): Promise<Row> {
  const id = asId(given)
  const row = id === undefined ? undefined : await find(db, view, id)
  if (row === undefined) throw fail('connector_not_found', {})
  return row
}

/** Reads the account behind the credentials of a connector, as JSON; null when it was never read. */
export const findAccount = async (db: Db, organizationId: string, id: string): Promise<string | null> => {
  const rows = db.selectFrom('connectors').select('account').where('organization_id', '=', organizationId)
  return (await rows.where('id', '=', id).executeTakeFirst())?.account ?? null
}

/** Returns whether a workspace has a connector of this name. */
export async function hasConnectorNamed(
  db: Db,
  workspace: { readonly id: string; readonly organization_id: string },
  name: string,
): Promise<boolean> {
  const rows = db.selectFrom('connectors').select('id').where('organization_id', '=', workspace.organization_id)
  return (await rows.where('workspace_id', '=', workspace.id).where('name', '=', name).executeTakeFirst()) !== undefined
}

/** Finds a connector of a view with its encrypted credentials, and locks it until the transaction ends. */
export const holdConnector = (db: Db, view: PrincipalView, id: string): Promise<SealedConnectorRow | undefined> =>
  lockForUpdate(db, withSeal(db, view, id), 'connectors').executeTakeFirst()

/** Reads a connector for a call. */
export type ConnectionQuery = (view: PrincipalView, id: string) => Promise<SealedConnectorRow | undefined>

/** Builds the query of every call, compiled once for the frequent forms of a view: an organization, and one workspace. */
export function connectionQuery(db: Db): ConnectionQuery {
  const ofOrganization = named('connector', withSeal(db, viewOrganization(''), '').compile())
  const ofWorkspace = named('connector of workspace', withSeal(db, { ...viewOrganization(''), workspaceIds: [''] }, '').compile())
  const first = async (query: CompiledQuery<SealedConnectorRow>) => (await db.executeQuery(query)).rows[0]
  return async (view, id) => {
    const { organizationId, workspaceIds, connectorIds } = view
    if (connectorIds !== null && !connectorIds.includes(id)) return undefined
    if (workspaceIds === null) return first(withValues(ofOrganization, organizationId, id))
    const [workspaceId, ...others] = workspaceIds
    return first(others.length === 0 ? withValues(ofWorkspace, organizationId, workspaceId, id) : withSeal(db, view, id).compile())
  }
}

/** A new connector. */
export type StoredConnector = Omit<Selectable<ConnectorTable>, 'proof' | keyof ConsentColumns> & Partial<Selectable<ConsentColumns>>

/** Inserts a connector unless its workspace has the name. @returns whether it was inserted */
export async function insertConnector(db: Db, row: StoredConnector): Promise<boolean> {
  const values = { ...row, sandbox: Boolean(row.sandbox), unchecked: Boolean(row.unchecked) }
  const done = await db
    .insertInto('connectors')
    .values(values)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Columns that can change. */
export type ConnectorChange = Partial<
  Pick<
    Selectable<ConnectorTable>,
    | 'name'
    | 'kind'
    | 'configuration'
    | 'entities'
    | 'changes_days'
    | 'scheme'
    | 'credential_fields'
    | 'sealed'
    | 'data_key_id'
    | 'version'
    | 'proof'
    | 'status'
    | 'status_reason'
    | 'lease_owner'
    | 'lease_until'
    | 'notices'
    | 'updated_at'
    | 'oauth_client_id'
    | 'consent_digest'
    | 'account'
  >
> & { readonly unchecked?: boolean }

const own = (db: Db, organizationId: string, id: string) =>
  db.updateTable('connectors').where('id', '=', id).where('organization_id', '=', organizationId)

/** Updates a connector that `holdConnector` read in the same transaction. */
export const updateConnector = async (db: Db, { organization_id, id }: ConnectorRow, change: ConnectorChange): Promise<void> => {
  await own(db, organization_id, id).set(change).execute()
}

/** Replaces the vendor's notices (JSON), unless the configuration changed in the meantime. */
export const setNotices = async (
  db: Db,
  { organization_id, id, configuration }: Pick<ConnectorRow, 'organization_id' | 'id' | 'configuration'>,
  notices: string,
): Promise<void> => {
  await own(db, organization_id, id).where('configuration', '=', configuration).set({ notices }).execute()
}

/** Deletes a connector with its credentials. */
export const deleteConnector = async (db: Db, { organization_id, id }: ConnectorRow): Promise<void> => {
  await db.deleteFrom('connectors').where('id', '=', id).where('organization_id', '=', organization_id).execute()
}

/** One version of a connector's credentials. */
export interface CredentialsVersion {
  readonly organizationId: string
  readonly id: string
  readonly version: number
}

/** Stores that the vendor refused to renew this version, and ends the renewal. @returns false when the version was replaced */
export async function setRenewalRefused(db: Db, { organizationId, id, version }: CredentialsVersion, reason: string): Promise<boolean> {
  const change = { status: 'auth_error', status_reason: reason, lease_owner: null, lease_until: null } as const
  const rows = own(db, organizationId, id).set(change).where('version', '=', version)
  return (await rows.executeTakeFirst()).numUpdatedRows > 0n
}

/**
 * Stores that the vendor refused this version. Writes on change only, and leaves a renewal in progress alone.
 * @returns whether the credentials had worked until now
 */
export async function setAuthError(db: Db, { organizationId, id, version }: CredentialsVersion, reason: string): Promise<boolean> {
  const rows = own(db, organizationId, id).set({ status: 'auth_error', status_reason: reason }).where('version', '=', version)
  if ((await rows.where('status', '<>', 'auth_error').executeTakeFirst()).numUpdatedRows > 0n) return true
  await rows.where('status_reason', '<>', reason).execute()
  return false
}

/** Stores that the vendor accepted this version. @returns what changed */
export async function setHealthy(
  db: Db,
  { organizationId, id, version }: CredentialsVersion,
): Promise<'recovered' | 'checked' | 'nothing'> {
  const healthy = { status: 'active', status_reason: null, unchecked: false } as const
  const rows = own(db, organizationId, id).set(healthy).where('version', '=', version)
  if ((await rows.where('status', '=', 'auth_error').executeTakeFirst()).numUpdatedRows > 0n) return 'recovered'
  return (await rows.where(sql<boolean>`unchecked`).executeTakeFirst()).numUpdatedRows > 0n ? 'checked' : 'nothing'
}

/** Leases the renewal of this version; takes over an expired lease. @returns whether the lease was taken */
export async function takeLease(
  db: Db,
  { organizationId, id, version }: CredentialsVersion,
  { owner, now, until }: Lease,
): Promise<boolean> {
  const rows = own(db, organizationId, id)
    .set({ lease_owner: owner, lease_until: until })
    .where('version', '=', version)
    .where(({ or, eb }) => or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
  return (await rows.executeTakeFirst()).numUpdatedRows > 0n
}

/** Releases the lease of a renewal. */
export const dropLease = async (db: Db, { organizationId, id }: CredentialsVersion, owner: string): Promise<void> => {
  await own(db, organizationId, id).set({ lease_owner: null, lease_until: null }).where('lease_owner', '=', owner).execute()
}

/** Credentials of the next version. */
export interface NewCredentials {
  readonly sealed: Uint8Array
  readonly dataKeyId: string
  readonly fields: readonly string[]
}

/** Replaces this version, and clears its lease and `auth_error`. @returns false when the version was replaced already */
export async function replaceCredentials(
  db: Db,
  { organizationId, id, version }: CredentialsVersion,
  next: NewCredentials,
): Promise<boolean> {
  const rows = own(db, organizationId, id).set({
    sealed: next.sealed,
    data_key_id: next.dataKeyId,
    credential_fields: JSON.stringify(next.fields),
    version: version + 1,
    proof: null,
    status: 'active',
    status_reason: null,
    lease_owner: null,
    lease_until: null,
  })
  return (await rows.where('version', '=', version).executeTakeFirst()).numUpdatedRows > 0n
}

/** Stores the digest of accepted credentials; null deletes it. Leaves a newer version of the credentials alone. */
export const setProof = async (db: Db, { organizationId, id, version }: CredentialsVersion, proof: string | null): Promise<void> => {
  await own(db, organizationId, id).set({ proof }).where('version', '=', version).execute()
}

type CreationRow = Selectable<ConnectorCreationTable>
/** Identifies a creation. */
export type CreationId = Pick<CreationRow, 'organization_id' | 'key_digest'>

const isCreation =
  ({ organization_id, key_digest }: CreationId) =>
  ({ and }: ExpressionBuilder<Tables, 'connector_creations'>) =>
    and({ organization_id, key_digest })

/** Finds a creation that has not expired. */
export const findCreation = (db: Db, id: CreationId, now: number): Promise<CreationRow | undefined> =>
  db.selectFrom('connector_creations').selectAll().where(isCreation(id)).where('expires_at', '>', now).executeTakeFirst()

type KeptCreation = Omit<CreationRow, 'owner' | 'busy_until'>
type RunningCreation = Pick<CreationRow, 'organization_id' | 'key_digest' | 'fingerprint' | 'owner' | 'busy_until' | 'expires_at'>

/**
 * Takes a creation for an attempt, unless another one has it.
 * @param seen what was read before; undefined for none, or an expired one
 * @returns whether it was taken
 */
export async function takeCreation(db: Db, next: RunningCreation, seen: CreationRow | undefined, now: number): Promise<boolean> {
  const { owner, busy_until, fingerprint, expires_at } = next
  if (seen !== undefined) {
    const same = updateOwn(db, seen).where('busy_until', '=', seen.busy_until)
    return (await same.set({ owner, busy_until, expires_at }).executeTakeFirst()).numUpdatedRows > 0n
  }
  const anew = { fingerprint, owner, busy_until, expires_at, sealed: null, connector_id: null }
  const done = await db
    .insertInto('connector_creations')
    .values({ ...next, sealed: null, connector_id: null })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'key_digest']).doUpdateSet(anew).where('connector_creations.expires_at', '<=', now),
    )
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Renews the lease of an attempt; does nothing when another one has the creation. */
export const renewCreation = async (db: Db, row: CreationId & Pick<CreationRow, 'owner' | 'busy_until'>): Promise<void> => {
  await updateOwn(db, row).set({ busy_until: row.busy_until }).where('busy_until', '>', 0).execute()
}

/** Frees a creation that an attempt had. One that keeps nothing is deleted, so another request may have its key. */
export async function freeCreation(db: Db, row: CreationId & Pick<CreationRow, 'owner'>): Promise<void> {
  await updateOwn(db, row).set({ busy_until: 0 }).execute()
  const own = db.deleteFrom('connector_creations').where(isCreation(row)).where('owner', '=', row.owner)
  await own.where('sealed', 'is', null).where('connector_id', 'is', null).execute()
}

const updateOwn = (db: Db, row: CreationId & Pick<CreationRow, 'owner'>) =>
  db.updateTable('connector_creations').where(isCreation(row)).where('owner', '=', row.owner)

/** Inserts or replaces what a creation keeps. Its lease stays as it is. */
export async function saveCreation(db: Db, row: KeptCreation): Promise<void> {
  const { fingerprint, sealed, connector_id, expires_at } = row
  await db
    .insertInto('connector_creations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'key_digest']).doUpdateSet({ fingerprint, sealed, connector_id, expires_at }),
    )
    .execute()
}

/** Deletes a creation after its connector is stored. */
export const deleteCreation = async (db: Db, id: CreationId): Promise<void> => {
  await db.deleteFrom('connector_creations').where(isCreation(id)).execute()
}

/** Deletes expired creations. */
export const deleteEndedCreations = async (db: Db, now: number): Promise<void> => {
  await db.deleteFrom('connector_creations').where('expires_at', '<=', now).execute()
}
