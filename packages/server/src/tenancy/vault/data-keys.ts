/** Manages data keys: one per workspace, wrapped with the master key, unwrapped in memory only. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedMap, fail } from 'ferrule/internal'
import type { Db } from '../../db/database.ts'
import type { IdSource } from '../../values/ids.ts'
import { type DataKeyRow, findDataKey, insertDataKey } from '../sql/keys.ts'
import { decrypt, encodeIdentity, encrypt, keyBytes, nonceBytes } from './cipher.ts'
import type { MasterKeys } from './master-key.ts'

/** The workspace of a data key. */
export interface KeyPlace {
  readonly organizationId: string
  readonly workspaceId: string
}
/** A data key of a workspace. */
export interface DataKeyPlace extends KeyPlace {
  readonly dataKeyId: string
}

export interface DataKeys {
  /** Creates and stores a key under a new id. Call it in the transaction that writes the id to the workspace. */
  create(db: Db, place: DataKeyPlace): Promise<void>
  /** Returns the key; undefined when it was destroyed. @throws FerruleError `credentials_unreadable` */
  find(db: Db, place: DataKeyPlace): Promise<KeyObject | undefined>
  /** Wraps the key with the current master key. @throws FerruleError `credentials_unreadable` */
  rewrap(row: DataKeyRow): { readonly masterKeyId: string; readonly wrapped: Uint8Array }
}

/** Maximum number of unwrapped keys in memory, about 3 kB each. */
const keysInMemory = 10_000

const buildIdentity = (id: string, { organizationId, workspaceId }: KeyPlace): Buffer =>
  encodeIdentity('data key', organizationId, workspaceId, id)
const toPlace = (row: DataKeyRow): KeyPlace => ({ organizationId: row.organization_id, workspaceId: row.workspace_id })
const unreadableError = (reason: string) => fail('credentials_unreadable', { reason })

function unwrap(masterKeys: MasterKeys, row: DataKeyRow): Buffer {
  if (masterKeys.find(row.master_key_id) === undefined) masterKeys.refresh()
  const master = masterKeys.find(row.master_key_id)
  if (master === undefined) throw unreadableError(`the master key ${row.master_key_id} is missing`)
  const key = decrypt(master.wrapping, row.wrapped, buildIdentity(row.id, toPlace(row)))
  if (key === undefined) throw unreadableError('the data key of the workspace is damaged')
  return key
}

/** Builds the data keys over the master keys. */
export function createDataKeys(masterKeys: MasterKeys, source: IdSource): DataKeys {
  const unwrapped = new BoundedMap<string, KeyObject>(keysInMemory)
  const wrap = (plain: Buffer, id: string, place: KeyPlace) => {
    const { id: masterKeyId, wrapping } = masterKeys.current()
    return { masterKeyId, wrapped: encrypt(wrapping, { plain, about: buildIdentity(id, place), nonce: source.randomBytes(nonceBytes) }) }
  }
  return {
    create: async (db, place) => {
      const id = place.dataKeyId
      // Inside the transaction, a rotation in another process cannot drop the master key before the commit.
      masterKeys.refresh()
      const { masterKeyId, wrapped } = wrap(source.randomBytes(keyBytes), id, place)
      const owner = { organization_id: place.organizationId, workspace_id: place.workspaceId }
      await insertDataKey(db, { id, ...owner, master_key_id: masterKeyId, wrapped, created_at: source.clock() })
    },
    find: async (db, place) => {
      const known = unwrapped.get(place.dataKeyId)
      if (known !== undefined) return known
      const row = await findDataKey(db, { ...place, id: place.dataKeyId })
      if (row === undefined) return undefined
      const key = createSecretKey(unwrap(masterKeys, row))
      unwrapped.set(row.id, key)
      return key
    },
    rewrap: (row) => wrap(unwrap(masterKeys, row), row.id, toPlace(row)),
  }
}
