/** Rotates master and data keys in batches, beside a running service. A stopped rotation can resume. */
import { listStaleOutcomes, replaceOutcome } from '../../calls/sql/idempotency.ts'
import { listOAuthClientsNotSealedBy, resealOAuthClient } from '../../connectors/sql/oauth-clients.ts'
import { listRevocationsNotSealedBy, resealRevocation } from '../../connectors/sql/revocations.ts'
import { type Database, type Db, isForeignKeyViolation } from '../../db/database.ts'
import {
  listSourcesNotSealedBy,
  listVendorEventsNotSealedBy,
  type MasterSealedBytes,
  resealSource,
  resealVendorEvent,
} from '../../events/sql/vendor-events.ts'
import { listEndpointsNotSealedBy, resealEndpoint } from '../../events/sql/webhooks.ts'
import { toConnectorRef } from '../../values/access.ts'
import { firstId, type IdSource, newId } from '../../values/ids.ts'
import { deleteState, insertState } from '../sql/installation-state.ts'
import * as sql from '../sql/keys.ts'
import type { MasterKeys } from './master-key.ts'
import type { MasterSeals, SealedFields } from './master-seals.ts'
import type { DataKeys, Vault, WorkspaceRef } from './vault.ts'

interface RotationParts {
  readonly database: Database
  readonly masterKeys: MasterKeys
  readonly dataKeys: DataKeys
  readonly vault: Vault
  readonly masterSeals: MasterSeals
  readonly source: IdSource
}

/** Keys or credentials per transaction. */
const batch = 100

/** Builds the operator's rotation commands. */
export const createRotation = (parts: RotationParts): VaultAdministration => ({
  rotateMasterKey: () => rotateMasterKey(parts),
  rotateDataKeys: () => rotateDataKeys(parts),
})

async function rotateMasterKey(parts: RotationParts): Promise<{ rewrapped: number }> {
  const { database, masterKeys, dataKeys, source } = parts
  await database.exclusive(async (db) => {
    masterKeys.refresh()
    const left = await sql.listKeysNotWrappedBy(db, masterKeys.current().id, 1)
    // A stopped rotation resumes with its key instead of starting another one.
    if (masterKeys.ownsKeys && left.length === 0) masterKeys.add(source.randomBytes(32))
  })
  let rewrapped = 0
  for (let rows = 1; rows > 0; ) {
    rows = await database.transaction(async (db) => {
      const found = await sql.listKeysNotWrappedBy(db, masterKeys.current().id, batch)
      for (const row of found) if (await sql.rewrapDataKey(db, row, dataKeys.rewrap(row))) rewrapped += 1
      return found.length
    })
  }
  await resealMasterSealed(parts)
  await database.exclusive(async (db) => masterKeys.drop(new Set(await sql.listUsedMasterKeys(db))))
  return { rewrapped }
}

/** How the rows of one table are encrypted again. */
interface Resealing<R extends MasterSealedBytes> {
  readonly list: (db: Db, current: string, limit: number) => Promise<R[]>
  readonly ref: (row: R) => Parameters<MasterSeals['seal']>[0]
  readonly save: (db: Db, row: R, next: SealedFields) => Promise<unknown>
}

/** Encrypts the rows of a table with the current master key. */
async function resealRows<R extends MasterSealedBytes>(
  { database, masterKeys, masterSeals }: RotationParts,
  { list, ref, save }: Resealing<R>,
): Promise<void> {
  for (let rows = 1; rows > 0; ) {
    rows = await database.transaction(async (db) => {
      const found = await list(db, masterKeys.current().id, batch)
      for (const row of found) {
        const values = masterSeals.open(ref(row), { masterKeyId: row.master_key_id, sealed: row.sealed })
        await save(db, row, masterSeals.seal(ref(row), values))
      }
      return found.length
    })
  }
}

async function resealMasterSealed(parts: RotationParts): Promise<void> {
  await resealRows(parts, {
    list: listOAuthClientsNotSealedBy,
    ref: ({ organization_id: organizationId, kind }) => ({ organizationId, kind }),
    save: resealOAuthClient,
  })
  await resealRows(parts, {
    list: listRevocationsNotSealedBy,
    ref: ({ organization_id: organizationId, kind, connector_id: connectorId }) => ({ organizationId, kind, connectorId }),
    save: resealRevocation,
  })
  await resealRows(parts, {
    list: listEndpointsNotSealedBy,
    ref: ({ organization_id: organizationId, id: endpointId }) => ({ organizationId, endpointId }),
    save: resealEndpoint,
  })
  await resealRows(parts, {
    list: listSourcesNotSealedBy,
    ref: ({ organization_id: organizationId, id: sourceId }) => ({ organizationId, sourceId, part: 'secret' }),
    save: resealSource,
  })
  await resealRows(parts, {
    list: listVendorEventsNotSealedBy,
    ref: ({ organization_id: organizationId, source_id: sourceId }) => ({ organizationId, sourceId, part: 'event' }),
    save: resealVendorEvent,
  })
}

