/** Rotation of master and data keys: in batches, beside a running service, resumable at any point. */
import type { DataKeys, KeyPlace } from './data-keys.ts'
import { type Database, isForeignKeyViolation } from './db/database.ts'
import { replaceOutcome, staleOutcomes } from './db/queries-idempotency.ts'
import {
  deleteUnusedKeys,
  keysNotWrappedBy,
  reseal,
  rewrapDataKey,
  type StaleSeal,
  staleSeals,
  useDataKey,
  usedMasterKeys,
  workspacesWithKeys,
} from './db/queries-keys.ts'
import { dropState, keepState } from './db/queries-state.ts'
import { type IdSource, newId } from './ids.ts'
import type { MasterKeys } from './master-key.ts'
import type { VaultAdministration } from './types.ts'
import type { Vault } from './vault.ts'

/** What a rotation works on. */
export interface RotationParts {
  readonly database: Database
  readonly masterKeys: MasterKeys
  readonly dataKeys: DataKeys
  readonly vault: Vault
  readonly source: IdSource
}

/** Keys or credentials in one transaction. */
const batch = 100
const firstId = '00000000-0000-0000-0000-000000000000'

/** Builds the operator's rotation commands. */
export const createRotation = (parts: RotationParts): VaultAdministration => ({
  rotateMasterKey: () => rotateMasterKey(parts),
  rotateDataKeys: () => rotateDataKeys(parts),
})

async function rotateMasterKey({ database, masterKeys, dataKeys, source }: RotationParts): Promise<{ rewrapped: number }> {
  await database.exclusive(async (db) => {
    masterKeys.refresh()
    const left = await keysNotWrappedBy(db, masterKeys.current().id, 1)
    // A rotation that was stopped is finished with its key instead of beginning another one.
    if (masterKeys.ownsKeys && left.length === 0) masterKeys.add(source.randomBytes(32))
  })
  let rewrapped = 0
  for (let rows = 1; rows > 0; ) {
    rows = await database.transaction(async (db) => {
      const found = await keysNotWrappedBy(db, masterKeys.current().id, batch)
      for (const row of found) if (await rewrapDataKey(db, row, dataKeys.rewrap(row))) rewrapped += 1
      return found.length
    })
  }
  await database.exclusive(async (db) => masterKeys.drop(new Set(await usedMasterKeys(db))))
  return { rewrapped }
}

async function rotateDataKeys(parts: RotationParts): Promise<{ resealed: number }> {
  const { database, source } = parts
  const started = Number(await keepState(database.db, 'data_key_rotation', String(source.clock())))
  let resealed = 0
  for (let after: string | undefined = firstId; after !== undefined; ) {
    const workspaces = await workspacesWithKeys(database.db, after, batch)
    for (const { id, organization_id: organizationId, key_created_at: age } of workspaces) {
      if (age === null || age <= started) await renewDataKey(parts, { organizationId, workspaceId: id })
      resealed += await resealWorkspace(parts, id)
    }
    after = workspaces.at(-1)?.id
  }
  await dropState(database.db, 'data_key_rotation')
  return { resealed }
}

const renewDataKey = ({ database, dataKeys, source }: RotationParts, place: KeyPlace) =>
  database.transaction(async (db) => {
    const dataKeyId = newId(source)
    await dataKeys.create(db, { ...place, dataKeyId })
    await useDataKey(db, place.workspaceId, dataKeyId)
  })

async function resealWorkspace(parts: RotationParts, workspaceId: string): Promise<number> {
  const { database } = parts
  let resealed = 0
  for (;;) {
    const rows = await staleSeals(database.db, workspaceId, batch)
    resealed += await resealAll(parts, rows)
    const outcomes = await resealOutcomes(parts, workspaceId)
    if (rows.length === 0 && outcomes === 0 && (await destroyUnused(database, workspaceId))) return resealed
  }
}

const resealAll = ({ database, vault }: RotationParts, rows: readonly StaleSeal[]): Promise<number> =>
  database.transaction(async (db) => {
    let done = 0
    for (const row of rows) {
      const place = { organizationId: row.organization_id, workspaceId: row.workspace_id, connectorId: row.id }
      const values = await vault.open(db, { ...place, dataKeyId: row.data_key_id }, row.sealed)
      if (values === undefined) continue
      const { sealed } = await vault.seal(db, { ...place, dataKeyId: row.current_key_id }, values)
      if (await reseal(db, row, sealed)) done += 1
    }
    return done
  })

/** Seals kept outcomes of writes anew; one that is damaged is dropped, its key keeps its status. @returns how many were looked at */
const resealOutcomes = ({ database, vault }: RotationParts, workspaceId: string): Promise<number> =>
  database.transaction(async (db) => {
    const rows = await staleOutcomes(db, workspaceId, batch)
    for (const { current_key_id: currentKeyId, workspace_id, ...row } of rows) {
      const owner = { organizationId: row.organization_id, workspaceId: workspace_id, connectorId: row.connector_id }
      const place = { ...owner, keyDigest: row.key_digest, status: row.status ?? 0, code: row.code }
      const text = await vault.openOutcome(db, { ...place, dataKeyId: row.data_key_id ?? '' }, row.sealed ?? new Uint8Array())
      const sealed = text === undefined ? undefined : await vault.sealOutcome(db, { ...place, dataKeyId: currentKeyId }, text)
      await replaceOutcome(db, row, sealed === undefined ? { data_key_id: null, sealed: null } : { data_key_id: currentKeyId, sealed })
    }
    return rows.length
  })

/** @returns false when credentials were sealed with an old key meanwhile: seal them anew first */
async function destroyUnused(database: Database, workspaceId: string): Promise<boolean> {
  try {
    await deleteUnusedKeys(database.db, workspaceId)
    return true
  } catch (error) {
    if (isForeignKeyViolation(error)) return false
    throw error
  }
}
