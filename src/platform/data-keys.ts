/** Data keys: one for each workspace, wrapped with the master key, unwrapped in memory only. */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { fail } from '../errors.ts'
import { BoundedMap } from './bounded-map.ts'
import { decrypt, encrypt, identity, keyBytes, nonceBytes } from './cipher.ts'
import type { Db } from './db/database.ts'
import { type DataKeyRow, findDataKey, insertDataKey } from './db/queries-keys.ts'
import type { IdSource } from './ids.ts'
import type { MasterKeys } from './master-key.ts'

/** Which workspace a data key belongs to. */
export interface KeyPlace {
  readonly organizationId: string
  readonly workspaceId: string
}
/** A data key of a workspace. */
export interface DataKeyPlace extends KeyPlace {
  readonly dataKeyId: string
}

/** The data keys. */
export interface DataKeys {
  /** Makes and stores a key under a new id. Call it in the transaction that writes the id to the workspace. */
  create(db: Db, place: DataKeyPlace): Promise<void>
  /** The key itself, or undefined when it was destroyed. @throws FerruleError `credentials_unreadable` */
  find(db: Db, place: DataKeyPlace): Promise<KeyObject | undefined>
  /** The same key wrapped with the current master key. @throws FerruleError `credentials_unreadable` */
  rewrap(row: DataKeyRow): { readonly masterKeyId: string; readonly wrapped: Uint8Array }
}

/** Unwrapped keys that stay in memory: about 3 kB each. */
const keysInMemory = 10_000

const about = (id: string, { organizationId, workspaceId }: KeyPlace): Buffer => identity('data key', organizationId, workspaceId, id)
const placeOf = (row: DataKeyRow): KeyPlace => ({ organizationId: row.organization_id, workspaceId: row.workspace_id })
const unreadable = (reason: string) => fail('credentials_unreadable', { reason })

function unwrap(masterKeys: MasterKeys, row: DataKeyRow): Buffer {
  if (masterKeys.find(row.master_key_id) === undefined) masterKeys.refresh()
  const master = masterKeys.find(row.master_key_id)
  if (master === undefined) throw unreadable(`the master key ${row.master_key_id} is missing`)
  const key = decrypt(master.wrapping, row.wrapped, about(row.id, placeOf(row)))
  if (key === undefined) throw unreadable('the data key of the workspace is damaged')
  return key
}

/** Builds the data keys over the master keys. */
export function createDataKeys(masterKeys: MasterKeys, source: IdSource): DataKeys {
  const unwrapped = new BoundedMap<string, KeyObject>(keysInMemory)
  const wrap = (plain: Buffer, id: string, place: KeyPlace) => {
    const { id: masterKeyId, wrapping } = masterKeys.current()
    return { masterKeyId, wrapped: encrypt(wrapping, { plain, about: about(id, place), nonce: source.randomBytes(nonceBytes) }) }
  }
  return {
    create: async (db, place) => {
      const id = place.dataKeyId
      // Inside the writer's transaction: a rotation in another process cannot drop the key between this look and the commit.
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
    rewrap: (row) => wrap(unwrap(masterKeys, row), row.id, placeOf(row)),
  }
}