async function rotateDataKeys(parts: RotationParts): Promise<{ resealed: number }> {
  const { database, source } = parts
  const started = Number(await insertState(database.db, 'data_key_rotation', String(source.clock())))
  let resealed = 0
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const workspaces = await sql.listWorkspacesWithKeys(database.db, after, batch)
    for (const { id, organization_id: organizationId, key_created_at: age } of workspaces) {
      if (age === null || age <= started) await renewDataKey(parts, { organizationId, workspaceId: id })
      resealed += await resealWorkspace(parts, id)
    }
    after = workspaces.at(-1)?.id
  }
  await deleteState(database.db, 'data_key_rotation')
  return { resealed }
}

const renewDataKey = ({ database, dataKeys, source }: RotationParts, ref: WorkspaceRef) =>
  database.transaction(async (db) => {
    const dataKeyId = newId(source)
    await dataKeys.create(db, { ...ref, dataKeyId })
    await sql.setDataKey(db, ref.workspaceId, dataKeyId)
  })

async function resealWorkspace(parts: RotationParts, workspaceId: string): Promise<number> {
  const { database } = parts
  let resealed = 0
  for (;;) {
    const rows = await sql.listStaleSeals(database.db, workspaceId, batch)
    resealed += await resealAll(parts, rows)
    const outcomes = await resealOutcomes(parts, workspaceId)
    if (rows.length === 0 && outcomes === 0 && (await destroyUnused(database, workspaceId))) return resealed
  }
}

const resealAll = ({ database, vault }: RotationParts, rows: readonly sql.StaleSeal[]): Promise<number> =>
  database.transaction(async (db) => {
    let done = 0
    for (const row of rows) {
      const ref = toConnectorRef(row)
      const values = await vault.open(db, { ...ref, dataKeyId: row.data_key_id }, row.sealed)
      if (values === undefined) continue
      const { sealed } = await vault.seal(db, { ...ref, dataKeyId: row.current_key_id }, values)
      if (await sql.reseal(db, row, sealed)) done += 1
    }
    return done
  })

/** Encrypts stored outcomes with the current key. Drops a damaged outcome; its row keeps the status. @returns the number of rows read */
const resealOutcomes = ({ database, vault }: RotationParts, workspaceId: string): Promise<number> =>
  database.transaction(async (db) => {
    const rows = await listStaleOutcomes(db, workspaceId, batch)
    for (const { current_key_id: currentKeyId, workspace_id, ...row } of rows) {
      const owner = { organizationId: row.organization_id, workspaceId: workspace_id, connectorId: row.connector_id }
      const ref = { ...owner, keyDigest: row.key_digest, status: row.status ?? 0, code: row.code }
      const text = await vault.openOutcome(db, { ...ref, dataKeyId: row.data_key_id ?? '' }, row.sealed ?? new Uint8Array())
      const sealed = text === undefined ? undefined : await vault.sealOutcome(db, { ...ref, dataKeyId: currentKeyId }, text)
      await replaceOutcome(db, row, sealed === undefined ? { data_key_id: null, sealed: null } : { data_key_id: currentKeyId, sealed })
    }
    return rows.length
  })

/** Deletes unused keys. @returns false when an old key encrypted new credentials in the meantime: encrypt these again first */
async function destroyUnused(database: Database, workspaceId: string): Promise<boolean> {
  try {
    await sql.deleteUnusedKeys(database.db, workspaceId)
    return true
  } catch (error) {
    if (isForeignKeyViolation(error)) return false
    throw error
  }
}

/** Rotates keys, for the operator's commands. A stopped rotation can run again. */
export interface VaultAdministration {
  /**
   * Wraps every data key with the current master key. The embedded service first creates a new master key, and deletes the old one when
   * nothing needs it. With FERRULE_MASTER_KEY the setting is the new key, and FERRULE_MASTER_KEY_PREVIOUS holds the old one.
   * @returns the number of wrapped data keys
   */
  rotateMasterKey(): Promise<{ readonly rewrapped: number }>
  /** Gives every workspace a new data key and encrypts all credentials with it. @returns the number of encrypted credentials */
  rotateDataKeys(): Promise<{ readonly resealed: number }>
}
